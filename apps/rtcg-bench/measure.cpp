#include "apps/rtcg-bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

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

/// The median's standard error is below the target and enough was measured.
bool is_good(const std::vector<double>& samples, const Budget& budget) {
  const double error = 1.2533 * summarise(samples).noise / std::sqrt(static_cast<double>(samples.size()));
  return error < budget.noise && std::accumulate(samples.begin(), samples.end(), 0.0) >= budget.least_seconds;
}

}  // namespace

std::vector<Measurement> repeat_in_turn(const std::vector<Sampler>& samplers, const Budget& budget) {
  const auto start = Clock::now();
  const double most_seconds = budget.most_seconds * static_cast<double>(samplers.size());
  std::vector<std::vector<double>> samples(samplers.size());
  while (true) {
    for (std::size_t i = 0; i < samplers.size(); ++i) samples[i].push_back(samplers[i]());
    const bool late = seconds_since(start) > most_seconds;
    const std::size_t rounds = samples.front().size();
    if (rounds < least_samples && !(late && rounds >= 3)) continue;
    if (late || std::all_of(samples.begin(), samples.end(), [&](const auto& own) { return is_good(own, budget); }))
      break;
  }
  std::vector<Measurement> results;
  for (std::vector<double>& own : samples) results.push_back(summarise(std::move(own)));
  return results;
}

Measurement repeat(const Sampler& sample, const Budget& budget) {
  return repeat_in_turn({sample}, budget).front();
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

double seconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return seconds_since(start);
}

Sampler device_sampler(const Stream& stream, std::function<void()> work) {
  const auto timed = [stream, work = std::move(work)](int times) {
    const Event start = stream.record();
    for (int i = 0; i < times; ++i) work();
    const Event end = stream.record();
    stream.flush();
    return seconds_between(start, end) / times;
  };
  timed(1);
  const double once = timed(1);
  const int batch = once < 50e-6 ? static_cast<int>(std::ceil(50e-6 / std::max(once, 1e-7))) : 1;
  return [timed, batch] { return timed(batch); };
}

Sampler host_sampler(std::function<void()> work, std::function<void()> prepare) {
  Sampler sampler = [work = std::move(work), prepare = std::move(prepare)] {
    if (prepare) prepare();
    return seconds_of(work);
  };
  sampler();
  return sampler;
}

Measurement measure(const Stream& stream, const std::function<void()>& work, const Budget& budget) {
  return repeat(device_sampler(stream, work), budget);
}

Measurement measure_host(const std::function<void()>& work, const Budget& budget) {
  return repeat(host_sampler(work), budget);
}

}  // namespace rtcg::bench
