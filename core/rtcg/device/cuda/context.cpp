#include <fmt/format.h>

#include "rtcg/device/cuda/driver.h"
#include "rtcg/device/pool.h"
#include "rtcg/error.h"

namespace rtcg::cuda {

namespace {

/// Errors of a kernel that ran before the call which reports them; the context answers nothing else from then on.
bool is_lasting(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
      return true;
    default:
      return false;
  }
}

}  // namespace

CudaDriver::CudaDriver(std::shared_ptr<const Api> api, CUdevice device, DeviceProperties properties)
    : Driver(std::move(properties)), api_(std::move(api)), device_(device) {}

CudaDriver::~CudaDriver() {
  drop_pool();
  if (context_ != nullptr) api_->cuDevicePrimaryCtxRelease(device_);
}

CUcontext CudaDriver::open_context() {
  const std::lock_guard lock(mutex_);
  if (context_ == nullptr) {
    CUcontext context = nullptr;
    check(api_->cuDevicePrimaryCtxRetain(&context, device_), "cuDevicePrimaryCtxRetain");
    context_ = context;
  }
  return context_;
}

void CudaDriver::enter() {
  CUcontext context = context_.load(std::memory_order_acquire);
  if (context == nullptr) [[unlikely]]
    context = open_context();
  CUcontext current = nullptr;
  check(api_->cuCtxGetCurrent(&current), "cuCtxGetCurrent");
  if (current != context) check(api_->cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

bool CudaDriver::try_enter() noexcept {
  const CUcontext context = context_;
  return context != nullptr && api_->cuCtxSetCurrent(context) == CUDA_SUCCESS;
}

std::string CudaDriver::where() const {
  return fmt::format("{} ({})", properties().id, properties().name);
}

void CudaDriver::fail(CUresult result, std::string_view call) const {
  const char* advice = "";
  if (is_lasting(result))
    advice =
        "; a kernel launched earlier did this, and the device stays unusable in this process "
        "(compute-sanitizer finds the place)";
  throw DeviceError(fmt::format("{}: {}{}", where(), api_->describe(result, call), advice));
}

}  // namespace rtcg::cuda
