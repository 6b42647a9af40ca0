#include "rtcg/array/reduce_tuning.h"

#include <algorithm>

#include "rtcg/array/expression_trial.h"
#include "rtcg/array/reductions.h"
#include "rtcg/tune/choice.h"

namespace rtcg {

namespace {

constexpr const char* family = "reduce";

struct Problem {
  LoopShape loops = LoopShape::gpu;
  std::size_t bytes = 4;  ///< of the accumulator
  ReduceShape shape;

  bool columns() const { return shape.inner != 1; }
  unsigned lanes() const { return loops == LoopShape::cpu ? 1 : static_cast<unsigned>(16 / bytes); }
};

ReduceTuning read(const Configuration& configuration) {
  const auto value = [&](const char* name) {
    return configuration.find(name) == nullptr ? 0u : static_cast<unsigned>(configuration.integer(name));
  };
  return {value("groups_per_unit"), value("unroll"), value("team"), value("columns"), value("lanes")};
}

/// The value, among `values` for the default to be one of them.
std::vector<ParameterValue> with(std::vector<ParameterValue> values, std::int64_t value) {
  if (std::find(values.begin(), values.end(), ParameterValue(value)) == values.end()) values.emplace_back(value);
  return values;
}

ParameterSpace space_of(const DeviceProperties& device, const Problem& problem) {
  const ReducePlan plan =
      plan_reduce(problem.loops, device.compute_units, problem.shape, problem.lanes(), problem.bytes);
  ParameterSpace space;
  if (problem.loops == LoopShape::cpu) {
    space.parameter("groups_per_unit", integers({1, 2, 4, 8}), std::int64_t{4});
    return space.parameter(
        "lanes",
        with(problem.columns() ? integers({128, 256, 512, 1024, 2048}) : integers({4, 8, 16, 32, 64}), plan.lanes),
        std::int64_t{plan.lanes});
  }
  space.parameter("groups_per_unit", integers({2, 4, 8, 16, 32}), std::int64_t{8});
  space.parameter("unroll", with(integers({1, 2, 4, 8}), plan.unroll), std::int64_t{plan.unroll});
  if (problem.columns()) return space.parameter("columns", integers({16, 32, 64, 128, 256}), std::int64_t{64});
  // Wider than a warp is the whole group.
  return space.parameter("team", integers({1, 2, 4, 8, 16, 32, 256}), std::int64_t{plan.team});
}

Tunable describe(const DeviceProperties& device, const Problem& problem) {
  const ReduceShape& shape = problem.shape;
  Tunable tunable;
  tunable.family = family;
  tunable.traits = {{"loops", problem.loops == LoopShape::cpu ? "cpu" : "gpu"},
                    {"along", problem.columns() ? "columns" : "rows"},
                    {"bytes", std::to_string(problem.bytes)}};
  tunable.sizes = {{"outer", static_cast<double>(shape.outer)}, {"length", static_cast<double>(shape.length)}};
  if (problem.columns()) tunable.sizes.emplace("inner", static_cast<double>(shape.inner));
  tunable.space = space_of(device, problem);
  tunable.demand = [problem](const Configuration&) {
    const std::size_t group = problem.loops == LoopShape::cpu ? 1 : 256;
    return Demand{group, group == 1 ? 0 : group * problem.bytes + 16};
  };
  tunable.trial = [problem](const Stream& stream) {
    const ReduceShape& sizes = problem.shape;
    auto numbers = std::make_shared<WholeNumbers>(sizes.outer * sizes.length * sizes.inner, 5);
    const auto extent = [](std::size_t n) { return static_cast<std::int64_t>(n); };
    const Array x = numbers->on(stream, problem.bytes == 8 ? Dtype::f64 : Dtype::f32,
                                {extent(sizes.outer), extent(sizes.length), extent(sizes.inner)});
    return expression_trial(stream, family, sum(x, 1), [numbers, sizes] {
      std::vector<double> sums(sizes.outer * sizes.inner);
      for (std::size_t i = 0; i < numbers->values.size(); ++i)
        sums[i / (sizes.length * sizes.inner) * sizes.inner + i % sizes.inner] += numbers->values[i];
      return sums;
    });
  };
  tunable.work = static_cast<double>(shape.outer * shape.length * shape.inner);
  tunable.unit = "element";
  return tunable;
}

std::size_t rounded(std::size_t size) {
  return static_cast<std::size_t>(size_of_class(size_class(static_cast<double>(size))));
}

}  // namespace

std::optional<ReduceTuning> tuned_reduce(const Device& device, LoopShape loops, const ReduceShape& shape,
                                         unsigned body_lanes, std::size_t accumulator_bytes) {
  static auto* const choices = new Choices<ReduceTuning>(family);
  // Short rows have a kernel of their own.
  if ((accumulator_bytes != 4 && accumulator_bytes != 8) || shape.length <= 8) return std::nullopt;
  Problem problem{loops, accumulator_bytes, shape};
  if (body_lanes != problem.lanes()) return std::nullopt;  // gaps between elements: another kernel
  const auto class_of = [](std::size_t size) -> std::uint64_t { return size_class(static_cast<double>(size)); };
  const std::uint64_t key = class_of(shape.outer) | class_of(shape.length) << 6 | class_of(shape.inner) << 12 |
                            std::uint64_t{problem.columns()} << 18 | static_cast<std::uint64_t>(loops) << 19 |
                            std::uint64_t{accumulator_bytes} << 20;
  return choices->find(
      device, key,
      [&] {
        problem.shape = {rounded(shape.outer), rounded(shape.length),
                         problem.columns() ? std::max<std::size_t>(2, rounded(shape.inner)) : 1};
        return describe(device.properties(), problem);
      },
      read);
}

TunableFamily reduce_family() {
  TunableFamily result;
  result.name = family;
  result.meaning = "sums and their kin over one axis of [outer][length][inner]";
  result.traits = {{"along", "rows (inner is 1) or columns", {"rows", "columns"}},
                   {"bytes", "bytes of an accumulator, 4: float32, 8: float64", {"4", "8"}}};
  result.sizes = {{"outer", "results before the axis", 1},
                  {"length", "elements that are reduced", 1 << 24},
                  {"inner", "results after the axis; with columns", 1024}};
  result.describe = [](const Device& device, const TunableFamily::Traits& traits, const TunableFamily::Sizes& sizes) {
    const auto size = [&](const char* name) { return rounded(static_cast<std::size_t>(sizes.at(name))); };
    const bool columns = traits.at("along") == "columns";
    return describe(device.properties(),
                    {loop_shape(device),
                     std::stoul(traits.at("bytes")),
                     {size("outer"), size("length"), columns ? std::max<std::size_t>(2, size("inner")) : 1}});
  };
  return result;
}

}  // namespace rtcg
