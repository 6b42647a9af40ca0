#include <fmt/format.h>

#include <algorithm>

#include "rtcg/array/array.h"

namespace rtcg {
namespace {

struct Walk {
  std::int64_t start = 0, step = 1, count = 0;
};

/// Python's slice.indices() and its length.
Walk resolve(const Slice& slice, std::int64_t extent, int axis) {
  if (slice.step == 0) throw UsageError(fmt::format("Array: the slice of axis {} has step 0", axis));
  const bool forward = slice.step > 0;
  const std::int64_t low = forward ? 0 : -1, high = forward ? extent : extent - 1;
  const auto place = [&](const std::optional<std::int64_t>& given, std::int64_t otherwise) {
    if (!given) return otherwise;
    return std::clamp(*given < 0 ? *given + extent : *given, low, high);
  };
  Walk walk;
  walk.start = place(slice.start, forward ? low : high);
  walk.step = slice.step;
  const std::int64_t stop = place(slice.stop, forward ? high : low);
  const auto distance = static_cast<std::uint64_t>(forward ? stop - walk.start : walk.start - stop);
  const std::uint64_t step =
      forward ? static_cast<std::uint64_t>(slice.step) : 0 - static_cast<std::uint64_t>(slice.step);
  if (forward ? stop > walk.start : walk.start > stop)
    walk.count = static_cast<std::int64_t>((distance - 1) / step + 1);
  // A step that is never taken may be too long to multiply with a stride.
  if (walk.count <= 1) walk.step = 1;
  if (walk.count == 0) walk.start = 0;
  return walk;
}

/// Strides that give `target` the same elements in C order; nullopt when only a copy can.
std::optional<Strides> reshaped_strides(const Shape& shape, const Strides& strides, const Shape& target) {
  Strides result = Dims::filled(target.size(), 1);
  Shape from;
  Strides steps;
  for (int d = 0; d < shape.size(); ++d) {
    if (shape[d] == 1) continue;
    // Neighbours that walk memory as one dimension are one.
    if (!from.empty() && steps.back() == shape[d] * strides[d]) {
      from[from.size() - 1] *= shape[d];
      steps[steps.size() - 1] = strides[d];
    } else {
      from.push_back(shape[d]);
      steps.push_back(strides[d]);
    }
  }
  int d = target.size();
  for (int block = from.size(); block-- > 0;) {
    std::int64_t left = from[block], step = steps[block];
    while (left > 1) {
      --d;
      if (left % target[d] != 0) return std::nullopt;
      result[d] = step;
      step *= target[d];
      left /= target[d];
    }
  }
  return result;
}

}  // namespace

Array Array::with(const Shape& shape, const Strides& strides, std::int64_t offset) const {
  return Array(std::make_shared<ArrayNode>(node_->buffer, node_->on, node_->dtype, shape, strides, offset));
}

Array Array::at(std::span<const Index> indices) const {
  int used = 0, gaps = 0;
  for (const Index& index : indices) {
    used += std::holds_alternative<std::int64_t>(index) || std::holds_alternative<Slice>(index);
    gaps += std::holds_alternative<Ellipsis>(index);
  }
  if (used > dimensions())
    throw UsageError(fmt::format("Array: {} indices for an array of shape {}", used, to_string(node_->shape)));
  if (gaps > 1) throw UsageError("Array: more than one ellipsis in one subscript");

  Shape shape;
  Strides strides;
  std::int64_t offset = node_->offset;
  int axis = 0;
  const auto keep = [&](std::int64_t extent, std::int64_t stride) {
    shape.push_back(extent);
    strides.push_back(stride);
  };
  const auto keep_up_to = [&](int end) {
    for (; axis < end; ++axis) keep(node_->shape[axis], node_->strides[axis]);
  };
  for (const Index& index : indices) {
    if (const auto* i = std::get_if<std::int64_t>(&index)) {
      if (*i < -node_->shape[axis] || *i >= node_->shape[axis])
        throw UsageError(
            fmt::format("Array: index {} is out of range for axis {} of extent {}", *i, axis, node_->shape[axis]));
      offset += (*i < 0 ? *i + node_->shape[axis] : *i) * node_->strides[axis];
      ++axis;
    } else if (const auto* slice = std::get_if<Slice>(&index)) {
      const Walk walk = resolve(*slice, node_->shape[axis], axis);
      offset += walk.start * node_->strides[axis];
      keep(walk.count, walk.step * node_->strides[axis]);
      ++axis;
    } else if (std::holds_alternative<NewAxis>(index)) {
      keep(1, 1);
    } else {
      keep_up_to(axis + dimensions() - used);
    }
  }
  keep_up_to(dimensions());
  return with(shape, strides, offset);
}

Array Array::transpose() const {
  Shape shape = node_->shape;
  Strides strides = node_->strides;
  for (int d = 0; d < dimensions(); ++d) {
    shape[d] = node_->shape[dimensions() - 1 - d];
    strides[d] = node_->strides[dimensions() - 1 - d];
  }
  return with(shape, strides, node_->offset);
}

Array Array::transpose(std::span<const int> axes) const {
  std::uint32_t seen = 0;
  Shape shape;
  Strides strides;
  for (const int given : axes) {
    const int axis = normalized_axis(given, dimensions());
    if ((seen & 1u << axis) != 0) throw UsageError(fmt::format("Array::transpose: axis {} appears twice", axis));
    seen |= 1u << axis;
    shape.push_back(node_->shape[axis]);
    strides.push_back(node_->strides[axis]);
  }
  if (shape.size() != dimensions())
    throw UsageError(fmt::format("Array::transpose: {} axes for an array of {} dimensions", axes.size(), dimensions()));
  return with(shape, strides, node_->offset);
}

Array Array::reshape(const Shape& shape) const {
  Shape target = shape;
  int open = -1;
  for (int d = 0; d < shape.size(); ++d) {
    if (shape[d] != -1) continue;
    if (open >= 0) throw UsageError(fmt::format("Array::reshape: {} leaves two extents open", to_string(shape)));
    open = d;
    target[d] = 1;
  }
  const std::int64_t others = element_count(target);
  if (open >= 0 && others != 0 && node_->size % others == 0) target[open] = node_->size / others;
  if ((open >= 0 && others == 0) || element_count(target) != node_->size)
    throw UsageError(fmt::format("Array::reshape: {} elements of shape {} do not make shape {}", node_->size,
                                 to_string(node_->shape), to_string(shape)));
  if (node_->size == 0 || is_contiguous()) return with(target, contiguous_strides(target), node_->offset);
  if (const auto strides = reshaped_strides(node_->shape, node_->strides, target))
    return with(target, *strides, node_->offset);
  return copy().reshape(target);
}

Array Array::squeeze() const {
  Shape shape;
  Strides strides;
  for (int d = 0; d < dimensions(); ++d) {
    if (node_->shape[d] == 1) continue;
    shape.push_back(node_->shape[d]);
    strides.push_back(node_->strides[d]);
  }
  return with(shape, strides, node_->offset);
}

Array Array::expand_dims(int axis) const {
  Shape shape = node_->shape;
  Strides strides = node_->strides;
  const int place = normalized_axis(axis, dimensions() + 1);
  shape.insert(place, 1);
  strides.insert(place, 1);
  return with(shape, strides, node_->offset);
}

Array Array::broadcast_to(const Shape& shape) const {
  return with(shape, broadcast_strides(node_->shape, node_->strides, shape), node_->offset);
}

Array Array::flip(int axis) const {
  const int d = normalized_axis(axis, dimensions());
  Strides strides = node_->strides;
  strides[d] = -strides[d];
  const std::int64_t last = node_->shape[d] == 0 ? 0 : (node_->shape[d] - 1) * node_->strides[d];
  return with(node_->shape, strides, node_->offset + last);
}

Array Array::view_as(Dtype type) const {
  if (type == Dtype::unknown || size_of(type) != size_of(node_->dtype))
    throw UsageError(fmt::format("Array::view_as: elements of {} have {} bytes, those of {} {}",
                                 dtype_name(node_->dtype), size_of(node_->dtype),
                                 type == Dtype::unknown ? "unknown" : dtype_name(type), size_of(type)));
  return Array(
      std::make_shared<ArrayNode>(node_->buffer, node_->on, type, node_->shape, node_->strides, node_->offset));
}

/// Part 0 or 1 of complex elements.
Array Array::part(int which) const {
  Strides strides = node_->strides;
  for (int d = 0; d < dimensions(); ++d) strides[d] *= 2;
  return Array(std::make_shared<ArrayNode>(node_->buffer, node_->on, real_of(node_->dtype), node_->shape, strides,
                                           2 * node_->offset + which));
}

Array Array::real() const {
  return is_complex(node_->dtype) ? part(0) : *this;
}

Array Array::imag() const {
  if (!is_complex(node_->dtype))
    throw UsageError(fmt::format("Array::imag: an array of {} has no imaginary part", dtype_name(node_->dtype)));
  return part(1);
}

}  // namespace rtcg
