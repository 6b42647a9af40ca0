#include "rtcg/array/fourier.h"

#include <fmt/format.h>

#include <cmath>
#include <list>
#include <mutex>
#include <numeric>

#include "rtcg/array/fft.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

/// Plans used last, by device and shape; enough for a program's working set, few enough that their tables stay small.
Fft plan(const Device& device, const FftShape& shape) {
  constexpr std::size_t most_plans = 64;
  struct Table {
    std::mutex mutex;
    std::list<std::pair<const Driver*, Fft>> plans;  ///< the last used first
  };
  static Table* table = new Table;  // its buffers may outlive other objects at exit
  const std::lock_guard lock(table->mutex);
  for (auto entry = table->plans.begin(); entry != table->plans.end(); ++entry) {
    if (entry->first != &device.driver() || entry->second.shape() != shape) continue;
    table->plans.splice(table->plans.begin(), table->plans, entry);
    return entry->second;
  }
  table->plans.emplace_front(&device.driver(), Fft(device, shape));
  if (table->plans.size() > most_plans) table->plans.pop_back();
  return table->plans.front().second;
}

/// Rows along an axis of two arrays that agree in all other axes, which are merged into at most two dimensions.
struct Rows {
  FftRows in, out;
  std::int64_t outer = 1, inner = 1;
  bool fits = true;
};

Rows rows_of(const Array& in, const Array& out, int axis) {
  struct Dimension {
    std::int64_t extent, in, out;
  };
  std::vector<Dimension> dimensions;
  for (int d = in.dimensions() - 1; d >= 0; --d) {
    if (d == axis || in.shape()[d] == 1) continue;
    if (!dimensions.empty()) {
      Dimension& last = dimensions.back();
      if (in.strides()[d] == last.extent * last.in && out.strides()[d] == last.extent * last.out) {
        last.extent *= in.shape()[d];
        continue;
      }
    }
    dimensions.push_back({in.shape()[d], in.strides()[d], out.strides()[d]});
  }
  Rows rows{{in.buffer(), in.offset(), in.strides()[axis], 0, 0},
            {out.buffer(), out.offset(), out.strides()[axis], 0, 0}};
  rows.fits = dimensions.size() <= 2;
  if (!dimensions.empty()) {
    rows.inner = dimensions[0].extent;
    rows.in.inner = dimensions[0].in, rows.out.inner = dimensions[0].out;
  }
  if (dimensions.size() > 1) {
    rows.outer = dimensions[1].extent;
    rows.in.outer = dimensions[1].in, rows.out.outer = dimensions[1].out;
  }
  return rows;
}

double scale_of(std::int64_t n, FftDirection direction, FftNorm norm) {
  const auto length = static_cast<double>(n);
  if (norm == FftNorm::ortho) return 1 / std::sqrt(length);
  return (norm == FftNorm::backward) == (direction == FftDirection::inverse) ? 1 / length : 1;
}

/// Cuts an axis, or fills it up with zeros.
Array resized(const Array& x, int axis, std::int64_t length) {
  const std::int64_t extent = x.shape()[axis];
  if (extent == length) return x;
  std::vector<Index> part(static_cast<std::size_t>(axis), all_of);
  part.emplace_back(Slice{0, std::min(extent, length)});
  if (length < extent) return x.at(part);
  Shape shape = x.shape();
  shape[axis] = length;
  Array filled = Array::zeros(x.stream(), shape, x.dtype());
  filled.at(part).assign(x);
  return filled;
}

void transform(const Array& in, const Array& out, int axis, FftKind kind, FftDirection direction, FftNorm norm) {
  const std::int64_t length = kind == FftKind::complex_to_real ? out.shape()[axis] : in.shape()[axis];
  if (out.size() == 0) return;
  Rows rows = rows_of(in, out, axis);
  const Array packed = rows.fits ? in : in.copy();
  if (!rows.fits) rows = rows_of(packed, out, axis);
  const bool is_double = out.dtype() == Dtype::f64 || out.dtype() == Dtype::c128;
  const Fft fft = plan(in.device(), {static_cast<std::size_t>(length), direction, is_double, kind});
  fft(in.stream(), rows.in, rows.out, static_cast<std::size_t>(rows.outer), static_cast<std::size_t>(rows.inner),
      scale_of(length, direction, norm));
}

int checked_axis(const char* function, const Expression& x, int axis, std::int64_t length) {
  const int normalized = normalized_axis(axis, x.shape().size());
  if (length < 1)
    throw UsageError(fmt::format("{} along axis {} of shape {}: length {} is not positive", function, axis,
                                 to_string(x.shape()), length));
  return normalized;
}

/// The array itself where it is one of the type already.
Array materialised(const Expression& x, Dtype type) {
  if (x.dtype() != type) return x.astype(type);
  return x.node()->op == Op::array ? as_array(x.node()) : Array(x);
}

