#include "rtcg/array/scan_tuning.h"

#include <algorithm>

#include "rtcg/array/expression_trial.h"
#include "rtcg/array/scans.h"
#include "rtcg/tune/choice.h"

namespace rtcg {

namespace {

constexpr const char* family = "scan";

struct Problem {
  ScanLoop loop = ScanLoop::chunks;
  std::size_t value_bytes = 4;
  double count = 0;

  /// Runs of 16 bytes on a GPU, as arrays without gaps have them.
  unsigned lanes() const { return loop == ScanLoop::chunks ? 1 : static_cast<unsigned>(16 / value_bytes); }
  std::size_t run_bytes() const { return lanes() * value_bytes; }
};

const char* name_of(ScanLoop loop) {
  return loop == ScanLoop::chunks ? "chunks" : loop == ScanLoop::groups ? "groups" : "lookback";
}

ScanTuning read(const Configuration& configuration) {
  const auto value = [&](const char* name) {
    return configuration.find(name) == nullptr ? 0u : static_cast<unsigned>(configuration.integer(name));
  };
  return {value("threads"), value("rows"), value("groups_per_unit"), value("streams")};
}

ParameterSpace space_of(const DeviceProperties& device, const Problem& problem) {
  ScanText text;
  text.value_bytes = problem.value_bytes;
  const ScanPlan plan = plan_scan(problem.loop, device, static_cast<std::size_t>(problem.count), problem.lanes(), text);
  ParameterSpace space;
  if (problem.loop == ScanLoop::chunks)
    return space.parameter("streams", integers({1, 2, 4, 8}), std::int64_t{4})
        .parameter("groups_per_unit", integers({1, 2, 4, 8}), std::int64_t{4});
  const bool looks_back = problem.loop == ScanLoop::lookback;
  space.parameter("threads", looks_back ? integers({128, 256, 512, 1024}) : integers({64, 128, 256}),
                  std::int64_t{plan.threads});
  space.parameter("rows", looks_back ? integers({1, 2, 4, 8}) : integers({1, 2, 4}), std::int64_t{plan.rows});
  if (!looks_back) return space.parameter("groups_per_unit", integers({4, 8, 16}), std::int64_t{8});
  return space.constraint("a tile waits in at most 128 KiB", {"threads", "rows"}, [problem](const Configuration& c) {
    const ScanTuning tuning = read(c);
    return tuning.threads * tuning.rows * problem.run_bytes() <= 128 << 10;
  });
}

Tunable describe(const DeviceProperties& device, const Problem& problem) {
  Tunable tunable;
  tunable.family = family;
  tunable.traits = {{"loop", name_of(problem.loop)}, {"value_bytes", std::to_string(problem.value_bytes)}};
  tunable.sizes = {{"count", problem.count}};
  tunable.space = space_of(device, problem);
  tunable.demand = [problem](const Configuration& configuration) {
    const ScanTuning tuning = read(configuration);
    // What lookback parks beside this is asked for at the launch.
    const std::size_t shared = problem.loop == ScanLoop::groups ? (tuning.threads * (tuning.rows + 1) + 64) * 16 : 0;
    return Demand{std::max(tuning.threads, 1u), shared};
  };
  tunable.trial = [problem](const Stream& stream) {
    const auto count = static_cast<std::size_t>(problem.count);
    auto numbers = std::make_shared<WholeNumbers>(count, 3);
    const Array x =
        numbers->on(stream, problem.value_bytes == 8 ? Dtype::f64 : Dtype::f32, {static_cast<std::int64_t>(count)});
    return expression_trial(stream, family, cumsum(x), [numbers] {
      std::vector<double> sums(numbers->values.size());
      double sum = 0;
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] = sum += numbers->values[k];
      return sums;
    });
  };
  tunable.work = problem.count;
  tunable.unit = "element";
  return tunable;
}

}  // namespace

std::optional<ScanTuning> tuned_scan(const Device& device, ScanLoop loop, std::size_t count, unsigned lanes,
                                     std::size_t value_bytes) {
  static auto* const choices = new Choices<ScanTuning>(family);
  if (value_bytes != 4 && value_bytes != 8) return std::nullopt;
  const unsigned size = size_class(static_cast<double>(count));
  const Problem problem{loop, value_bytes, size_of_class(size)};
  if (lanes != problem.lanes()) return std::nullopt;  // gaps between elements: another kernel
  return choices->find(
      device, size | static_cast<std::uint64_t>(loop) << 6 | value_bytes << 8,
      [&] { return describe(device.properties(), problem); }, read);
}

TunableFamily scan_family() {
  TunableFamily result;
  result.name = family;
  result.meaning = "prefix sums: the tile of a group, the segments of an item";
  result.traits = {{"value_bytes", "bytes of a value, 4: float32, 8: float64", {"4", "8"}}};
  result.sizes = {{"count", "elements", 1 << 24}};
  result.describe = [](const Device& device, const TunableFamily::Traits& traits, const TunableFamily::Sizes& sizes) {
    return describe(device.properties(), {scan_loop(device), std::stoul(traits.at("value_bytes")),
                                          size_of_class(size_class(sizes.at("count")))});
  };
  return result;
}

}  // namespace rtcg
