// How far a long job is: a bar that redraws itself on a terminal, otherwise a plain line every few seconds, nothing
// when the verbosity is quiet. A job shorter than that prints nothing.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace rtcg::app {

class Progress {
 public:
  /// `total` steps of whatever `unit` names ("pulses").
  Progress(std::string label, std::size_t total, std::string unit = "");
  ~Progress();  ///< wipes the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `done` steps of the total, in any order and from any thread; shows the largest seen, and the latest note after it.
  void update(std::size_t done, const std::string& note = {});

 private:
  using Clock = std::chrono::steady_clock;
  void draw(double seconds);

  std::string label_, unit_, note_;
  std::size_t total_, done_ = 0;
  bool enabled_, terminal_, drawn_ = false;
  Clock::time_point start_, last_;
  std::mutex mutex_;
};

}  // namespace rtcg::app
