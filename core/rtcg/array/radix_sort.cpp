#include "rtcg/array/radix_sort.h"

#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "rtcg/array/kernel_table.h"
#include "rtcg/array/loop_shape.h"
#include "rtcg/array/radix_sort_text.h"
#include "rtcg/array/radix_sort_tuning.h"
#include "rtcg/array/raw_launch.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

constexpr std::size_t longest_row = std::numeric_limits<std::uint32_t>::max();

[[noreturn]] void refuse(const std::string& what) {
  throw UsageError("radix sort: " + what);
}

bool is_nvidia_gpu(const DeviceProperties& device) {
  return device.kind == DeviceKind::gpu && (device.backend == Backend::cuda || device.vendor == "NVIDIA Corporation");
}

}  // namespace

SortMethod sort_method(const Device& device, SortMethod wanted) {
  const bool nvidia = is_nvidia_gpu(device.properties());
  if (wanted == SortMethod::onesweep && !nvidia)
    refuse(fmt::format("the onesweep method needs an NVIDIA GPU, {} is none; use tiles or chunks",
                       device.properties().name));
  if (wanted != SortMethod::automatic) return wanted;
  return loop_shape(device) == LoopShape::cpu ? SortMethod::chunks : nvidia ? SortMethod::onesweep : SortMethod::tiles;
}

namespace {

/// The buffers of a problem in the order in which every kernel takes them.
class Sort {
 public:
  Sort(const Stream& stream, const SortProblem& problem);
  void run();

 private:
  bool moves_values() const { return shape_.value_bytes != 0; }
  void run_rows_by_items();
  void run_chunks();
  void run_tiles();
  void run_onesweep();
  void count_digits(const Buffer& counts, const Buffer& plans) const;
  const Kernel& kernel(const char* name) const {
    return cached_kernel(stream_.device(), name, code_,
                         [&] { return std::pair(sort_source(shape_), std::string(name)); });
  }

  /// kernel(before..., buffers..., after...)
  template <class... Before, class... After>
  void launch(const Kernel& kernel, const Grid& grid, const std::tuple<Before...>& before,
              const std::tuple<After...>& after) const {
    const auto call = [&](const auto&... arguments) { raw_launch(kernel, stream_, grid, arguments...); };
    const auto keys = std::tie(problem_.keys, keys_offset_, key_scratch_, problem_.sorted_keys);
    if (moves_values())
      std::apply(call, std::tuple_cat(before, keys, std::tie(problem_.values, values_offset_, value_scratch_, result_),
                                      after));
    else
      std::apply(call, std::tuple_cat(before, keys, after));
  }

