#include "rtcg/array/histogram.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "rtcg/array/kernel_table.h"
#include "rtcg/array/loop_shape.h"
#include "rtcg/array/raw_launch.h"
#include "rtcg/compile/template.h"
#include "rtcg/error.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

using Bins = HistogramProblem::Bins;

constexpr std::size_t most_bins = std::size_t{1} << 24;
constexpr std::size_t local_counters = 8192;                // 32 KiB a group, so that several share a multiprocessor
constexpr std::size_t most_at_once = std::size_t{1} << 31;  // samples whose counts surely fit 32 bits

[[noreturn]] void refuse(const std::string& what) {
  throw UsageError("histogram: " + what);
}

struct HistogramShape {
  ScalarType type = ScalarType::unknown;
  Bins kind = Bins::uniform;
  bool all_bytes = false, cpu = false;
  std::size_t group = 0;
  std::size_t capacity = 0;  ///< counters in local memory, 0: too many for it

  std::string key() const {
    return fmt::format("{} {}{}{} {} {}", name_of(type), static_cast<int>(kind), all_bytes, cpu, group, capacity);
  }
  std::size_t copies() const {
    if (cpu) return capacity <= 4096 ? 4 : 1;
    return capacity == 0 ? 1 : std::min<std::size_t>(32, local_counters / capacity);
  }
};

constexpr std::size_t loads = 2;

Source source_of(const HistogramShape& shape) {
  const std::string compared = name_of(edge_type(shape.type));
  const TemplateValues values{
      {"sample", shape.type == ScalarType::boolean ? "uchar" : name_of(shape.type)},
      {"sample_bytes", size_of(shape.type)},
      {"value", shape.kind != Bins::whole       ? compared
                : shape.type == ScalarType::u64 ? "ulong"
                                                : "long"},
      {"capacity", shape.capacity},
      {"copies", shape.copies()},
      {"how", shape.kind == Bins::uniform ? "uniform"
              : shape.kind == Bins::edges ? "edges"
              : shape.all_bytes           ? "bytes"
                                          : "whole"},
      {"cpu", shape.cpu},
      {"group", shape.group},
      {"loads", loads},
  };
  return Source("histogram.cl", render(kernels::histogram_cl, values, "histogram.cl"));
}

void check(const HistogramProblem& problem) {
  const std::size_t bytes = size_of(problem.type);
  if (bytes == 0 || problem.type == ScalarType::c64 || problem.type == ScalarType::c128)
    refuse(fmt::format("samples of type {} have no order; real types have", name_of(problem.type)));
  if (problem.bins < 1 || problem.bins > most_bins)
    refuse(fmt::format("{} bins; 1 to {} are possible", problem.bins, most_bins));
  if (problem.count_bytes != 4 && problem.count_bytes != 8)
    refuse(fmt::format("counts have 4 or 8 bytes, not {}", problem.count_bytes));
  if (problem.count_bytes == 4 && problem.count > std::numeric_limits<std::uint32_t>::max())
    refuse(fmt::format("{} samples can overflow counts of 32 bits; use count_bytes = 8", problem.count));
  if (problem.counts.bytes() / problem.count_bytes < problem.bins)
    refuse(fmt::format("counts must hold {} numbers of {} bytes, not {} bytes", problem.bins, problem.count_bytes,
                       problem.counts.bytes()));
  const std::size_t held = problem.samples.bytes() / bytes;
  if (problem.offset > held || problem.count > held - problem.offset)
    refuse(fmt::format("samples {} to {} are not within a buffer of {}", problem.offset, problem.offset + problem.count,
                       held));
  if (problem.kind == Bins::uniform &&
      !(std::isfinite(problem.low) && std::isfinite(problem.high) && problem.low < problem.high))
    refuse(fmt::format("the bounds must be finite and ascending, not {} and {}", problem.low, problem.high));
  if (problem.kind == Bins::edges && problem.edges.bytes() / size_of(edge_type(problem.type)) < problem.bins + 1)
    refuse(fmt::format("{} bins need {} edges of type {}, not {} bytes", problem.bins, problem.bins + 1,
                       name_of(edge_type(problem.type)), problem.edges.bytes()));
  if (problem.kind == Bins::whole &&
      (problem.type == ScalarType::f16 || problem.type == ScalarType::f32 || problem.type == ScalarType::f64))
    refuse(fmt::format("bins of whole numbers need integers, not {}", name_of(problem.type)));
}

