#include "rtcg/device/opencl/driver.h"

namespace rtcg::opencl {

namespace {

cl_command_queue queue_of(cl_event event) {
  cl_command_queue queue = nullptr;
  clGetEventInfo(event, CL_EVENT_COMMAND_QUEUE, sizeof(cl_command_queue), &queue, nullptr);
  return queue;
}

}  // namespace

cl_command_queue OpenClDriver::make_queue() {
  const cl_queue_properties properties_of_queue[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
  cl_int status = CL_SUCCESS;
  const cl_command_queue queue = clCreateCommandQueueWithProperties(context(), device_, properties_of_queue, &status);
  check(status, "clCreateCommandQueueWithProperties");
  const std::scoped_lock lock(queues_mutex_);
  queues_.insert(queue);
  return queue;
}

cl_command_queue OpenClDriver::service_queue() {
  std::call_once(service_made_, [this] { service_queue_ = make_queue(); });
  return service_queue_;
}

Handle OpenClDriver::create_stream() {
  return to_handle(make_queue());
}

void OpenClDriver::release_stream(Handle stream) noexcept {
  if (stream == 0) return;
  if (binary_needs_quiet_) clFinish(to_queue(stream));
  {
    const std::scoped_lock lock(queues_mutex_);
    queues_.erase(to_queue(stream));
  }
  clReleaseCommandQueue(to_queue(stream));
}

void OpenClDriver::synchronize(Handle stream) {
  check(clFinish(to_queue(stream)), "clFinish");
}

void OpenClDriver::flush(Handle stream) {
  check(clFlush(to_queue(stream)), "clFlush");
}

Handle OpenClDriver::record_event(Handle stream) {
  cl_event event = nullptr;
  check(clEnqueueMarkerWithWaitList(to_queue(stream), 0, nullptr, &event), "clEnqueueMarkerWithWaitList");
  return to_handle(event);
}

void OpenClDriver::release_event(Handle event) noexcept {
  if (event != 0) clReleaseEvent(to_event(event));
}

void OpenClDriver::wait_event(Handle stream, Handle event) {
  // A queue that waits for another's event needs that queue flushed, or both may wait for ever.
  if (const cl_command_queue other = queue_of(to_event(event)); other != nullptr && other != to_queue(stream)) {
    check(clFlush(other), "clFlush");
  }
  const cl_event list[] = {to_event(event)};
  check(clEnqueueBarrierWithWaitList(to_queue(stream), 1, list, nullptr), "clEnqueueBarrierWithWaitList");
}

void OpenClDriver::synchronize_event(Handle event) {
  const cl_event list[] = {to_event(event)};
  check(clWaitForEvents(1, list), "clWaitForEvents");
}

bool OpenClDriver::is_complete(Handle event) {
  cl_int state = CL_QUEUED;
  check(clGetEventInfo(to_event(event), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr),
        "clGetEventInfo");
  if (state < 0) fail(state, "command before the event", properties().id);
  if (state == CL_COMPLETE) return true;
  // Whoever polls expects progress, which an unflushed queue need not make.
  if (const cl_command_queue queue = queue_of(to_event(event))) check(clFlush(queue), "clFlush");
  return false;
}

double OpenClDriver::seconds_between(Handle earlier, Handle later) {
  const auto end_of = [this](Handle event) {
    cl_ulong nanoseconds = 0;
    check(clGetEventProfilingInfo(to_event(event), CL_PROFILING_COMMAND_END, sizeof nanoseconds, &nanoseconds, nullptr),
          "clGetEventProfilingInfo");
    return nanoseconds;
  };
  return static_cast<double>(static_cast<std::int64_t>(end_of(later) - end_of(earlier))) * 1e-9;
}

}  // namespace rtcg::opencl
