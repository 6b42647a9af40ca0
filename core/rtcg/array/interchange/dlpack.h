// DLPack 1.x: arrays handed to and taken from other libraries of this process without a copy. The structures have the
// standard's layout (dmlc.github.io/dlpack/latest/c_api.html) under names of our own, so that they stand beside any
// version of dlpack.h; reinterpret_cast between the two.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rtcg/array/array.h"

namespace rtcg::dlpack {

inline constexpr std::uint32_t major_version = 1, minor_version = 1;
inline constexpr std::uint64_t flag_read_only = 1, flag_is_copied = 2;

enum DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, opencl = 4, cuda_managed = 13 };
enum TypeCode : std::uint8_t { int_code = 0, uint_code = 1, float_code = 2, complex_code = 5, bool_code = 6 };

struct Device {
  std::int32_t type, id;
};
struct DataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t dimensions;
  DataType type;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements; nullptr: contiguous
  std::uint64_t byte_offset;
};
/// DLManagedTensorVersioned
struct ManagedTensor {
  struct {
    std::uint32_t major, minor;
  } version;
  void* context;
  void (*deleter)(ManagedTensor*);
  std::uint64_t flags;
  Tensor tensor;
};
/// DLManagedTensor, from before 1.0
struct UnversionedTensor {
  Tensor tensor;
  void* context;
  void (*deleter)(UnversionedTensor*);
};
static_assert(sizeof(Tensor) == 48 && offsetof(Tensor, shape) == 24 && sizeof(ManagedTensor) == 80 &&
              offsetof(ManagedTensor, tensor) == 32 && sizeof(UnversionedTensor) == 64);

/// A view of the array for another library, which calls `deleter` when done; the memory lives until then. Waits for the
/// array's stream, so that it may be read at once. On CUDA `data` points at the first element; on OpenCL it is the
/// cl_mem, and byte_offset leads to the first element. UsageError for devices that have no DLPack name (debug:N).
ManagedTensor* export_tensor(const Array& array);

/// Takes over the tensor: its deleter is called when the last view of it is gone, or before an exception leaves. Memory
/// of the stream's device becomes a view, once the producer has written it or ordered its stream before this one;
/// memory of the host, and what is marked as only to be read, is copied. UsageError for another major version, a device
/// that the stream is not of, and types without a Dtype.
Array import_tensor(const Stream& stream, ManagedTensor* tensor);
Array import_tensor(const Stream& stream, UnversionedTensor* tensor);

}  // namespace rtcg::dlpack
