#include "apps/rtcg-bench/record.h"

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/common/logging.h"
#include "rtcg/device/device.h"
#include "rtcg/version.h"

namespace rtcg::bench {

namespace {

constexpr std::size_t most_samples = 51;

/// In order and evenly spaced, so that a record of many short executions stays readable.
std::vector<double> thinned(const std::vector<double>& samples) {
  if (samples.size() <= most_samples) return samples;
  std::vector<double> kept;
  for (std::size_t k = 0; k < most_samples; ++k) kept.push_back(samples[k * (samples.size() - 1) / (most_samples - 1)]);
  return kept;
}

}  // namespace

void Suite::add(Result result) {
  std::string ratios;
  for (const auto& [peer, ratio] : result.ratios) ratios += fmt::format("  {:.3g} x {}", ratio, peer);
  app::log_info("{:44} {:>10.4g} {:8} +-{:.1f} %{}", result.name, result.value, result.unit,
                100 * result.measurement.noise, ratios);
  results.push_back(std::move(result));
}

nlohmann::ordered_json to_json(const Context& context, const std::vector<Suite>& suites, const std::string& commit) {
  const DeviceProperties& device = context.stream.device().properties();
  nlohmann::ordered_json json;
  json["schema"] = 1;
  json["commit"] = commit;
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  json["date"] = date;
  json["version"] = version;
  json["device"] = {{"id", device.id},
                    {"name", device.name},
                    {"platform", device.platform},
                    {"driver", device.driver},
                    {"architecture", device.architecture},
                    {"compute_units", device.compute_units},
                    {"memory_bytes", device.global_memory}};
  json["host"] = {{"threads", std::thread::hardware_concurrency()}, {"compiler", "g++ " __VERSION__}};
  json["toolkit"] = context.stream.device().driver().compiler_identity();
  json["quick"] = context.quick;
  if (!context.only.empty()) json["only"] = context.only;
  json["ceilings"] = {{"copy_bytes_per_second", context.copy_bandwidth}, {"fma_flop_per_second", context.fma_rate}};
  if (context.fma_rate_double > 0) json["ceilings"]["fma_double_flop_per_second"] = context.fma_rate_double;
  if (context.tensor_rate_double > 0) json["ceilings"]["tensor_double_flop_per_second"] = context.tensor_rate_double;
  json["suites"] = nlohmann::ordered_json::array();
  for (const Suite& suite : suites) {
    nlohmann::ordered_json results = nlohmann::ordered_json::array();
    for (const Result& result : suite.results) {
      nlohmann::ordered_json entry{{"name", result.name}, {"value", result.value}, {"unit", result.unit}};
      if (!result.measurement.samples.empty()) {
        entry["median_seconds"] = result.measurement.median;
        entry["noise"] = result.measurement.noise;
        entry["executions"] = result.measurement.samples.size();
        entry["samples"] = thinned(result.measurement.samples);
      }
      if (!result.ratios.empty()) entry["ratios"] = result.ratios;
      if (!result.figures.empty()) entry["figures"] = result.figures;
      if (!result.note.empty()) entry["note"] = result.note;
      results.push_back(std::move(entry));
    }
    json["suites"].push_back({{"name", suite.name}, {"results", std::move(results)}});
    if (!suite.failures.empty()) json["suites"].back()["failures"] = suite.failures;
  }
  return json;
}

}  // namespace rtcg::bench
