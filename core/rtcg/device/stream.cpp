#include "rtcg/device/stream.h"

#include "rtcg/device/pool.h"
#include "rtcg/error.h"

namespace rtcg {

struct Event::State {
  Device device;
  Handle handle;

  State(const Device& device_, Handle handle_) : device(device_), handle(handle_) {}
  ~State() { device.driver().release_event(handle); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

void Event::synchronize() const {
  if (state_) state_->device.driver().synchronize_event(state_->handle);
}

bool Event::is_complete() const {
  return !state_ || state_->device.driver().is_complete(state_->handle);
}

Handle Event::native() const {
  return state_ ? state_->handle : 0;
}

double seconds_between(const Event& earlier, const Event& later) {
  if (!earlier.state_ || !later.state_) throw UsageError("seconds_between: an event was never recorded");
  if (!(earlier.state_->device == later.state_->device)) {
    throw UsageError("seconds_between: the events are of two devices, " + earlier.state_->device.id() + " and " +
                     later.state_->device.id());
  }
  earlier.synchronize();
  later.synchronize();
  return later.state_->device.driver().seconds_between(earlier.state_->handle, later.state_->handle);
}

Stream::State::State(const Device& device_) : device(device_), handle(device_.driver().create_stream()) {}

Stream::State::~State() {
  device.pool().forget_stream(handle);
  device.driver().release_stream(handle);
}

Stream::Stream(const Device& device) : state_(std::make_shared<State>(device)) {}

Event Stream::record() const {
  Driver& driver = state_->device.driver();
  const Handle handle = driver.record_event(state_->handle);
  Event event;
  try {
    event.state_ = std::make_shared<Event::State>(state_->device, handle);
  } catch (...) {
    driver.release_event(handle);
    throw;
  }
  return event;
}

void Stream::wait(const Event& event) const {
  if (!event.state_) return;
  if (!(event.state_->device == state_->device)) {
    throw UsageError("Stream::wait: the event is of " + event.state_->device.id() + ", the stream of " +
                     state_->device.id());
  }
  state_->device.driver().wait_event(state_->handle, event.state_->handle);
}

}  // namespace rtcg
