#include <fmt/format.h>

#include "rtcg/device/cuda/driver.h"
#include "rtcg/error.h"

namespace rtcg::cuda {

namespace {
constexpr std::size_t most_arguments = 256;
}

void CudaDriver::launch(Handle stream, Handle kernel, const Grid& grid, std::span<const Argument> arguments) {
  if (arguments.size() > most_arguments)
    throw DeviceError(
        fmt::format("{}: launch with {} arguments; at most {}", where(), arguments.size(), most_arguments));
  void* addresses[most_arguments];  // left as it is: only the first entries are read
  for (std::size_t i = 0; i < arguments.size(); ++i) addresses[i] = const_cast<void*>(arguments[i].data);
  const auto function = reinterpret_cast<CUfunction>(kernel);
  enter();
  if (grid.dynamic_local_bytes != 0) [[unlikely]]
    allow_dynamic_memory(function, grid.dynamic_local_bytes);
  const CUresult result = api_->cuLaunchKernel(function, grid.groups[0], grid.groups[1], grid.groups[2], grid.local[0],
                                               grid.local[1], grid.local[2], grid.dynamic_local_bytes,
                                               reinterpret_cast<CUstream>(stream), addresses, nullptr);
  if (result != CUDA_SUCCESS) [[unlikely]]
    fail_launch(result, function, grid);
}

void CudaDriver::allow_dynamic_memory(CUfunction function, std::size_t bytes) {
  int fixed_bytes = 0;
  check(api_->cuFuncGetAttribute(&fixed_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function), "cuFuncGetAttribute");
  const std::size_t fixed = static_cast<std::size_t>(fixed_bytes);
  if (fixed + bytes <= properties().local_memory) return;
  int most = 0;
  check(api_->cuDeviceGetAttribute(&most, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, device_),
        "cuDeviceGetAttribute");
  if (fixed + bytes > static_cast<std::size_t>(most))
    throw DeviceError(
        fmt::format("{}: kernel '{}' wants {} + {} bytes of local memory (static + dynamic); the device has {}",
                    where(), name_of_kernel(function), fixed, bytes, most));
  const std::lock_guard lock(mutex_);
  if (large_kernels_.contains(function)) return;
  check(api_->cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, most - fixed_bytes),
        "cuFuncSetAttribute");
  large_kernels_.insert(function);
}

std::string CudaDriver::name_of_kernel(CUfunction function) const {
  const char* name = nullptr;
  if (!api_->cuFuncGetName || api_->cuFuncGetName(&name, function) != CUDA_SUCCESS || name == nullptr) return "?";
  return name;
}

void CudaDriver::fail_launch(CUresult result, CUfunction function, const Grid& grid) const {
  const std::uint64_t items = std::uint64_t{grid.local[0]} * grid.local[1] * grid.local[2];
  int most = 0;
  std::string advice;
  if (api_->cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function) == CUDA_SUCCESS &&
      items > static_cast<std::uint64_t>(most))
    advice = fmt::format(" (the kernel's registers and launch bounds allow groups of at most {} items)", most);
  fail(result, fmt::format("launch of '{}' on {} x {} x {} groups of {} x {} x {} items with {} bytes of dynamic local "
                           "memory{}: cuLaunchKernel",
                           name_of_kernel(function), grid.groups[0], grid.groups[1], grid.groups[2], grid.local[0],
                           grid.local[1], grid.local[2], grid.dynamic_local_bytes, advice));
}

}  // namespace rtcg::cuda