/// Launches with what describes the bins appended.
template <class... Arguments>
void launch_with_bins(const HistogramProblem& problem, const Kernel& kernel, const Stream& stream, const Grid& grid,
                      const Arguments&... arguments) {
  const int bins = static_cast<int>(problem.bins);
  const auto uniform = [&]<class Real>(Real) {
    const double step = (problem.high - problem.low) / bins;
    const Real first = static_cast<Real>(problem.low), last = static_cast<Real>(problem.high);
    const double scale = bins / (problem.high - problem.low), shift = -problem.low * scale - 0.5;
    // Roundings of scale, shift, their use, the bounds and the edges, each at most half an epsilon of these numbers.
    const double largest = std::max(std::abs(problem.low), std::abs(problem.high)) * scale + bins;
    const double bound = 4 * std::numeric_limits<Real>::epsilon() * largest;
    // -1: no product can be trusted, as it may not even be finite.
    const bool usable = bound < 0.5 && scale < std::numeric_limits<Real>::max();
    raw_launch(kernel, stream, grid, arguments..., problem.low, step, first, last,
               static_cast<Real>(usable ? scale : 0), static_cast<Real>(usable ? shift : 0),
               static_cast<Real>(usable ? 0.5 - bound : -1), bins);
  };
  switch (problem.kind) {
    case Bins::uniform:
      return edge_type(problem.type) == ScalarType::f32 ? uniform(float{}) : uniform(double{});
    case Bins::edges:
      return raw_launch(kernel, stream, grid, arguments..., problem.edges, bins);
    case Bins::whole:
      if (problem.type == ScalarType::u64)
        return raw_launch(kernel, stream, grid, arguments..., static_cast<std::uint64_t>(problem.first), bins);
      return raw_launch(kernel, stream, grid, arguments..., problem.first, bins);
  }
}

}  // namespace

ScalarType edge_type(ScalarType samples) {
  switch (samples) {
    case ScalarType::i32:
    case ScalarType::u32:
    case ScalarType::i64:
    case ScalarType::u64:
    case ScalarType::f64:
      return ScalarType::f64;
    default:
      return ScalarType::f32;
  }
}

void histogram(const Stream& stream, const HistogramProblem& problem) {
  check(problem);
  const DeviceProperties& device = stream.device().properties();
  HistogramShape shape{problem.type, problem.kind};
  shape.cpu = loop_shape(stream.device()) == LoopShape::cpu;
  // Two such groups fill a multiprocessor, as far as its local memory goes, too.
  shape.group = std::min(1024u, device.max_work_group);
  shape.all_bytes =
      problem.kind == Bins::whole && problem.type == ScalarType::u8 && problem.first == 0 && problem.bins == 256;
  shape.capacity = 256;
  while (shape.capacity < problem.bins) shape.capacity *= 2;
  if (!shape.cpu && shape.capacity > local_counters) shape.capacity = 0;
  const std::string code = shape.key();
  const auto kernel = [&](const char* name) -> const Kernel& {
    return cached_kernel(stream.device(), name, code, [&] { return std::pair(source_of(shape), std::string(name)); });
  };

  const bool wide = problem.count_bytes == 8;
  const Buffer counts = wide ? Buffer(stream, problem.bins * sizeof(std::uint32_t))
                             : problem.counts.slice(0, problem.bins * sizeof(std::uint32_t));
  const std::size_t chunks = 4 * device.compute_units;
  const Buffer room =
      shape.cpu ? Buffer(stream, chunks * problem.bins * shape.copies() * sizeof(std::uint32_t)) : Buffer();
  std::size_t done = 0;
  do {
    const std::uint64_t offset = problem.offset + done,
                        count = wide ? std::min(problem.count - done, most_at_once) : problem.count;
    counts.zero(stream);
    if (shape.cpu) {
      launch_with_bins(problem, kernel("histogram"), stream, Grid::of(chunks, 1), problem.samples, offset, count,
                       counts, room);
    } else {
      const std::size_t per_group = shape.group * loads * 16 / size_of(problem.type), most = 2 * device.compute_units;
      const std::size_t groups = std::clamp<std::size_t>(count / per_group, 1, most);
      launch_with_bins(problem, kernel("histogram"), stream, Grid::of(groups, shape.group), problem.samples, offset,
                       count, counts);
    }
    if (wide)
      raw_launch(kernel("add_counts"), stream, Grid::over(problem.bins), counts, problem.counts,
                 static_cast<int>(problem.bins), static_cast<int>(done == 0));
    done += count;
  } while (done < problem.count);
}

}  // namespace rtcg
