// The portable kernel, which serves any shape on any device: no local memory, no barrier.
#include <algorithm>

#include <fmt/format.h>

#include "rtcg_vision_kernels.h"
#include "vision/filterbank_kernel.h"

namespace rtcg::vision {

namespace {

constexpr std::string_view own = "direct";

bool on_cpu(const Device& device) {
  return loop_shape(device) == LoopShape::cpu;
}

/// Vectors of more than four lanes have words in OpenCL only.
std::vector<ParameterValue> lane_counts(const Device& device) {
  std::vector<ParameterValue> counts{std::int64_t{1}, std::int64_t{4}};
  if (on_cpu(device) && device.properties().backend == Backend::opencl)
    counts.insert(counts.end(), {std::int64_t{8}, std::int64_t{16}});
  return counts;
}

struct Tile {
  std::size_t pixels, vectors, lanes, group, unroll;
  explicit Tile(const Configuration& choice)
      : pixels(static_cast<std::size_t>(choice.integer("direct.pixels"))),
        vectors(static_cast<std::size_t>(choice.integer("direct.vectors"))),
        lanes(static_cast<std::size_t>(choice.integer("direct.lanes"))),
        group(static_cast<std::size_t>(choice.integer("direct.group"))),
        unroll(static_cast<std::size_t>(choice.integer("direct.unroll"))) {}
  std::size_t filters() const { return vectors * lanes; }
  std::size_t groups(const FilterbankProblem& problem) const {
    return (problem.shape.filters + filters() - 1) / filters();
  }
};

class DirectKernel final : public FilterbankKernel {
 public:
  std::string_view name() const override { return own; }
  bool serves(const Device&, const FilterbankProblem&) const override { return true; }

  void add_parameters(ParameterSpace& space, const Device& device, const FilterbankProblem& problem) const override {
    const auto values = [](std::initializer_list<std::int64_t> list) {
      return std::vector<ParameterValue>(list.begin(), list.end());
    };
    const bool cpu = on_cpu(device);
    const auto filters = static_cast<std::int64_t>(problem.shape.filters);
    // The widest vector that the filters fill; then as many vectors as they need, up to four.
    std::int64_t lanes = 1;
    for (const ParameterValue& count : lane_counts(device))
      if (std::get<std::int64_t>(count) <= filters) lanes = std::get<std::int64_t>(count);
    const std::int64_t vectors = filters >= 4 * lanes ? 4 : filters >= 2 * lanes ? 2 : 1;
    const std::int64_t pixels = !cpu ? 4 : vectors == 1 && problem.shape.output_width() >= 12 ? 12 : 6;
    space.parameter("direct.lanes", lane_counts(device), lanes)
        .parameter("direct.vectors", values({1, 2, 3, 4}), cpu ? vectors : std::min<std::int64_t>(vectors, 2))
        .parameter("direct.pixels", values({1, 2, 4, 6, 8, 12}), pixels)
        .parameter("direct.unroll", values({1, 2, 4}), std::int64_t{1})
        .parameter("direct.group", cpu ? values({1}) : values({64, 128, 256}), std::int64_t{cpu ? 1 : 128})
        .constraint("no vector without a filter", {"direct.lanes", "direct.vectors"},
                    [filters](const Configuration& choice) {
                      return (choice.integer("direct.vectors") - 1) * choice.integer("direct.lanes") < filters;
                    })
        .constraint("the sums fit the registers", {"direct.lanes", "direct.vectors", "direct.pixels"},
                    [cpu](const Configuration& choice) {
                      const std::int64_t sums = choice.integer("direct.vectors") * choice.integer("direct.pixels");
                      return cpu ? sums <= 28 : sums * choice.integer("direct.lanes") <= 128;
                    });
  }

  Demand demand(const FilterbankProblem&, const Configuration& choice) const override {
    return {.work_group_size = Tile(choice).group, .local_bytes = 0};
  }

  Source source(const Device& device, const FilterbankProblem& problem, const Configuration& choice) const override {
    const Tile tile(choice);
    TemplateValues values = problem_values(device, problem);
    values.insert({{"pixels", tile.pixels},
                   {"vectors", tile.vectors},
                   {"lanes", tile.lanes},
                   {"unroll", tile.unroll},
                   {"filters_per_item", tile.filters()},
                   {"groups", tile.groups(problem)}});
    Source source = filterbank_source("filterbank_direct.cl", kernels::filterbank_direct_cl, values, problem,
                                      tile.lanes > 4 ? Dialect::opencl : Dialect::portable);
    switch (tile.lanes) {
      case 1:
        return source.define("SPLAT(x)", "(x)")
            .define("ZERO", "0.0f")
            .define("LOAD(i, p)", "((p)[i])")
            .define("STORE(v, i, p)", "((p)[i] = (v))");
      case 4:
        return source.define("SPLAT(x)", "make_float4(x, x, x, x)")
            .define("ZERO", "make_float4(0.0f, 0.0f, 0.0f, 0.0f)")
            .define("LOAD(i, p)", "(((global const float4*)(p))[i])")
            .define("STORE(v, i, p)", "vstore4(v, i, p)");
      default:
        return source.define("SPLAT(x)", fmt::format("((float{})(x))", tile.lanes))
            .define("ZERO", fmt::format("((float{})(0.0f))", tile.lanes))
            .define("LOAD(i, p)", fmt::format("(((global const float{}*)(p))[i])", tile.lanes))
            .define("STORE(v, i, p)", fmt::format("vstore{}(v, i, p)", tile.lanes));
    }
  }

  std::vector<float> arrange(const FilterbankProblem& problem, const Configuration& choice,
                             std::span<const float> bank) const override {
    const Tile tile(choice);
    const std::size_t taps = problem.shape.filter_height * problem.shape.filter_width * problem.shape.channels;
    const std::size_t own_filters = tile.filters();
    std::vector<float> arranged(tile.groups(problem) * taps * own_filters);
    for (std::size_t n = 0; n < problem.shape.filters; ++n)
      for (std::size_t k = 0; k < taps; ++k)
        arranged[(n / own_filters * taps + k) * own_filters + n % own_filters] = bank[n * taps + k];
    return arranged;
  }

  Grid grid(const Device& device, const FilterbankProblem& problem, const Configuration& choice) const override {
    const Tile tile(choice);
    if (on_cpu(device)) return Grid::of(std::size_t{4} * device.properties().compute_units, 1);
    const FilterbankShape& shape = problem.shape;
    const std::size_t strips = (shape.output_width() + tile.pixels - 1) / tile.pixels;
    const std::size_t items = shape.images * shape.output_height() * strips * tile.groups(problem);
    const std::size_t groups = (items + tile.group - 1) / tile.group;
    return Grid::of(std::min<std::size_t>(groups, std::size_t{1} << 20), tile.group);
  }
};

}  // namespace

std::unique_ptr<FilterbankKernel> direct_kernel() {
  return std::make_unique<DirectKernel>();
}

}  // namespace rtcg::vision
