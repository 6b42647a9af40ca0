#include "rtcg/array/host_view.h"

#include <fmt/format.h>

namespace rtcg {
namespace {

std::size_t checked_bytes(const Shape& shape, Dtype type) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(element_count(shape), static_cast<std::int64_t>(size_of(type)), &bytes))
    throw UsageError(
        fmt::format("host_memory: shape {} of {} is more than 2^63 - 1 bytes", to_string(shape), dtype_name(type)));
  return static_cast<std::size_t>(bytes);
}

void check_type(const char* what, const Array& array, Dtype type) {
  if (array.dtype() != type)
    throw UsageError(
        fmt::format("{}: the array is of {}, the host view of {}", what, dtype_name(array.dtype()), dtype_name(type)));
}

}  // namespace

HostBuffer detail::host_elements(const Device& device, const Shape& shape, Dtype type) {
  return HostBuffer(device, checked_bytes(shape, type));
}

std::shared_ptr<Buffer::Mapping> detail::map_array(const Array& array, Dtype type, Access access) {
  check_type("host_view", array, type);
  if (array.size() == 0) return nullptr;
  return std::make_shared<Buffer::Mapping>(array.buffer().map(access));
}

const HostBuffer& detail::check_host(const Array& array, const std::optional<HostBuffer>& memory, const Shape& shape,
                                     Dtype type) {
  check_type("asynchronous copy", array, type);
  if (!(shape == array.shape()))
    throw UsageError(fmt::format("asynchronous copy: the array has the shape {}, the host view {}",
                                 to_string(array.shape()), to_string(shape)));
  if (!memory) throw UsageError("asynchronous copy: the host view is mapped memory; host_memory() is needed");
  return *memory;
}

Array mapped_array(const Stream& stream, const Shape& shape, Dtype type) {
  const std::size_t bytes = checked_bytes(shape, type);
  if (bytes == 0) return Array::empty(stream, shape, type);
  return Array(Buffer(stream, bytes, MemoryKind::mapped, type), type, shape, contiguous_strides(shape));
}

}  // namespace rtcg
