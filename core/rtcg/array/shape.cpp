#include "rtcg/array/shape.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtcg/error.h"

namespace rtcg {

Dims::Dims(std::span<const std::int64_t> values) {
  for (const std::int64_t value : values) push_back(value);
}

Dims Dims::filled(int count, std::int64_t value) {
  Dims dims;
  for (int d = 0; d < count; ++d) dims.push_back(value);
  return dims;
}

void Dims::erase(int d) {
  std::copy(values_.begin() + d + 1, values_.begin() + size_, values_.begin() + d);
  values_[static_cast<std::size_t>(--size_)] = 0;
}

void Dims::insert(int d, std::int64_t value) {
  if (size_ == most) throw UsageError(fmt::format("an array has at most {} dimensions", most));
  std::copy_backward(values_.begin() + d, values_.begin() + size_, values_.begin() + size_ + 1);
  values_[static_cast<std::size_t>(d)] = value;
  ++size_;
}

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  bool is_empty = false, overflows = false;
  for (const std::int64_t extent : shape) {
    if (extent < 0) throw UsageError(fmt::format("shape {} has a negative extent", to_string(shape)));
    is_empty |= extent == 0;
    overflows |= __builtin_mul_overflow(count, std::max<std::int64_t>(extent, 1), &count);
  }
  if (is_empty) return 0;
  if (overflows) throw UsageError(fmt::format("shape {} has more than 2^63 - 1 elements", to_string(shape)));
  return count;
}

Strides contiguous_strides(const Shape& shape) {
  Strides strides = Dims::filled(shape.size(), 1);
  // Unsigned: an empty shape may have a product that does not fit.
  std::uint64_t step = 1;
  for (int d = shape.size(); d-- > 0;) {
    strides[d] = static_cast<std::int64_t>(step);
    step *= static_cast<std::uint64_t>(std::max<std::int64_t>(shape[d], 1));
  }
  return strides;
}

std::string to_string(const Dims& dims) {
  return dims.size() == 1 ? fmt::format("({},)", dims[0])
                          : fmt::format("({})", fmt::join(dims.begin(), dims.end(), ", "));
}

Shape broadcast(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const int skipped = longer.size() - shorter.size();
  for (int d = 0; d < shorter.size(); ++d) {
    std::int64_t& extent = result[skipped + d];
    if (extent == 1)
      extent = shorter[d];
    else if (shorter[d] != 1 && shorter[d] != extent)
      throw UsageError(fmt::format("shapes {} and {} do not broadcast: {} and {} along axis {} from the right",
                                   to_string(a), to_string(b), a[a.size() - shorter.size() + d],
                                   b[b.size() - shorter.size() + d], shorter.size() - d));
  }
  return result;
}

Strides broadcast_strides(const Shape& shape, const Strides& strides, const Shape& target) {
  const int added = target.size() - shape.size();
  Strides result = Dims::filled(target.size(), 0);
  for (int d = 0; d < shape.size(); ++d) {
    if (added < 0 || (shape[d] != 1 && shape[d] != target[added + d]))
      throw UsageError(fmt::format("shape {} does not broadcast to {}", to_string(shape), to_string(target)));
    if (shape[d] == target[added + d]) result[added + d] = strides[d];
  }
  return result;
}

int normalized_axis(int axis, int dimensions) {
  if (axis < -dimensions || axis >= dimensions)
    throw UsageError(fmt::format("axis {} is out of range for an array of {} dimensions", axis, dimensions));
  return axis < 0 ? axis + dimensions : axis;
}

}  // namespace rtcg
