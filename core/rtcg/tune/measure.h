// How long does a piece of device work take? Timed between events until the figure is good enough (the relative
// standard error of the median, after NVBench's rule) or the time allowed is over. What is reported is the median and
// how noisy the samples were.
#pragma once

#include <functional>
#include <limits>
#include <vector>

#include "rtcg/device/stream.h"

namespace rtcg {

struct Timing {
  double seconds = 0;       ///< median of one execution
  double noise = 0;         ///< 1.4826 median absolute deviation, relative to the median
  std::size_t samples = 0;  ///< timings behind the median; work under 50 us is timed in batches
};

struct TimingRule {
  double error = 0.01;          ///< relative standard error of the median that is good enough
  double least_seconds = 0.01;  ///< of measured time
  double most_seconds = 0.2;    ///< of wall time
  double give_up = std::numeric_limits<double>::infinity();  ///< an execution this slow is not timed again
  bool cold = false;  ///< sweep the device's cache before each execution, which is then timed alone
};

/// Executes a warmed-up piece of work and returns the seconds of one execution. NumericalError when the clock says that
/// it took no time at all.
class Stopwatch {
 public:
  Stopwatch(const Stream& stream, std::function<void()> work, const TimingRule& rule);
  double sample();
  /// Of the execution that warmed up.
  double first_seconds() const { return first_; }

 private:
  double timed(int executions);

  Stream stream_;
  std::function<void()> work_;
  std::function<void()> sweep_;
  double first_ = 0;
  int batch_ = 1;
};

Timing measure(const Stream& stream, const std::function<void()>& work, const TimingRule& rule);
/// One sample of each in turn, so that all of them meet the same clock and the same load, until every one is good
/// enough; the rule's seconds are for each of them.
std::vector<Timing> measure_in_turn(const Stream& stream, const std::vector<std::function<void()>>& works,
                                    const TimingRule& rule);

/// Median and noise of samples, at least one.
Timing summarise(const std::vector<double>& samples);

}  // namespace rtcg
