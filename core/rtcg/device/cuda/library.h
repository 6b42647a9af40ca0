// libcuda and libnvrtc, opened at run time so that one binary serves machines without them. Included by the files of
// this directory only. The types come from the toolkit's headers and the symbols from their macros, so that cuMemAlloc
// here is the cuMemAlloc_v2 that cuda.h means. An opened library is never closed: its threads may outlive any owner.
#pragma once

#include <cuda.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rtcg::cuda {

/// The first library of a list that the loader can open.
class SharedLibrary {
 public:
  /// Throws DeviceError naming what was tried and the loader's reason for the first one.
  explicit SharedLibrary(const std::vector<std::string>& names);
  void* find(const char* symbol) const;              ///< nullptr when there is none
  void* symbol(const char* symbol) const;            ///< throws DeviceError
  const std::string& path() const { return path_; }  ///< of the file that was opened

 private:
  void* handle_ = nullptr;
  std::string path_;
};

// Every entry point that any supported driver (CUDA 11.4 and later) has.
// clang-format off
#define RTCG_CUDA_FUNCTIONS(apply)                                                                              \
  apply(cuInit) apply(cuDriverGetVersion) apply(cuGetErrorName) apply(cuGetErrorString)                         \
  apply(cuDeviceGetCount) apply(cuDeviceGet) apply(cuDeviceGetName) apply(cuDeviceTotalMem)                     \
  apply(cuDeviceGetAttribute)                                                                                   \
  apply(cuDevicePrimaryCtxRetain) apply(cuDevicePrimaryCtxRelease) apply(cuCtxGetCurrent)                       \
  apply(cuCtxSetCurrent) apply(cuCtxSynchronize)                                                                \
  apply(cuMemGetInfo) apply(cuMemAlloc) apply(cuMemFree) apply(cuMemHostAlloc) apply(cuMemFreeHost)             \
  apply(cuMemHostGetDevicePointer)                                                                              \
  apply(cuMemcpyHtoDAsync) apply(cuMemcpyDtoHAsync) apply(cuMemcpyDtoDAsync) apply(cuMemcpy3DAsync)             \
  apply(cuMemsetD8Async) apply(cuMemsetD16Async) apply(cuMemsetD32Async) apply(cuMemsetD2D32Async)              \
  apply(cuArray3DCreate) apply(cuArrayDestroy) apply(cuTexObjectCreate) apply(cuTexObjectDestroy)               \
  apply(cuStreamCreate) apply(cuStreamDestroy) apply(cuStreamSynchronize) apply(cuStreamWaitEvent)              \
  apply(cuEventCreate) apply(cuEventDestroy) apply(cuEventRecord) apply(cuEventSynchronize) apply(cuEventQuery) \
  apply(cuModuleLoadDataEx) apply(cuModuleUnload) apply(cuModuleGetFunction) apply(cuFuncGetAttribute)          \
  apply(cuFuncSetAttribute) apply(cuLaunchKernel)
// clang-format on

// Those that came later; nullptr on an older driver.
#define RTCG_CUDA_OPTIONAL_FUNCTIONS(apply) \
  apply(cuModuleGetFunctionCount) apply(cuModuleEnumerateFunctions) apply(cuFuncGetName) apply(cuFuncGetParamInfo)

/// The driver's functions under their own names.
struct Api {
#define RTCG_DECLARE(name) decltype(&::name) name = nullptr;
  RTCG_CUDA_FUNCTIONS(RTCG_DECLARE)
  RTCG_CUDA_OPTIONAL_FUNCTIONS(RTCG_DECLARE)
  RTCG_DECLARE(cuEventElapsedTime)  // either version: they take the same arguments
#undef RTCG_DECLARE
  std::string path;

  /// Throws DeviceError when no library of the list can be opened or the first one lacks a function.
  explicit Api(const std::vector<std::string>& names);

  /// "cuMemAlloc failed: CUDA_ERROR_OUT_OF_MEMORY (2): out of memory"
  std::string describe(CUresult result, std::string_view call) const;
};

/// Where libcuda and libnvrtc may be, best first; the paths of environment() replace the lists.
std::vector<std::string> cuda_library_names();
std::vector<std::string> nvrtc_library_names();

}  // namespace rtcg::cuda
