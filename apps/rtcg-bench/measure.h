// How long does a piece of device work take? Repeated until the figure is good enough (after NVBench's rule) or the
// time allowed is over; what is reported is the median and how noisy the samples were.
#pragma once

#include <functional>
#include <vector>

#include "rtcg/device/stream.h"

namespace rtcg::bench {

struct Measurement {
  std::vector<double> samples;  ///< seconds of one execution, in order
  double median = 0;            ///< s
  double noise = 0;             ///< 1.4826 median absolute deviation / median
};

struct Budget {
  double noise = 0.005;        ///< relative standard error of the median that is good enough
  double least_seconds = 0.5;  ///< of measured time
  double most_seconds = 4;     ///< of wall time, warm-up included
};

/// Device time between events around `work`, which queues onto the stream. Work under 50 us is batched.
Measurement measure(const Stream& stream, const std::function<void()>& work, const Budget& budget = {});

/// Host time of `work`, for launches and host baselines.
Measurement measure_host(const std::function<void()>& work, const Budget& budget = {});

/// `sample` returns the seconds of one execution however it likes.
Measurement repeat(const std::function<double()>& sample, const Budget& budget = {});

Measurement summarise(std::vector<double> samples);

}  // namespace rtcg::bench
