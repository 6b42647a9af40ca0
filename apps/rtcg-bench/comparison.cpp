#include "apps/rtcg-bench/comparison.h"

#include <fmt/format.h>

#include "rtcg/error.h"

namespace rtcg::bench {

Comparison::Comparison(Suite& suite, const Context& context, std::string name, Work work)
    : suite_(suite), context_(context), name_(std::move(name)), work_(std::move(work)) {}

void Comparison::peer(const std::string& name, std::function<void()> queue, const std::string& note) {
  peers_.push_back({name, note, device_sampler(context_.stream, std::move(queue))});
}

void Comparison::host_peer(const std::string& name, std::function<void()> run, std::function<void()> prepare) {
  peers_.push_back({name, {}, host_sampler(std::move(run), std::move(prepare))});
}

Result Comparison::result(const Entry& entry, const Measurement& time) const {
  Result line{entry.name, work_.amount / time.median, work_.unit, time, {}, {}, entry.note};
  if (work_.bytes > 0) line.ratios["copy"] = work_.bytes / time.median / context_.copy_bandwidth;
  return line;
}

Result& Comparison::ours(std::function<void()> queue, const std::function<void()>& check, const std::string& note) {
  queue();
  check();
  std::vector<Entry> entries = std::move(peers_);
  entries.push_back({name_, note, device_sampler(context_.stream, std::move(queue))});
  std::vector<Sampler> samplers;
  for (const Entry& entry : entries) samplers.push_back(entry.sampler);
  const std::vector<Measurement> times = repeat_in_turn(samplers, context_.turn_budget());
  Result own = result(entries.back(), times.back());
  for (std::size_t i = 0; i + 1 < entries.size(); ++i) {
    own.ratios[entries[i].name] = times[i].median / times.back().median;
    entries[i].name = name_ + ": " + entries[i].name;
    suite_.add(result(entries[i], times[i]));
  }
  if (work_.h200_target > 0 && context_.stream.device().properties().name.find("H200") != std::string::npos)
    own.ratios["target"] = own.value / work_.h200_target;
  suite_.add(std::move(own));
  return suite_.results.back();
}

void Comparison::peers_only() {
  std::vector<Sampler> samplers;
  for (const Entry& entry : peers_) samplers.push_back(entry.sampler);
  if (samplers.empty()) return;
  const std::vector<Measurement> times = repeat_in_turn(samplers, context_.turn_budget());
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    peers_[i].name = name_ + ": " + peers_[i].name;
    suite_.add(result(peers_[i], times[i]));
  }
}

void require(bool correct, std::string_view what) {
  if (!correct) throw DeviceError(fmt::format("wrong result: {}", what));
}

}  // namespace rtcg::bench
