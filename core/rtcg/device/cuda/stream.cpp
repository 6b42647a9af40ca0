#include "rtcg/device/cuda/driver.h"

namespace rtcg::cuda {

namespace {
CUstream stream_of(Handle handle) {
  return reinterpret_cast<CUstream>(handle);
}
CUevent event_of(Handle handle) {
  return reinterpret_cast<CUevent>(handle);
}
}  // namespace

Handle CudaDriver::create_stream() {
  enter();
  CUstream stream = nullptr;
  check(api_->cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  return reinterpret_cast<Handle>(stream);
}

void CudaDriver::release_stream(Handle stream) noexcept {
  if (try_enter()) api_->cuStreamDestroy(stream_of(stream));
}

void CudaDriver::synchronize(Handle stream) {
  enter();
  check(api_->cuStreamSynchronize(stream_of(stream)), "cuStreamSynchronize");
}

void CudaDriver::flush(Handle) {}  // the driver submits every call at once

Handle CudaDriver::record_event(Handle stream) {
  enter();
  CUevent event = nullptr;
  check(api_->cuEventCreate(&event, CU_EVENT_DEFAULT), "cuEventCreate");
  if (const CUresult result = api_->cuEventRecord(event, stream_of(stream)); result != CUDA_SUCCESS) {
    api_->cuEventDestroy(event);
    fail(result, "cuEventRecord");
  }
  return reinterpret_cast<Handle>(event);
}

void CudaDriver::release_event(Handle event) noexcept {
  if (try_enter()) api_->cuEventDestroy(event_of(event));
}

void CudaDriver::wait_event(Handle stream, Handle event) {
  enter();
  check(api_->cuStreamWaitEvent(stream_of(stream), event_of(event), CU_EVENT_WAIT_DEFAULT), "cuStreamWaitEvent");
}

void CudaDriver::synchronize_event(Handle event) {
  enter();
  check(api_->cuEventSynchronize(event_of(event)), "cuEventSynchronize");
}

bool CudaDriver::is_complete(Handle event) {
  enter();
  const CUresult result = api_->cuEventQuery(event_of(event));
  if (result == CUDA_ERROR_NOT_READY) return false;
  check(result, "cuEventQuery");
  return true;
}

double CudaDriver::seconds_between(Handle earlier, Handle later) {
  enter();
  float milliseconds = 0;
  check(api_->cuEventElapsedTime(&milliseconds, event_of(earlier), event_of(later)), "cuEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace rtcg::cuda
