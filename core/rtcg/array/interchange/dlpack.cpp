#include "rtcg/array/interchange/dlpack.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace rtcg::dlpack {
namespace {

/// What an exported tensor points to.
struct Exported {
  Array array;
  Shape shape;
  Strides strides;
  ManagedTensor managed;
};

/// "cuda:1" is device 1 of type cuda.
Device name_of(const rtcg::Device& device) {
  const std::string& id = device.id();
  for (const auto& [prefix, type] : {std::pair<std::string_view, DeviceType>{"cuda:", cuda}, {"opencl:", opencl}}) {
    if (id.rfind(prefix, 0) != 0) continue;
    std::int32_t number = 0;
    std::from_chars(id.data() + prefix.size(), id.data() + id.size(), number);
    return {type, number};
  }
  throw UsageError(fmt::format("DLPack: {} is neither a CUDA nor an OpenCL device", id));
}

DataType type_of(Dtype type) {
  TypeCode code = int_code;
  if (type == Dtype::boolean) code = bool_code;
  if (kind_of(type) == DtypeKind::unsigned_integer) code = uint_code;
  if (kind_of(type) == DtypeKind::real) code = float_code;
  if (kind_of(type) == DtypeKind::complex) code = complex_code;
  return {code, static_cast<std::uint8_t>(8 * size_of(type)), 1};
}

Dtype dtype_of(const DataType& type) {
  for (int k = 1; k <= static_cast<int>(Dtype::c128); ++k) {
    const DataType known = type_of(static_cast<Dtype>(k));
    if (known.code == type.code && known.bits == type.bits && type.lanes == 1) return static_cast<Dtype>(k);
  }
  throw UsageError(
      fmt::format("DLPack: no element type for code {}, {} bits, {} lanes", type.code, type.bits, type.lanes));
}

struct Layout {
  Dtype type;
  Shape shape;
  Strides strides;
  std::int64_t size, first = 0, last = 0;  ///< elements; the first and last relative to element (0, 0, ...)
};

Layout layout_of(const Tensor& tensor) {
  Layout layout;
  layout.type = dtype_of(tensor.type);
  if (tensor.dimensions < 0 || tensor.dimensions > Dims::most || (tensor.dimensions > 0 && tensor.shape == nullptr))
    throw UsageError(
        fmt::format("DLPack: {} dimensions; 0 to {} with a shape are taken", tensor.dimensions, Dims::most));
  layout.shape = Shape(std::span<const std::int64_t>(tensor.shape, static_cast<std::size_t>(tensor.dimensions)));
  layout.size = element_count(layout.shape);
  layout.strides =
      tensor.strides == nullptr
          ? contiguous_strides(layout.shape)
          : Strides(std::span<const std::int64_t>(tensor.strides, static_cast<std::size_t>(tensor.dimensions)));
  for (int d = 0; layout.size != 0 && d < layout.shape.size(); ++d) {
    std::int64_t reach = 0;
    std::int64_t& end = layout.strides[d] < 0 ? layout.first : layout.last;
    if (__builtin_mul_overflow(layout.shape[d] - 1, layout.strides[d], &reach) ||
        __builtin_add_overflow(end, reach, &end) || end > INT64_MAX / 32 || end < INT64_MIN / 32)
      throw UsageError(fmt::format("DLPack: strides {} of shape {} reach further than any memory",
                                   to_string(layout.strides), to_string(layout.shape)));
  }
  if (layout.size != 0 && tensor.data == nullptr) throw UsageError("DLPack: the tensor has no data");
  return layout;
}

Array copy_from_host(const Stream& stream, const Tensor& tensor, const Layout& layout) {
  const Array array = Array::empty(stream, layout.shape, layout.type);
  if (layout.size == 0) return array;
  const std::size_t bytes = size_of(layout.type);
  const auto* const origin = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
  std::vector<std::byte> packed(array.bytes());
  Dims index = Dims::filled(layout.shape.size(), 0);
  std::int64_t place = 0;
  for (std::size_t at = 0; at < packed.size(); at += bytes) {
    std::memcpy(packed.data() + at, origin + place * static_cast<std::int64_t>(bytes), bytes);
    for (int d = index.size(); d-- > 0;) {
      place += layout.strides[d];
      if (++index[d] < layout.shape[d]) break;
      place -= index[d] * layout.strides[d];
      index[d] = 0;
    }
  }
  array.buffer().write(packed.data(), packed.size());
  return array;
}

Array import(const Stream& stream, const Tensor& tensor, bool read_only, std::shared_ptr<void> owner) {
  const Layout layout = layout_of(tensor);
  if (tensor.device.type == cpu || tensor.device.type == cuda_host) return copy_from_host(stream, tensor, layout);
  const Device here = name_of(stream.device());
  const bool same_kind = tensor.device.type == here.type || (tensor.device.type == cuda_managed && here.type == cuda);
  if (!same_kind || tensor.device.id != here.id)
    throw UsageError(fmt::format("DLPack: the tensor is on device {} of type {}, the stream on {}", tensor.device.id,
                                 tensor.device.type, stream.device().id()));
  if (layout.size == 0) return Array::empty(stream, layout.shape, layout.type);

  // Kernels take the start of a buffer to be aligned as this device's allocations are; what lies before the tensor is
  // never touched.
  const std::size_t element = size_of(layout.type);
  auto memory = reinterpret_cast<Handle>(tensor.data);
  std::uint64_t lead = tensor.byte_offset;
  if (here.type == cuda) {
    const Handle alignment = std::max<std::size_t>(stream.device().properties().base_alignment, 256);
    const Handle first = memory + lead - static_cast<std::uint64_t>(-layout.first) * element;
    const Handle aligned = first / alignment * alignment;
    lead = memory + lead - aligned;
    memory = aligned;
  }
  if (lead % element != 0)
    throw UsageError(fmt::format("DLPack: {} at byte offset {} is not aligned to its {} bytes", dtype_name(layout.type),
                                 lead, element));
  const auto offset = static_cast<std::int64_t>(lead / element);
  const std::size_t bytes = static_cast<std::size_t>(offset + layout.last + 1) * element;
  const Array view(Buffer::adopt(stream, memory, bytes, std::move(owner), layout.type), layout.type, layout.shape,
                   layout.strides, offset);
  return read_only ? view.copy() : view;
}

template <class Managed>
std::shared_ptr<void> owner_of(Managed* tensor) {
  if (tensor == nullptr) throw UsageError("DLPack: no tensor");
  return {tensor, [](Managed* t) {
            if (t->deleter != nullptr) t->deleter(t);
          }};
}

}  // namespace