  const Stream& stream_;
  SortProblem problem_;
  SortShape shape_;
  std::string code_;  ///< key of the shape, once it is complete
  Buffer key_scratch_, value_scratch_, result_;
  std::uint64_t keys_offset_, values_offset_, length_;
  unsigned chunks_per_unit_ = 4;
  bool cpu_;
};

void check_size(const char* name, const Buffer& buffer, std::size_t elements, std::size_t bytes) {
  if (buffer.bytes() / bytes < elements)
    refuse(fmt::format("{} must hold {} elements of {} bytes, not {} bytes", name, elements, bytes, buffer.bytes()));
}

/// The buffer, or a copy of it where `target` is the same memory: a pass reads the input while it writes the output.
Buffer apart_from(const Stream& stream, const Buffer& source, const Buffer& target) {
  if (!source || !target || source.native() != target.native()) return source;
  const Buffer copy(stream, source.bytes());
  copy.copy_from(stream, source);
  return copy;
}

Sort::Sort(const Stream& stream, const SortProblem& problem)
    : stream_(stream),
      problem_(problem),
      keys_offset_(problem.keys_offset),
      values_offset_(problem.values_offset),
      length_(problem.length) {
  const unsigned key_bits = sort_key_bits(problem.type);
  if (key_bits == 0) refuse(fmt::format("keys of type {} have no order; real types have", name_of(problem.type)));
  if (problem.length > longest_row)
    refuse(fmt::format("a row of {} keys is longer than {}", problem.length, longest_row));
  if (problem.rows > longest_row ||
      (problem.rows != 0 && problem.length > std::numeric_limits<std::size_t>::max() / 32 / problem.rows))
    refuse(fmt::format("{} rows of {} keys are more than can be addressed", problem.rows, problem.length));
  if (problem.first_bit >= key_bits || problem.bits > key_bits - problem.first_bit)
    refuse(fmt::format("bits {} to {} are not within keys of {} bits", problem.first_bit,
                       problem.first_bit + problem.bits, key_bits));
  if (!problem.keys) refuse("there are no keys");
  if (!problem.sorted_keys && !problem.sorted_values && !problem.positions)
    refuse("there is no buffer for the result: sorted_keys, sorted_values or positions");
  if (problem.positions && problem.sorted_values) refuse("values or positions can be asked for, not both at once");

  const std::size_t elements = problem.rows * problem.length, key_bytes = size_of(problem.type);
  check_size("keys", problem.keys, keys_offset_ + elements, key_bytes);
  if (problem.sorted_keys) check_size("sorted_keys", problem.sorted_keys, elements, key_bytes);
  shape_.type = problem.type;
  shape_.descending = problem.descending;
  shape_.first_bit = problem.first_bit;
  const unsigned all_bits = problem.type == ScalarType::boolean ? 1 : key_bits - problem.first_bit;
  shape_.bits = problem.bits == 0 ? all_bits : std::min(problem.bits, all_bits);
  shape_.method = sort_method(stream.device(), problem.method);
  cpu_ = shape_.method == SortMethod::chunks;
  if (problem.positions) {
    if (problem.position_bytes != 4 && problem.position_bytes != 8)
      refuse(fmt::format("positions have 4 or 8 bytes, not {}", problem.position_bytes));
    check_size("positions", problem.positions, elements, problem.position_bytes);
    shape_.value_bytes = 4;
    shape_.positions = true;
    shape_.wide_positions = problem.position_bytes == 8;
    result_ = problem.positions;
    problem_.values = problem_.keys;  // any buffer: the first pass makes the positions and reads none
    values_offset_ = 0;
  } else if (problem.sorted_values) {
    if (problem.value_bytes < 1 || problem.value_bytes > 16)
      refuse(fmt::format("values have 1 to 16 bytes, not {}", problem.value_bytes));
    if (!problem.values) refuse("there is a buffer for sorted values but none of values");
    check_size("values", problem.values, values_offset_ + elements, problem.value_bytes);
    check_size("sorted_values", problem.sorted_values, elements, problem.value_bytes);
    shape_.value_bytes = problem.value_bytes;
    result_ = problem.sorted_values;
  } else if (problem.values) {
    refuse("there are values but no buffer for them, sorted_values");
  }
}

void Sort::run() {
  if (problem_.rows == 0 || problem_.length == 0) return;
  const std::size_t elements = problem_.rows * problem_.length, key_bytes = size_of(problem_.type);
  if (!problem_.sorted_keys) problem_.sorted_keys = Buffer(stream_, elements * key_bytes);
  problem_.keys = apart_from(stream_, problem_.keys, problem_.sorted_keys);
  if (!shape_.positions) problem_.values = apart_from(stream_, problem_.values, result_);
  const std::size_t units = stream_.device().properties().compute_units;
  const bool short_rows =
      cpu_ ? problem_.rows >= 2 * units || elements <= 8192 : problem_.length <= sort_tile_items(key_bytes);
  if (cpu_ || !short_rows) {
    key_scratch_ = Buffer(stream_, elements * key_bytes);
    if (moves_values()) value_scratch_ = Buffer(stream_, elements * shape_.value_bytes);
  } else {  // one kernel, which needs none
    key_scratch_ = problem_.sorted_keys;
    value_scratch_ = result_;
  }
  shape_.step = short_rows ? SortStep::rows : SortStep::passes;
  shape_.cuda = stream_.device().properties().backend == Backend::cuda && !short_rows;
  shape_.wide_status = shape_.method == SortMethod::onesweep && !short_rows && problem_.length >= std::size_t{1} << 30;
  if (!cpu_) shape_.choose_tile(problem_.length);
  if (!short_rows) {
    if (const std::optional<SortTuning> tuning = tuned_sort(stream_.device(), shape_, problem_.length)) {
      shape_.use(*tuning);
      if (tuning->chunks_per_unit != 0) chunks_per_unit_ = tuning->chunks_per_unit;
    }
  }
  code_ = shape_.key();
  if (cpu_)
    short_rows ? run_rows_by_items() : run_chunks();
  else if (short_rows)
    launch(kernel("radix_tile_rows"), Grid::of(problem_.rows, shape_.group), std::tuple<>(), std::tie(length_));
  else
    shape_.method == SortMethod::onesweep ? run_onesweep() : run_tiles();
}

void Sort::run_rows_by_items() {
  const std::size_t items = std::min<std::size_t>(problem_.rows, 4 * stream_.device().properties().compute_units);
  const Buffer plans(stream_, items * shape_.passes() * sizeof(std::uint32_t));
  const std::uint64_t rows = problem_.rows;
  launch(kernel("radix_rows"), Grid::of(items, 1), std::tuple<>(), std::tie(plans, rows, length_));
}

void Sort::run_chunks() {
  const std::uint32_t chunks = chunks_per_unit_ * stream_.device().properties().compute_units;
  const Buffer counts(stream_, chunks * shape_.passes() * 256 * sizeof(std::uint32_t));
  const Buffer places(stream_, chunks * 256 * sizeof(std::uint32_t));
  const Buffer plans(stream_, shape_.passes() * sizeof(std::uint32_t));
  const Grid all = Grid::of(chunks, 1), one = Grid::of(1, 1);
  for (std::uint64_t row = 0; row < problem_.rows; ++row) {
    raw_launch(kernel("radix_plan_chunks"), stream_, all, problem_.keys, keys_offset_, counts, row, length_);
    raw_launch(kernel("radix_plan"), stream_, one, counts, chunks, plans, length_);
    for (int pass = 0; pass < static_cast<int>(shape_.passes()); ++pass) {
      raw_launch(kernel("radix_count_chunks"), stream_, all, pass, plans, places, problem_.keys, keys_offset_,
                 key_scratch_, problem_.sorted_keys, row, length_);
      raw_launch(kernel("radix_place_chunks"), stream_, one, pass, plans, places, chunks);
      launch(kernel("radix_move_chunks"), all, std::tie(pass, plans, places), std::tie(row, length_));
    }
  }
}

void Sort::count_digits(const Buffer& counts, const Buffer& plans) const {
  // Local memory lets one group of a multiprocessor run at a time, or several smaller ones.
  const std::size_t wanted = (shape_.cuda ? 1 : 4) * stream_.device().properties().compute_units;
  const std::size_t most = std::max<std::size_t>(1, wanted / problem_.rows);
  const auto groups = static_cast<std::uint32_t>(std::clamp<std::size_t>(problem_.length / 8192, 1, most));
  counts.zero(stream_);
  Grid grid = Grid::of(groups * problem_.rows, shape_.count_group());
  grid.dynamic_local_bytes = shape_.count_memory();
  raw_launch(kernel("radix_histogram"), stream_, grid, problem_.keys, keys_offset_, counts, length_, groups);
  raw_launch(kernel("radix_plan"), stream_, Grid::of(problem_.rows, 256), counts, plans, length_);
}

void Sort::run_tiles() {
  const std::size_t rows = problem_.rows, passes = shape_.passes(), tiles = (problem_.length - 1) / shape_.tile() + 1;
  const Buffer counts(stream_, rows * passes * 256 * sizeof(std::uint32_t));
  const Buffer plans(stream_, rows * passes * sizeof(std::uint32_t));
  count_digits(counts, plans);
  const std::size_t wanted = 8 * stream_.device().properties().compute_units;
  const auto blocks = static_cast<std::uint32_t>(std::min(tiles, std::max<std::size_t>(1, wanted / rows)));
  const Buffer places(stream_, rows * 256 * blocks * sizeof(std::uint32_t));
  const Grid grid = Grid::of(rows * blocks, shape_.group);
  for (int pass = 0; pass < static_cast<int>(passes); ++pass) {
    raw_launch(kernel("radix_count_blocks"), stream_, grid, pass, plans, places, problem_.keys, keys_offset_,
               key_scratch_, problem_.sorted_keys, length_, blocks);
    raw_launch(kernel("radix_place_blocks"), stream_, Grid::of(rows * 256, shape_.group), pass, counts, places, blocks);
    launch(kernel("radix_move_blocks"), grid, std::tie(pass, plans, places), std::tie(length_, blocks));
  }
}

void Sort::run_onesweep() {
  const std::size_t rows = problem_.rows, passes = shape_.passes();
  const auto tiles = static_cast<std::uint32_t>((problem_.length - 1) / shape_.tile() + 1);
  const Buffer counts(stream_, rows * passes * 256 * sizeof(std::uint32_t));
  const Buffer plans(stream_, rows * passes * sizeof(std::uint32_t));
  count_digits(counts, plans);
  const Buffer statuses(stream_, rows * tiles * 256 * (shape_.wide_status ? 8 : 4)), ticket(stream_, 4);
  for (int pass = 0; pass < static_cast<int>(passes); ++pass) {
    statuses.zero(stream_);
    ticket.zero(stream_);
    launch(kernel("radix_onesweep"), Grid::of(rows * tiles, shape_.group),
           std::tie(pass, plans, counts, statuses, ticket), std::tie(length_, tiles));
  }
}

}  // namespace

void radix_sort(const Stream& stream, const SortProblem& problem) {
  Sort(stream, problem).run();
}

}  // namespace rtcg
