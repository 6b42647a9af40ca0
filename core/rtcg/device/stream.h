// In-order streams and events. Work given to one stream runs in order; work of two streams may overlap, and overlaps
// with the host. Stream and Event are cheap values; the last copy of a Stream waits for nothing: work already queued
// still runs.
#pragma once

#include <memory>

#include "rtcg/device/device.h"

namespace rtcg {

/// A point in a stream.
class Event {
 public:
  void synchronize() const;
  bool is_complete() const;
  Handle native() const;

  /// Device seconds from `earlier` to `later`, two events of one device; waits for both.
  friend double seconds_between(const Event& earlier, const Event& later);

 private:
  friend class Stream;
  struct State;
  std::shared_ptr<State> state_;
};

class Stream {
 public:
  explicit Stream(const Device& device);

  const Device& device() const { return state_->device; }
  void synchronize() const { state_->device.driver().synchronize(state_->handle); }
  void flush() const { state_->device.driver().flush(state_->handle); }
  Event record() const;
  /// Later work of this stream starts after the event; the host goes on.
  void wait(const Event& event) const;

  /// CUstream or cl_command_queue, for calls into other libraries.
  Handle native() const { return state_->handle; }
  friend bool operator==(const Stream& a, const Stream& b) { return a.state_ == b.state_; }

 private:
  struct State {
    Device device;
    Handle handle = 0;
    explicit State(const Device& device);
    ~State();
    State(const State&) = delete;
    State& operator=(const State&) = delete;
  };
  std::shared_ptr<State> state_;
};

}  // namespace rtcg
