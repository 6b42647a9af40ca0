#include "rtcg/array/array.h"

#include <fmt/format.h>

#include <limits>

#include "rtcg/array/evaluate.h"
#include "rtcg/array/expression.h"

namespace rtcg {
namespace {

std::size_t checked_bytes(const Shape& shape, Dtype type) {
  if (type == Dtype::unknown) throw UsageError("Array: the element type is unknown");
  const std::int64_t count = element_count(shape);
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<std::int64_t>(size_of(type)), &bytes))
    throw UsageError(
        fmt::format("Array: shape {} of {} is more than 2^63 - 1 bytes", to_string(shape), dtype_name(type)));
  return static_cast<std::size_t>(bytes);
}

void check_host(const char* action, const Array& array, std::size_t count, Dtype type) {
  if (type != array.dtype())
    throw UsageError(fmt::format("Array::{}: the array is of {}, the host values are of {}", action,
                                 dtype_name(array.dtype()), dtype_name(type)));
  if (count != static_cast<std::size_t>(array.size()))
    throw UsageError(fmt::format("Array::{}: {} host values for {} elements of shape {}", action, count, array.size(),
                                 to_string(array.shape())));
}

std::size_t byte_offset(const Array& array) {
  return static_cast<std::size_t>(array.offset()) * size_of(array.dtype());
}

/// A strided array has no one range of bytes that an asynchronous copy could name.
void check_async(const char* action, const Array& array, const HostBuffer& host) {
  if (!array.is_contiguous())
    throw UsageError(fmt::format("Array::{}: the array is not contiguous; use contiguous() first", action));
  if (host.bytes() != array.bytes())
    throw UsageError(
        fmt::format("Array::{}: the array has {} bytes, the host memory {}", action, array.bytes(), host.bytes()));
}

void check_writable(const Array& array) {
  for (int d = 0; d < array.dimensions(); ++d)
    if (array.strides()[d] == 0 && array.shape()[d] > 1)
      throw UsageError(fmt::format("Array::assign: axis {} of shape {} is broadcast (all its elements are one)", d,
                                   to_string(array.shape())));
}

}  // namespace

Array::Array(const Expression& expression) : Array(expression.evaluate()) {}

Array::Array(Buffer buffer, Dtype type, Shape shape, Strides strides, std::int64_t offset) {
  checked_bytes(shape, type);
  if (strides.size() != shape.size())
    throw UsageError(fmt::format("Array: strides {} for shape {}", to_string(strides), to_string(shape)));
  node_ = std::make_shared<ArrayNode>(buffer, buffer.stream(), type, shape, strides, offset);
  if (node_->size == 0) return;
  std::int64_t first = offset, last = offset;
  bool overflows = false;
  for (int d = 0; d < shape.size(); ++d) {
    std::int64_t reach = 0;
    overflows |= __builtin_mul_overflow(shape[d] - 1, strides[d], &reach);
    std::int64_t& end = strides[d] < 0 ? first : last;
    overflows |= __builtin_add_overflow(end, reach, &end);
  }
  const auto held = static_cast<std::int64_t>(buffer.bytes() / size_of(type));
  if (overflows || first < 0 || last >= held)
    throw UsageError(fmt::format("Array: shape {} with strides {} at offset {} passes the {} elements of its buffer",
                                 to_string(shape), to_string(strides), offset, held));
}

Array Array::empty(const Stream& stream, const Shape& shape, Dtype type) {
  const std::size_t bytes = checked_bytes(shape, type);
  Buffer buffer;
  if (bytes != 0) buffer = Buffer(stream, bytes, MemoryKind::device, type);
  return Array(std::make_shared<ArrayNode>(std::move(buffer), stream, type, shape, contiguous_strides(shape), 0));
}

Array Array::zeros(const Stream& stream, const Shape& shape, Dtype type) {
  Array array = empty(stream, shape, type);
  if (array.size() != 0) array.buffer().zero(stream);
  return array;
}