ManagedTensor* export_tensor(const Array& array) {
  auto exported = std::make_unique<Exported>();
  const Device device = name_of(array.device());
  array.stream().synchronize();
  exported->array = array;
  exported->shape = array.shape();
  exported->strides = array.strides();
  ManagedTensor& managed = exported->managed;
  managed.version = {major_version, minor_version};
  managed.context = exported.get();
  managed.deleter = [](ManagedTensor* self) { delete static_cast<Exported*>(self->context); };
  managed.flags = 0;
  Handle data = array.size() == 0 ? 0 : array.buffer().native();
  std::uint64_t offset = static_cast<std::uint64_t>(array.offset()) * size_of(array.dtype());
  if (array.size() == 0) offset = 0;
  if (device.type == cuda) data += std::exchange(offset, 0);
  managed.tensor = {
      reinterpret_cast<void*>(data), device, array.dimensions(), type_of(array.dtype()), &exported->shape[0],
      &exported->strides[0],         offset};
  return &exported.release()->managed;
}

Array import_tensor(const Stream& stream, ManagedTensor* tensor) {
  auto owner = owner_of(tensor);
  if (tensor->version.major != major_version)
    throw UsageError(fmt::format("DLPack: a tensor of version {}.{}; version {} is taken", tensor->version.major,
                                 tensor->version.minor, major_version));
  return import(stream, tensor->tensor, (tensor->flags & flag_read_only) != 0, std::move(owner));
}

Array import_tensor(const Stream& stream, UnversionedTensor* tensor) {
  auto owner = owner_of(tensor);
  return import(stream, tensor->tensor, false, std::move(owner));
}

}  // namespace rtcg::dlpack
