#include "apps/rtcg-bench/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <numeric>

#include "rtcg/tune/measure.h"

namespace rtcg::bench {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
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
  const Timing timing = rtcg::summarise(samples);
  return {std::move(samples), timing.seconds, timing.noise};
}

double seconds_of(const std::function<void()>& work) {
  const auto start = Clock::now();
  work();
  return seconds_since(start);
}

Sampler device_sampler(const Stream& stream, std::function<void()> work) {
  return [watch = std::make_shared<Stopwatch>(stream, std::move(work), TimingRule{})] { return watch->sample(); };
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
