#include "apps/rtcg-bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace rtcg::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

constexpr std::size_t least_samples = 7;

}  // namespace

/// Good when the median's standard error is below the target and enough was measured; a plateau, where the noise no
/// longer falls with more samples, is as good as it gets.
Measurement repeat(const std::function<double()>& sample, const Budget& budget) {
  const auto start = Clock::now();
  std::vector<double> samples;
  double total = 0;
  while (true) {
    samples.push_back(sample());
    total += samples.back();
    const bool late = seconds_since(start) > budget.most_seconds;
    if (samples.size() < least_samples && !(late && samples.size() >= 3)) continue;
    const double error = 1.2533 * summarise(samples).noise / std::sqrt(static_cast<double>(samples.size()));
    if (late || (error < budget.noise && total >= budget.least_seconds)) return summarise(std::move(samples));
  }
}

Measurement summarise(std::vector<double> samples) {
  Measurement result;
  result.median = median_of(samples);
  std::vector<double> deviations;
  deviations.reserve(samples.size());
  for (const double sample : samples) deviations.push_back(std::abs(sample - result.median));
  result.noise = 1.4826 * median_of(deviations) / result.median;
  result.samples = std::move(samples);
  return result;
}

Measurement measure(const Stream& stream, const std::function<void()>& work, const Budget& budget) {
  const auto timed = [&](int times) {
    const Event start = stream.record();
    for (int i = 0; i < times; ++i) work();
    const Event end = stream.record();
    stream.flush();
    return seconds_between(start, end) / times;
  };
  timed(1);
  const double once = timed(1);
  const int batch = once < 50e-6 ? static_cast<int>(std::ceil(50e-6 / std::max(once, 1e-7))) : 1;
  return repeat([&] { return timed(batch); }, budget);
}

Measurement measure_host(const std::function<void()>& work, const Budget& budget) {
  work();
  return repeat(
      [&] {
        const auto start = Clock::now();
        work();
        return seconds_since(start);
      },
      budget);
}

}  // namespace rtcg::bench
