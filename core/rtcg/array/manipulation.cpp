#include "rtcg/array/manipulation.h"

#include <fmt/format.h>

#include "rtcg/array/evaluate.h"
#include "rtcg/array/index_check.h"
#include "rtcg/array/scatter.h"

namespace rtcg {
namespace {

Expression index_with(const Shape& shape, const Strides& strides) {
  return Expression(NodePtr(std::make_shared<IndexNode>(shape, strides)));
}

/// The part [first, first + count) along an axis.
Array part_of(const Array& array, int axis, std::int64_t first, std::int64_t count) {
  std::vector<Index> indices(static_cast<std::size_t>(axis), Index(all_of));
  indices.emplace_back(Slice{first, first + count});
  return array.at(indices);
}

Stream stream_for(const char* what, std::span<const Expression> expressions) {
  if (const auto stream = stream_of(expressions)) return *stream;
  throw UsageError(fmt::format("{}: no array among the operands, so there is no stream to run on", what));
}

/// x[..., along, ...] for a result of this shape: `along`, of that shape, gives the place on the axis, the other
/// dimensions are x's own.
Expression pick(const Expression& x, const Shape& shape, int axis, const Expression& along) {
  Strides strides = contiguous_strides(x.shape());
  const std::int64_t step = strides[axis];
  strides[axis] = 0;
  return take(x, index_with(shape, strides) + along * step);
}

void check_matrix(const char* what, const Shape& shape) {
  if (shape.size() < 2)
    throw UsageError(fmt::format("{}: two dimensions are needed, the shape is {}", what, to_string(shape)));
}

/// Column minus row, over the last two dimensions.
Expression off_diagonal(const Shape& shape) {
  Strides strides = Dims::filled(shape.size(), 0);
  strides[shape.size() - 2] = -1;
  strides[shape.size() - 1] = 1;
  return index_with(shape, strides);
}

}  // namespace

Array concatenate(std::span<const Expression> parts, int axis) {
  if (parts.empty()) throw UsageError("concatenate: no arrays");
  Shape shape = parts[0].shape();
  Dtype type = parts[0].dtype();
  const int d = normalized_axis(axis, shape.size());
  for (const Expression& part : parts.subspan(1)) {
    Shape expected = shape;
    if (part.shape().size() == shape.size()) expected[d] = part.shape()[d];
    if (!(part.shape() == expected))
      throw UsageError(fmt::format("concatenate: shapes {} and {} differ elsewhere than along axis {}",
                                   to_string(parts[0].shape()), to_string(part.shape()), d));
    if (__builtin_add_overflow(shape[d], part.shape()[d], &shape[d]))
      throw UsageError("concatenate: more than 2^63 - 1 elements along the axis");
    type = promote(type, part.dtype());
  }
  const Array result = Array::empty(stream_for("concatenate", parts), shape, type);
  std::int64_t first = 0;
  for (const Expression& part : parts) {
    const std::int64_t count = part.shape()[d];
    if (part.size() != 0) evaluate_into(part_of(result, d, first, count), part);
    first += count;
  }
  return result;
}

Array stack(std::span<const Expression> parts, int axis) {
  if (parts.empty()) throw UsageError("stack: no arrays");
  Shape shape = parts[0].shape();
  Dtype type = parts[0].dtype();
  for (const Expression& part : parts.subspan(1)) {
    if (!(part.shape() == shape))
      throw UsageError(fmt::format("stack: shapes {} and {} differ", to_string(shape), to_string(part.shape())));
    type = promote(type, part.dtype());
  }
  const int d = normalized_axis(axis, shape.size() + 1);
  shape.insert(d, static_cast<std::int64_t>(parts.size()));
  const Array result = Array::empty(stream_for("stack", parts), shape, type);
  std::vector<Index> place(static_cast<std::size_t>(d), Index(all_of));
  place.emplace_back(std::int64_t{0});
  for (std::size_t k = 0; k < parts.size(); ++k) {
    place.back() = static_cast<std::int64_t>(k);
    if (parts[k].size() != 0) evaluate_into(result.at(place), parts[k]);
  }
  return result;
}

std::vector<Array> split(const Array& array, std::int64_t parts, int axis) {
  const int d = normalized_axis(axis, array.dimensions());
  const std::int64_t extent = array.shape()[d];
  if (parts < 1 || extent % parts != 0)
    throw UsageError(fmt::format("split: {} equal parts of an extent of {}", parts, extent));
  std::vector<Array> result;
  for (std::int64_t k = 0; k < parts; ++k) result.push_back(part_of(array, d, k * (extent / parts), extent / parts));
  return result;
}

std::vector<Array> split(const Array& array, std::span<const std::int64_t> positions, int axis) {
  const int d = normalized_axis(axis, array.dimensions());
  const std::int64_t extent = array.shape()[d];
  std::vector<Array> result;
  std::int64_t first = 0;
  for (std::size_t k = 0; k <= positions.size(); ++k) {
    const std::int64_t end = k < positions.size() ? positions[k] : extent;
    if (end < first || end > extent)
      throw UsageError(fmt::format("split: position {} after {} in an extent of {}", end, first, extent));
    result.push_back(part_of(array, d, first, end - first));
    first = end;
  }
  return result;
}

Expression repeat(const Expression& x, std::int64_t count, int axis) {
  const int d = normalized_axis(axis, x.shape().size());
  Shape shape = x.shape();
  if (count < 0 || __builtin_mul_overflow(shape[d], count, &shape[d]))
    throw UsageError(fmt::format("repeat: {} times an extent of {}", count, x.shape()[d]));
  element_count(shape);
  if (count <= 1) return count == 1 ? x : x.broadcast_to(shape);
  return pick(x, shape, d, floor_divide(index_along(shape, d), count));
}

Expression tile(const Expression& x, std::span<const std::int64_t> counts) {
  if (counts.size() != static_cast<std::size_t>(x.shape().size()))
    throw UsageError(fmt::format("tile: {} counts for shape {}", counts.size(), to_string(x.shape())));
  Shape shape = x.shape();
  Expression place = 0;
  const Strides strides = contiguous_strides(x.shape());
  for (int d = 0; d < shape.size(); ++d)
    if (counts[static_cast<std::size_t>(d)] < 0 ||
        __builtin_mul_overflow(shape[d], counts[static_cast<std::size_t>(d)], &shape[d]))
      throw UsageError(
          fmt::format("tile: {} times an extent of {}", counts[static_cast<std::size_t>(d)], x.shape()[d]));
  if (element_count(shape) == 0) return take(Expression(Scalar(0).as(x.dtype()), false), indices(shape));
  for (int d = 0; d < shape.size(); ++d) {
    const Expression along = index_along(shape, d);
    place = place + (shape[d] == x.shape()[d] ? along : along % x.shape()[d]) * strides[d];
  }
  return take(x, place);
}

Expression roll(const Expression& x, std::int64_t shift, int axis) {
  const int d = normalized_axis(axis, x.shape().size());
  const std::int64_t extent = x.shape()[d];
  if (x.size() == 0) return x;
  const std::int64_t by = (shift % extent + extent) % extent;
  if (by == 0) return x;
  const Expression along = index_along(x.shape(), d);
  return pick(x, x.shape(), d, where(along < by, along + (extent - by), along - by));
}

Expression pad(const Expression& x, std::span<const PadWidth> widths, PadMode mode, const Scalar& value) {
  const Shape& from = x.shape();
  if (widths.size() != static_cast<std::size_t>(from.size()))
    throw UsageError(fmt::format("pad: {} widths for shape {}", widths.size(), to_string(from)));
  Shape shape = from;
  for (int d = 0; d < from.size(); ++d) {
    const PadWidth& width = widths[static_cast<std::size_t>(d)];
    const std::int64_t most = mode == PadMode::reflect ? from[d] - 1 : mode == PadMode::wrap ? from[d] : INT64_MAX;
    if (width.before < 0 || width.after < 0 || width.before > most || width.after > most ||
        (mode == PadMode::edge && from[d] == 0 && width.before + width.after > 0) ||
        __builtin_add_overflow(shape[d], width.before, &shape[d]) ||
        __builtin_add_overflow(shape[d], width.after, &shape[d]))
      throw UsageError(fmt::format("pad: {} before and {} after an extent of {} along axis {}", width.before,
                                   width.after, from[d], d));
  }
  if (element_count(shape) == 0) return x;
  const Expression fill(value.as(x.dtype()), false);
  if (x.size() == 0) return fill.broadcast_to(shape);
  const Strides strides = contiguous_strides(from);
  Expression place = 0, inside = true;
  for (int d = 0; d < from.size(); ++d) {
    const PadWidth& width = widths[static_cast<std::size_t>(d)];
    Expression i = index_along(shape, d) - width.before;
    if (width.before != 0 || width.after != 0) {
      const std::int64_t last = from[d] - 1;
      if (mode == PadMode::constant) inside = inside && i >= 0 && i <= last;
      if (mode == PadMode::constant || mode == PadMode::edge) i = clip(i, 0, last);
      if (mode == PadMode::reflect) i = last - abs(last - abs(i));
      if (mode == PadMode::wrap) i = (i + from[d]) % from[d];
    }
    place = place + i * strides[d];
  }
  const Expression picked = take(x, place);
  return mode == PadMode::constant ? where(inside, picked, fill) : picked;
}

Expression take(const Expression& source, const Array& index, int axis) {
  const Shape& from = source.shape();
  const int d = normalized_axis(axis, from.size());
  if (!is_integer(index.dtype()))
    throw UsageError(fmt::format("take: the index is {}; it must be an integer type", dtype_name(index.dtype())));
  // The index stands where the axis was; as a view of the result's shape it has stride 0 along the rest.
  Shape shape;
  Strides from_index, own;
  const Strides strides = contiguous_strides(from);
  const auto add = [&](std::int64_t extent, std::int64_t index_stride, std::int64_t own_stride) {
    shape.push_back(extent), from_index.push_back(index_stride), own.push_back(own_stride);
  };
  for (int k = 0; k < d; ++k) add(from[k], 0, strides[k]);
  for (int k = 0; k < index.dimensions(); ++k) add(index.shape()[k], index.strides()[k], 0);
  for (int k = d + 1; k < from.size(); ++k) add(from[k], 0, strides[k]);
  if (index.size() == 0) return Array::empty(index.stream(), shape, source.dtype());
  if (from[d] == 0) throw UsageError("take: indices into an axis without elements");
  check_indices("take", index.stream(), index, from[d]);
  const Array wide(index.buffer(), index.dtype(), shape, from_index, index.offset());
  const Expression place = Expression(wide).astype(Dtype::i64);
  const Expression along = clip(where(place < 0, place + from[d], place), 0, from[d] - 1);
  return take(source, index_with(shape, own) + along * strides[d]);
}

Expression take_along(const Expression& source, const Expression& index, int axis) {
  const Shape& from = source.shape();
  const int d = normalized_axis(axis, from.size());
  Shape expected = from;
  if (index.shape().size() == from.size()) expected[d] = index.shape()[d];
  if (!(index.shape() == expected))
    throw UsageError(fmt::format("take_along: the index of shape {} differs from {} elsewhere than along axis {}",
                                 to_string(index.shape()), to_string(from), d));
  if (!is_integer(index.dtype()))
    throw UsageError(fmt::format("take_along: the index is {}; it must be an integer type", dtype_name(index.dtype())));
  if (from[d] == 0 && index.size() != 0) throw UsageError("take_along: indices into an axis without elements");
  if (is_checked()) {
    const Expression operands[] = {index, source};
    check_indices("take_along", stream_for("take_along", operands), index, from[d]);
  }
  const Expression place = index.astype(Dtype::i64);
  const Expression along = clip(where(place < 0, place + from[d], place), 0, from[d] - 1);
  return pick(source, index.shape(), d, along);
}

void put(const Array& target, const Expression& index, const Expression& values) {
  if (!is_integer(index.dtype()))
    throw UsageError(fmt::format("put: the index is {}; it must be an integer type", dtype_name(index.dtype())));
  if (!(broadcast(values.shape(), index.shape()) == index.shape()))
    throw UsageError(fmt::format("put: values of shape {} for an index of shape {}", to_string(values.shape()),
                                 to_string(index.shape())));
  if (index.size() == 0) return;
  const Stream& stream = target.stream();
  check_indices("put", stream, index, target.size());
  if (target.size() == 0) return;
  // Both as they are before the first write, should they read the target.
  const Array places = index.evaluate(stream), written = values.broadcast_to(index.shape()).evaluate(stream);
  const Array flat = target.contiguous().ravel();
  scatter_into(stream, flat, written, places);
  if (!target.is_contiguous()) evaluate_into(target, flat.reshape(target.shape()));
}

Array diagonal(const Array& matrix, std::int64_t k) {
  if (matrix.dimensions() != 2)
    throw UsageError(fmt::format("diagonal: a matrix is needed, the shape is {}", to_string(matrix.shape())));
  const std::int64_t row = std::max<std::int64_t>(-k, 0), column = std::max<std::int64_t>(k, 0);
  const std::int64_t count = std::min(matrix.shape()[0] - row, matrix.shape()[1] - column);
  if (count <= 0) return Array::empty(matrix.stream(), {0}, matrix.dtype());
  const Strides& strides = matrix.strides();
  return Array(matrix.buffer(), matrix.dtype(), {count}, {strides[0] + strides[1]},
               matrix.offset() + row * strides[0] + column * strides[1]);
}

Expression eye(std::int64_t rows, std::int64_t columns, std::int64_t k, Dtype type) {
  const Shape shape{rows, columns};
  element_count(shape);
  return (off_diagonal(shape) == k).astype(type);
}

Expression tril(const Expression& x, std::int64_t k) {
  check_matrix("tril", x.shape());
  return where(off_diagonal(x.shape()) <= k, x, Expression(Scalar(0).as(x.dtype()), false));
}

Expression triu(const Expression& x, std::int64_t k) {
  check_matrix("triu", x.shape());
  return where(off_diagonal(x.shape()) >= k, x, Expression(Scalar(0).as(x.dtype()), false));
}

Expression linspace(double start, double stop, std::int64_t count, Dtype type) {
  if (count < 0 || !(is_real(type) || is_complex(type)))
    throw UsageError(
        fmt::format("linspace: {} values of {}; a count and a real or complex type", count, dtype_name(type)));
  const Expression i = indices({count});
  const Expression x = i.astype(Dtype::f64) * (count > 1 ? (stop - start) / static_cast<double>(count - 1) : 0) + start;
  return where(i == count - 1 && count > 1, stop, x).astype(type);
}

std::vector<Array> meshgrid(std::span<const Array> axes) {
  Shape shape;
  for (const Array& axis : axes) {
    if (axis.dimensions() != 1)
      throw UsageError(fmt::format("meshgrid: axes have one dimension, not the shape {}", to_string(axis.shape())));
    shape.push_back(axis.size());
  }
  std::vector<Array> result;
  for (std::size_t d = 0; d < axes.size(); ++d) {
    std::vector<Index> place(axes.size(), Index(new_axis));
    place[d] = all_of;
    result.push_back(axes[d].at(place).broadcast_to(shape));
  }
  return result;
}

}  // namespace rtcg