Array Array::full(const Stream& stream, const Shape& shape, Dtype type, const Scalar& value) {
  Array array = empty(stream, shape, type);
  const Scalar converted = value.as(type);
  if (array.size() != 0) array.buffer().fill(stream, converted.data(), size_of(type));
  return array;
}

Array Array::arange(const Stream& stream, std::int64_t n, Dtype type) {
  return indices({n}).astype(type).evaluate(stream);
}

Array Array::from_host(const Stream& stream, const void* data, std::size_t count, Dtype type,
                       const std::optional<Shape>& shape) {
  Array array = empty(stream, shape.value_or(Shape{static_cast<std::int64_t>(count)}), type);
  check_host("from", array, count, type);
  if (count != 0) array.buffer().write(data, array.bytes());
  return array;
}

void Array::read(void* target, std::size_t count, Dtype type) const {
  check_host("read", *this, count, type);
  if (count == 0) return;
  const Array source = contiguous();
  source.buffer().read(target, bytes(), byte_offset(source));
}

void Array::write(const void* source, std::size_t count, Dtype type) const {
  check_host("write", *this, count, type);
  check_writable(*this);
  if (count == 0) return;
  if (is_contiguous())
    node_->buffer.write(source, bytes(), byte_offset(*this));
  else
    evaluate_into(*this, from_host(stream(), source, count, type, node_->shape));
}

Scalar Array::scalar() const {
  if (node_->size != 1)
    throw UsageError(
        fmt::format("Array::item: shape {} has {} elements, not one", to_string(node_->shape), node_->size));
  std::array<std::byte, 16> bytes;
  node_->buffer.read(bytes.data(), size_of(node_->dtype), byte_offset(*this));
  return Scalar::from_bytes(node_->dtype, bytes.data());
}

void Array::read_async(const HostBuffer& target) const {
  check_async("read_async", *this, target);
  if (node_->size != 0) node_->buffer.read_async(stream(), target, bytes(), 0, byte_offset(*this));
}

void Array::write_async(const HostBuffer& source) const {
  check_async("write_async", *this, source);
  if (node_->size != 0) node_->buffer.write_async(stream(), source, bytes(), 0, byte_offset(*this));
}

Array Array::copy() const {
  Array result = empty(stream(), node_->shape, node_->dtype);
  if (node_->size == 0) return result;
  if (is_contiguous())
    device().driver().copy(stream().native(), result.buffer().native(), 0, node_->buffer.native(), byte_offset(*this),
                           bytes());
  else
    evaluate_into(result, *this);
  return result;
}

Array Array::contiguous() const {
  return is_contiguous() ? *this : copy();
}

Array Array::astype(Dtype type) const {
  return type == node_->dtype ? copy() : Expression(*this).astype(type).evaluate(stream());
}

Array Array::on(const Stream& target) const {
  const Array source = contiguous();
  Array result = empty(target, node_->shape, node_->dtype);
  if (node_->size == 0) return result;
  if (target.device() == device()) {
    target.wait(stream().record());
    device().driver().copy(target.native(), result.buffer().native(), 0, source.buffer().native(), byte_offset(source),
                           bytes());
    // The source may go back to its stream's pool as soon as this returns.
    stream().wait(target.record());
  } else {
    const HostBuffer staging(device(), bytes());
    source.buffer().read(staging.data(), bytes(), byte_offset(source));
    result.buffer().write(staging.data(), bytes());
  }
  return result;
}

const Array& Array::assign(const Expression& value) const {
  check_writable(*this);
  evaluate_into(*this, value);
  return *this;
}

const Array& Array::operator+=(const Expression& value) const {
  return assign(Expression(*this) + value);
}
const Array& Array::operator-=(const Expression& value) const {
  return assign(Expression(*this) - value);
}
const Array& Array::operator*=(const Expression& value) const {
  return assign(Expression(*this) * value);
}
const Array& Array::operator/=(const Expression& value) const {
  return assign(Expression(*this) / value);
}

}  // namespace rtcg
