#include "rtcg/tune/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "rtcg/device/buffer.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

using Clock = std::chrono::steady_clock;
constexpr double shortest_batch = 50e-6;  // seconds: below, events and launches are what is timed
constexpr std::size_t least_samples = 5;

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

bool is_good(const std::vector<double>& samples, const TimingRule& rule) {
  if (samples.size() < least_samples) return false;
  const double error = 1.2533 * summarise(samples).noise / std::sqrt(static_cast<double>(samples.size()));
  return error < rule.error && std::accumulate(samples.begin(), samples.end(), 0.0) >= rule.least_seconds;
}

/// Writes more than the last-level cache holds, within reason: some servers' caches are larger than small GPUs.
std::function<void()> sweeper(const Stream& stream) {
  const std::size_t cache = stream.device().properties().cache;
  const Buffer buffer(stream, std::clamp(2 * cache, std::size_t{1} << 20, std::size_t{256} << 20));
  return [buffer, stream] { buffer.zero(stream); };
}

}  // namespace

Timing summarise(const std::vector<double>& samples) {
  Timing timing;
  timing.seconds = median_of(samples);
  timing.samples = samples.size();
  std::vector<double> deviations;
  for (const double sample : samples) deviations.push_back(std::abs(sample - timing.seconds));
  timing.noise = 1.4826 * median_of(deviations) / timing.seconds;
  return timing;
}

Stopwatch::Stopwatch(const Stream& stream, std::function<void()> work, const TimingRule& rule)
    : stream_(stream), work_(std::move(work)) {
  if (rule.cold) sweep_ = sweeper(stream);
  first_ = timed(1);
  if (rule.cold || first_ > 20 * shortest_batch) return;
  const double warm = timed(1);  // the first one also loads code and fills caches
  if (warm < shortest_batch)
    batch_ = static_cast<int>(std::clamp(std::ceil(shortest_batch / std::max(warm, 1e-7)), 1.0, 500.0));
}

double Stopwatch::timed(int executions) {
  if (sweep_) sweep_();
  const Event start = stream_.record();
  for (int n = 0; n < executions; ++n) work_();
  const Event end = stream_.record();
  stream_.flush();
  const double seconds = seconds_between(start, end);
  if (!(seconds > 0)) throw NumericalError("the device's clock says that the kernel took no time");
  return seconds / executions;
}

double Stopwatch::sample() {
  return timed(batch_);
}

std::vector<Timing> measure_in_turn(const Stream& stream, const std::vector<std::function<void()>>& works,
                                    const TimingRule& rule) {
  std::vector<Stopwatch> watches;
  for (const std::function<void()>& work : works) watches.emplace_back(stream, work, rule);
  const auto start = Clock::now();
  const double most_seconds = rule.most_seconds * static_cast<double>(works.size());
  std::vector<std::vector<double>> samples(works.size());
  bool done = works.empty();
  while (!done) {
    for (std::size_t n = 0; n < watches.size(); ++n) samples[n].push_back(watches[n].sample());
    const bool late = std::chrono::duration<double>(Clock::now() - start).count() > most_seconds;
    const bool hopeless = works.size() == 1 && samples.front().front() > rule.give_up;
    done = hopeless || (late && samples.front().size() >= 3) ||
           std::all_of(samples.begin(), samples.end(), [&](const auto& own) { return is_good(own, rule); });
  }
  std::vector<Timing> timings;
  for (const std::vector<double>& own : samples) timings.push_back(summarise(own));
  return timings;
}

Timing measure(const Stream& stream, const std::function<void()>& work, const TimingRule& rule) {
  return measure_in_turn(stream, {work}, rule).front();
}

}  // namespace rtcg
