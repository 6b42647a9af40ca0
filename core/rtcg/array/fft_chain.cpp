#include "rtcg/array/fft_chain.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "rtcg/array/fft_plan.h"
#include "rtcg/error.h"

namespace rtcg::detail {

namespace {

/// Bytes of a work area. On a CPU what one kernel writes for the next stays in the cache; on a GPU the ends of many
/// small launches cost more than that gains (measured on an H200: 2.3 ms in one go, 2.8 ms at best in pieces), and only
/// memory sets the limit.
std::size_t work_bytes(const DeviceProperties& device) {
  return device.kind == DeviceKind::gpu ? std::max<std::size_t>(device.global_memory / 32, std::size_t{64} << 20)
                                        : std::max<std::size_t>(device.cache / 3, std::size_t{4} << 20);
}

std::vector<std::complex<double>> conjugated_for(int sign, std::vector<std::complex<double>> roots) {
  if (sign < 0)
    for (auto& root : roots) root = std::conj(root);
  return roots;
}

/// exp(sign pi i m^2 / n), the chirp that turns a transform into a convolution.
std::vector<std::complex<double>> chirp_of(std::size_t n, int sign) {
  std::vector<std::complex<double>> chirp(n);
  for (std::size_t m = 0; m < n; ++m) chirp[m] = root_of_one(m * m % (2 * n), 2 * n);
  return conjugated_for(sign, std::move(chirp));
}

template <class Real>
Buffer upload(const Stream& stream, const std::vector<std::complex<double>>& values) {
  std::vector<std::complex<Real>> rounded(values.begin(), values.end());
  if (rounded.empty()) rounded.resize(1);
  return Buffer::from(stream, rounded);
}

/// The discrete transform in double on the host, sign -1; a smooth length.
std::vector<std::complex<double>> transformed(std::vector<std::complex<double>> x) {
  const std::size_t n = x.size();
  const std::vector<std::complex<double>> roots = roots_of_one(n);
  std::vector<std::complex<double>> y(n);
  std::size_t done = 1;
  for (const std::size_t r : {2, 3, 5, 7}) {
    for (; n / done % r == 0; done *= r) {
      for (std::size_t b = 0; b < n / r; ++b) {
        const std::size_t q = b / done, k = b % done;
        for (std::size_t t = 0; t < r; ++t) {
          std::complex<double> sum = 0;
          for (std::size_t u = 0; u < r; ++u)
            sum += x[b + u * (n / r)] * std::conj(roots[(u * (k + t * done)) % (done * r) * (n / (done * r))]);
          y[(q * r + t) * done + k] = sum;
        }
      }
      x.swap(y);
    }
  }
  return x;
}

}  // namespace

FftChain::FftChain(const Stream& tables, const FftShape& shape, const FftLayout& layout)
    : tables_(tables),
      properties_(tables.device().properties()),
      shape_(shape),
      layout_(layout),
      sign_(shape.direction == FftDirection::forward ? -1 : 1) {
  properties_.kind = layout.loops == LoopShape::cpu ? DeviceKind::cpu : DeviceKind::gpu;
  const std::size_t n = shape.length;
  if (!is_smooth(n)) {
    add_convolution();
    return;
  }
  FftStage first, last;
  first.sign = sign_;
  first.load_count = last.store_count = static_cast<int>(n);
  last.scaled = true;
  std::size_t length = n;
  // Half as many complex elements do for an even number of reals, while one stage holds them.
  const bool is_paired = shape.kind != FftKind::complex && n % 2 == 0 && n <= longest(Place::input, Place::output);
  if (is_paired) length = n / 2;
  if (shape.kind == FftKind::real_to_complex) {
    first.load = is_paired ? FftLoad::pairs : FftLoad::real;
    last.store = is_paired ? FftStore::unpack : FftStore::complex;
    last.store_count = static_cast<int>(n / 2 + 1);
  } else if (shape.kind == FftKind::complex_to_real) {
    first.load = is_paired ? FftLoad::spectrum : FftLoad::hermitian;
    last.store = is_paired ? FftStore::pairs : FftStore::real;
  }
  if (is_paired) {
    std::vector<std::complex<double>> turns(length + 1);
    for (std::size_t k = 0; k <= length; ++k) turns[k] = root_of_one(k, n);
    turns = conjugated_for(sign_, std::move(turns));
    (shape.kind == FftKind::real_to_complex ? last.store_table : first.load_table) = std::move(turns);
    first.load_count = static_cast<int>(length);
    last.store_count = static_cast<int>(length);
  }
  add_transform(length, first, last, Place::input, Place::output, Place::first_work);
}

void FftChain::add_convolution() {
  const std::size_t n = shape_.length, whole = convolution_length(n);
  const std::vector<std::complex<double>> chirp = chirp_of(n, sign_);
  std::vector<std::complex<double>> filter(whole);
  for (std::size_t m = 0; m < n; ++m) {
    filter[m] = std::conj(chirp[m]) / static_cast<double>(whole);
    if (m > 0) filter[whole - m] = filter[m];
  }
  FftStage first, last;
  first.sign = -1;
  first.load = shape_.kind == FftKind::complex           ? FftLoad::complex
               : shape_.kind == FftKind::real_to_complex ? FftLoad::real
                                                         : FftLoad::hermitian;
  first.load_count = static_cast<int>(n);
  first.load_table = chirp;
  last.store_count = static_cast<int>(whole);
  last.store_table = transformed(std::move(filter));
  add_transform(whole, first, last, Place::input, Place::second_work, Place::first_work);

  FftStage back, result;
  back.sign = 1;
  back.load_count = static_cast<int>(whole);
  result.store = shape_.kind == FftKind::complex_to_real ? FftStore::real : FftStore::complex;
  result.store_count = static_cast<int>(shape_.kind == FftKind::real_to_complex ? n / 2 + 1 : n);
  result.store_table = chirp;
  result.scaled = true;
  add_transform(whole, back, result, Place::second_work, Place::output, Place::first_work);
}

bool FftChain::is_near(Place place) const {
  return place == Place::input    ? layout_.in_near
         : place == Place::output ? layout_.out_near
                                  : layout_.has_inner && (layout_.in_near || layout_.out_near);
}

std::size_t FftChain::longest(Place from, Place to) const {
  return longest_stage(properties_, shape_.double_precision, is_near(from) || is_near(to));
}

void FftChain::add_transform(std::size_t length, const FftStage& first, const FftStage& last, Place from, Place to,
                             Place work) {
  const int n = static_cast<int>(length);
  if (length <= longest(from, to)) {
    FftStage stage = first;
    stage.store = last.store, stage.store_count = last.store_count, stage.store_table = last.store_table;
    stage.scaled = last.scaled;
    stage.length = stage.whole = n;
    add(std::move(stage), from, to);
    return;
  }
  const std::vector<int> factors = stages_of(length, longest_stage(properties_, shape_.double_precision, true));
  if (factors.empty()) throw UsageError(fmt::format("a transform of {} elements does not fall into three stages", n));
  const int n1 = factors[0], n2 = n / n1;
  FftStage stage = first;
  stage.whole = n, stage.length = n1, stage.count = n2;
  stage.in = stage.out = {n2, 0, 1, n2};
  stage.store_count = n;
  stage.turn_order = n;
  add(std::move(stage), from, work);

  FftStage inside;
  inside.sign = first.sign;
  inside.whole = inside.load_count = inside.store_count = n;
  if (factors.size() == 2) {
    inside.length = n2, inside.count = n1;
    inside.in = {n1, 0, n2, 1};
    inside.out = {n1, 0, 1, n1};
  } else {
    const int a = factors[1], b = factors[2];
    FftStage middle = inside;
    middle.length = a, middle.count = n1 * b;
    middle.in = middle.out = {b, n2, 1, b};
    middle.turn_order = n2;
    add(std::move(middle), work, work);
    inside.length = b, inside.count = n1 * a;
    inside.in = {n1, b, n2, 1};
    inside.out = {n1 * a, 0, 1, n1 * a};
  }
  inside.store = last.store, inside.store_count = last.store_count, inside.store_table = last.store_table;
  inside.scaled = last.scaled;
  add(std::move(inside), work, to);
}

void FftChain::add(FftStage stage, Place from, Place to) {
  stage.double_precision = shape_.double_precision;
  stage.has_inner = layout_.has_inner;
  stage.wide = layout_.wide;
  stage.in_unit = from == Place::input ? layout_.in_unit : !is_near(from);
  stage.out_unit = to == Place::output ? layout_.out_unit : !is_near(to);
  // Neighbouring lines are those of the next inner row, else of the next part of the row, else of the next row.
  const auto by_lines = [&](Place place, const FftPlace& lines) {
    return layout_.has_inner || stage.count == 1 ? is_near(place) : lines.minor < lines.step;
  };
  stage.in_by_lines = by_lines(from, stage.in);
  stage.out_by_lines = by_lines(to, stage.out);
  for (const Place place : {from, to}) {
    if (place != Place::first_work && place != Place::second_work) continue;
    uses_work_[place == Place::second_work] = true;
    work_length_ = std::max(work_length_, static_cast<std::size_t>(stage.whole));
  }
  FftTile tile = tile_of(properties_, stage);
  const std::vector<std::complex<double>> tables = tables_of(stage, tile);
  links_.push_back({stage, tile, from, to,
                    shape_.double_precision ? upload<double>(tables_, tables) : upload<float>(tables_, tables),
                    compile(tables_.device(), source_of(properties_, stage, tile)).kernel("fft_stage")});
  links_.back().stage.load_table.clear(), links_.back().stage.store_table.clear();
}

void FftChain::launch(const Link& link, const Stream& stream, const FftRows& from, const FftRows& to, std::size_t outer,
                      std::size_t inner, double scale) const {
  const std::uint64_t lines = outer * inner * static_cast<std::uint64_t>(link.stage.count);
  const std::size_t groups = (lines - 1) / static_cast<std::size_t>(link.tile.lines) + 1;
  const bool cpu = properties_.kind != DeviceKind::gpu;
  Grid grid =
      cpu ? Grid::of(std::min<std::size_t>(groups, std::size_t{4} * properties_.compute_units), 1)
          : Grid::of(groups, static_cast<std::size_t>(link.tile.lines) * static_cast<std::size_t>(link.tile.threads));
  grid.dynamic_local_bytes = static_cast<std::uint32_t>(link.tile.dynamic_bytes);
  const auto go = [&](auto typed_scale) {
    (*link.kernel)(stream, grid, from.buffer, to.buffer, link.tables, lines, static_cast<std::uint64_t>(inner),
                   from.offset, from.outer, from.inner, from.step, to.offset, to.outer, to.inner, to.step, typed_scale);
  };
  if (shape_.double_precision)
    go(scale);
  else
    go(static_cast<float>(scale));
}

void FftChain::operator()(const Stream& stream, const FftRows& input, const FftRows& output, std::size_t outer,
                          std::size_t inner, double scale) const {
  if (work_length_ == 0) {
    launch(links_.front(), stream, input, output, outer, inner, scale);
    return;
  }
  const std::size_t element = 2 * (shape_.double_precision ? sizeof(double) : sizeof(float));
  const std::size_t rows = std::max<std::size_t>(1, work_bytes(properties_) / (work_length_ * element));
  const std::size_t inner_step = inner <= rows ? inner : std::min(inner, (rows + 31) / 32 * 32);
  const std::size_t outer_step = std::min(outer, std::max<std::size_t>(1, rows / inner));
  const bool near = is_near(Place::first_work);
  FftRows work[2];
  for (int area = 0; area < 2; ++area) {
    if (!uses_work_[area]) continue;
    const std::size_t count = outer_step * inner_step * work_length_;
    work[area].buffer = shape_.double_precision ? Buffer::of<std::complex<double>>(stream, count)
                                                : Buffer::of<std::complex<float>>(stream, count);
  }
  for (std::size_t o = 0; o < outer; o += outer_step) {
    for (std::size_t i = 0; i < inner; i += inner_step) {
      const std::size_t outer_rows = std::min(outer_step, outer - o), inner_rows = std::min(inner_step, inner - i);
      const auto length = static_cast<std::int64_t>(work_length_), width = static_cast<std::int64_t>(inner_rows);
      for (FftRows& area : work) {
        area.outer = width * length;
        area.step = near ? width : 1;
        area.inner = near ? 1 : length;
      }
      const auto place_of = [&](Place place) {
        if (place == Place::first_work) return work[0];
        if (place == Place::second_work) return work[1];
        FftRows rows_here = place == Place::input ? input : output;
        rows_here.offset +=
            static_cast<std::int64_t>(o) * rows_here.outer + static_cast<std::int64_t>(i) * rows_here.inner;
        return rows_here;
      };
      for (const Link& link : links_)
        launch(link, stream, place_of(link.from), place_of(link.to), outer_rows, inner_rows, scale);
    }
  }
}

}  // namespace rtcg::detail
