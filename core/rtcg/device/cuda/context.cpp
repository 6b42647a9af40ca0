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

void CudaDriver::open_context() {
  CUcontext context = nullptr;
  check(api_->cuDevicePrimaryCtxRetain(&context, device_), "cuDevicePrimaryCtxRetain");
  context_ = context;
}

void CudaDriver::enter() {
  std::call_once(opened_, [this] { open_context(); });
  CUcontext current = nullptr;
  check(api_->cuCtxGetCurrent(&current), "cuCtxGetCurrent");
  if (current != context_) check(api_->cuCtxSetCurrent(context_), "cuCtxSetCurrent");
}

bool CudaDriver::try_enter() noexcept {
  return context_ != nullptr && api_->cuCtxSetCurrent(context_) == CUDA_SUCCESS;
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
