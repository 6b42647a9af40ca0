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

using Sampler = std::function<double()>;  ///< executes once (or a batch) and returns the seconds of one execution

/// Device time between events around `work`, which queues onto the stream. Work under 50 us is batched. The sampler
/// has been warmed up.
Sampler device_sampler(const Stream& stream, std::function<void()> work);
/// Host time of `work`, which was executed once before. `prepare`, where given, runs before each execution, untimed.
Sampler host_sampler(std::function<void()> work, std::function<void()> prepare = {});

Measurement repeat(const Sampler& sample, const Budget& budget = {});
/// One sample of each in turn, so that all meet the same machine, until every one is good enough; the budget holds for
/// each of them.
std::vector<Measurement> repeat_in_turn(const std::vector<Sampler>& samplers, const Budget& budget = {});

/// repeat(device_sampler(...)) and repeat(host_sampler(...)).
Measurement measure(const Stream& stream, const std::function<void()>& work, const Budget& budget = {});
Measurement measure_host(const std::function<void()>& work, const Budget& budget = {});

Measurement summarise(std::vector<double> samples);
double seconds_of(const std::function<void()>& work);  ///< host time of one execution

}  // namespace rtcg::bench