Array complex_transform(const char* function, const Expression& x, int axis, std::optional<std::int64_t> length,
                        FftDirection direction, FftNorm norm) {
  const std::int64_t n = length.value_or(x.shape()[normalized_axis(axis, x.shape().size())]);
  axis = checked_axis(function, x, axis, n);
  const Array in = resized(materialised(x, complex_of(x.dtype())), axis, n);
  const Array out = Array::empty(in.stream(), in.shape(), in.dtype());
  transform(in, out, axis, FftKind::complex, direction, norm);
  return out;
}

Array complex_transform(const Expression& x, std::span<const int> axes, FftDirection direction, FftNorm norm) {
  std::vector<int> all(static_cast<std::size_t>(x.shape().size()));
  std::iota(all.begin(), all.end(), 0);
  if (axes.empty()) axes = all;
  if (axes.empty()) return materialised(x, complex_of(x.dtype()));
  const char* function = direction == FftDirection::forward ? "fftn" : "ifftn";
  Array result = complex_transform(function, x, axes.back(), {}, direction, norm);
  for (std::size_t i = axes.size() - 1; i-- > 0;) {
    const int axis = checked_axis(function, x, axes[i], x.shape()[normalized_axis(axes[i], x.shape().size())]);
    transform(result, result, axis, FftKind::complex, direction, norm);
  }
  return result;
}

Expression shifted(const Expression& x, std::span<const int> axes, bool back) {
  std::vector<bool> is_shifted(static_cast<std::size_t>(x.shape().size()), axes.empty());
  for (const int axis : axes) is_shifted[static_cast<std::size_t>(normalized_axis(axis, x.shape().size()))] = true;
  if (x.size() == 0 || x.shape().empty()) return x;
  const Strides strides = contiguous_strides(x.shape());
  std::optional<Expression> position;
  for (int d = 0; d < x.shape().size(); ++d) {
    const std::int64_t n = x.shape()[d];
    Expression along = index_along(x.shape(), d);
    if (is_shifted[static_cast<std::size_t>(d)] && n > 1) {
      const std::int64_t shift = back ? n - n / 2 : n / 2;
      along = where(along < shift, along + (n - shift), along - shift);
    }
    along = along * strides[d];
    position = position ? *position + along : along;
  }
  return take(x, *position);
}

}  // namespace

Array fft(const Expression& x, int axis, std::optional<std::int64_t> length, FftNorm norm) {
  return complex_transform("fft", x, axis, length, FftDirection::forward, norm);
}
Array ifft(const Expression& x, int axis, std::optional<std::int64_t> length, FftNorm norm) {
  return complex_transform("ifft", x, axis, length, FftDirection::inverse, norm);
}

Array rfft(const Expression& x, int axis, std::optional<std::int64_t> length, FftNorm norm) {
  if (is_complex(x.dtype())) throw UsageError(fmt::format("rfft of {}: it takes real numbers", dtype_name(x.dtype())));
  const std::int64_t n = length.value_or(x.shape()[normalized_axis(axis, x.shape().size())]);
  axis = checked_axis("rfft", x, axis, n);
  const Dtype complex = complex_of(x.dtype());
  const Array in = resized(materialised(x, real_of(complex)), axis, n);
  Shape shape = in.shape();
  shape[axis] = n / 2 + 1;
  const Array out = Array::empty(in.stream(), shape, complex);
  transform(in, out, axis, FftKind::real_to_complex, FftDirection::forward, norm);
  return out;
}

Array irfft(const Expression& x, int axis, std::optional<std::int64_t> length, FftNorm norm) {
  const std::int64_t n = length.value_or(2 * (x.shape()[normalized_axis(axis, x.shape().size())] - 1));
  axis = checked_axis("irfft", x, axis, n);
  const Dtype complex = complex_of(x.dtype());
  const Array in = resized(materialised(x, complex), axis, n / 2 + 1);
  Shape shape = in.shape();
  shape[axis] = n;
  const Array out = Array::empty(in.stream(), shape, real_of(complex));
  transform(in, out, axis, FftKind::complex_to_real, FftDirection::inverse, norm);
  return out;
}

Array fftn(const Expression& x, std::span<const int> axes, FftNorm norm) {
  return complex_transform(x, axes, FftDirection::forward, norm);
}
Array ifftn(const Expression& x, std::span<const int> axes, FftNorm norm) {
  return complex_transform(x, axes, FftDirection::inverse, norm);
}

Array fftfreq(const Stream& stream, std::int64_t n, double spacing, Dtype type) {
  if (n < 1) throw UsageError(fmt::format("fftfreq of {} elements: it takes at least one", n));
  const Expression i = indices({n});
  return ((where(i < (n + 1) / 2, i, i - n)).astype(type) * (1 / (static_cast<double>(n) * spacing))).evaluate(stream);
}
Array rfftfreq(const Stream& stream, std::int64_t n, double spacing, Dtype type) {
  if (n < 1) throw UsageError(fmt::format("rfftfreq of {} elements: it takes at least one", n));
  return (indices({n / 2 + 1}).astype(type) * (1 / (static_cast<double>(n) * spacing))).evaluate(stream);
}

Expression fftshift(const Expression& x, std::span<const int> axes) {
  return shifted(x, axes, false);
}
Expression ifftshift(const Expression& x, std::span<const int> axes) {
  return shifted(x, axes, true);
}

}  // namespace rtcg
