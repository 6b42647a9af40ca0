// Typed views of host memory with the shape of an array: page-locked memory for copies that do not block, and arrays in
// mapped memory, which host and device reach in turn.
//
//   HostView<float> host = host_memory<float>(device, {rows, columns});
//   read_async(array, host);  stream.synchronize();  host(3, 4)
#pragma once

#include "rtcg/array/array.h"

namespace rtcg {

/// A value that shares its memory with its copies and, where a kernel's memory is mapped, holds the mapping.
template <class T>
class HostView {
 public:
  HostView(HostBuffer memory, const Shape& shape)
      : data_(static_cast<T*>(memory.data())),
        shape_(shape),
        strides_(contiguous_strides(shape)),
        memory_(std::move(memory)) {}
  HostView(std::shared_ptr<Buffer::Mapping> mapping, const Shape& shape, const Strides& strides, std::int64_t offset)
      : data_(mapping ? static_cast<T*>(mapping->data()) + offset : nullptr),
        shape_(shape),
        strides_(strides),
        mapping_(std::move(mapping)) {}

  const Shape& shape() const { return shape_; }
  const Strides& strides() const { return strides_; }
  std::int64_t size() const { return element_count(shape_); }
  T* data() const { return data_; }
  /// Unchecked; one index per dimension.
  template <class... Indices>
  T& operator()(Indices... indices) const {
    const std::int64_t list[] = {static_cast<std::int64_t>(indices)..., 0};
    std::int64_t place = 0;
    for (int d = 0; d < static_cast<int>(sizeof...(Indices)); ++d) place += list[d] * strides_[d];
    return data_[place];
  }
  /// All elements in C order; only of contiguous views, such as host_memory gives.
  std::span<T> values() const { return {data_, static_cast<std::size_t>(size())}; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size(); }
  const std::optional<HostBuffer>& memory() const { return memory_; }  ///< none when it is a mapping

 private:
  T* data_;
  Shape shape_;
  Strides strides_;
  std::optional<HostBuffer> memory_;
  std::shared_ptr<Buffer::Mapping> mapping_;
};

namespace detail {

HostBuffer host_elements(const Device& device, const Shape& shape, Dtype type);
std::shared_ptr<Buffer::Mapping> map_array(const Array& array, Dtype type, Access access);
/// UsageError unless the array may be copied to or from this memory.
const HostBuffer& check_host(const Array& array, const std::optional<HostBuffer>& memory, const Shape& shape,
                             Dtype type);

}  // namespace detail

/// Page-locked, contiguous, uninitialised. UsageError for more than 2^63 - 1 bytes.
template <class T>
HostView<T> host_memory(const Device& device, const Shape& shape) {
  return {detail::host_elements(device, shape, scalar_type<T>()), shape};
}

/// Copies on the array's stream that do not wait; `host` from host_memory, of the array's shape and type, and not
/// touched until the stream gets there. The array is contiguous. UsageError otherwise.
template <class T>
void read_async(const Array& array, const HostView<T>& host) {
  array.read_async(detail::check_host(array, host.memory(), host.shape(), scalar_type<T>()));
}
template <class T>
void write_async(const Array& array, const HostView<T>& host) {
  array.write_async(detail::check_host(array, host.memory(), host.shape(), scalar_type<T>()));
}

/// An uninitialised array in memory that host and device share (MemoryKind::mapped).
Array mapped_array(const Stream& stream, const Shape& shape, Dtype type);
/// Its elements, with the array's strides, once its stream is done; the device may use it again when the last copy of
/// the view is gone. UsageError for another type and for arrays that are not in mapped memory.
template <class T>
HostView<T> host_view(const Array& array, Access access = Access::read_write) {
  return {detail::map_array(array, scalar_type<T>(), access), array.shape(), array.strides(), array.offset()};
}

}  // namespace rtcg
