// The kernel for CPUs and few filters, or a number that leaves vectors of filters partly empty: vectors along the
// columns, from a tile that is staged channel by channel.
#include <algorithm>

#include <fmt/format.h>

#include "rtcg_vision_kernels.h"
#include "vision/filterbank_kernel.h"

namespace rtcg::vision {

namespace {

constexpr std::string_view own = "tile";
constexpr std::size_t most_staged = 512 << 10;  // bytes: within a core's second-level cache

struct Tile {
  std::size_t lanes, vectors, filters, rows, blocks, unroll;
  explicit Tile(const Configuration& choice)
      : lanes(static_cast<std::size_t>(choice.integer("tile.lanes"))),
        vectors(static_cast<std::size_t>(choice.integer("tile.vectors"))),
        filters(static_cast<std::size_t>(choice.integer("tile.filters"))),
        rows(static_cast<std::size_t>(choice.integer("tile.rows"))),
        blocks(static_cast<std::size_t>(choice.integer("tile.blocks"))),
        unroll(static_cast<std::size_t>(choice.integer("tile.unroll"))) {}
  std::size_t columns() const { return lanes * vectors * blocks; }
  std::size_t groups(const FilterbankShape& shape) const { return (shape.filters + filters - 1) / filters; }
  std::size_t staged_bytes(const FilterbankShape& shape) const {
    const std::size_t staged_rows = (rows - 1) * shape.stride_y + shape.filter_height;
    const std::size_t staged_columns = (columns() + (shape.filter_width - 1) / shape.stride_x) * shape.stride_x;
    return sizeof(float) * shape.channels * staged_rows * staged_columns;
  }
};

class TileKernel final : public FilterbankKernel {
 public:
  std::string_view name() const override { return own; }

  bool serves(const Device& device, const FilterbankProblem& problem) const override {
    const FilterbankShape& shape = problem.shape;
    // Others leave the direct kernel's vectors of filters too little for staging to pay.
    const std::size_t simd = std::max(device.properties().simd_width, 1u);
    const std::size_t lanes = (shape.filters + simd - 1) / simd * simd;
    return loop_shape(device) == LoopShape::cpu && device.properties().backend == Backend::opencl &&
           5 * shape.filters < 4 * lanes && shape.filter_height <= 256 && shape.filter_width <= 256 &&
           shape.stride_x <= 8 && smallest(shape) <= std::min(most_staged, device.properties().local_memory);
  }

  void add_parameters(ParameterSpace& space, const Device& device, const FilterbankProblem& problem) const override {
    const auto values = [](std::initializer_list<std::int64_t> list) {
      return std::vector<ParameterValue>(list.begin(), list.end());
    };
    const FilterbankShape& shape = problem.shape;
    const std::int64_t filters = shape.filters >= 4 ? 4 : shape.filters >= 2 ? 2 : 1;
    const bool wide = device.properties().simd_width >= 16;
    const std::size_t most = std::min(most_staged, device.properties().local_memory);
    // The largest tile that leaves half of a first-level cache of 32 KiB to the rest, if there is one.
    const auto fits = [&](std::int64_t rows) {
      const std::size_t staged_rows = static_cast<std::size_t>(rows - 1) * shape.stride_y + shape.filter_height;
      const std::size_t columns = ((wide ? 64 : 32) + (shape.filter_width - 1) / shape.stride_x) * shape.stride_x;
      return sizeof(float) * shape.channels * staged_rows * columns <= most / 16;
    };
    const std::int64_t rows = fits(16) ? 16 : fits(8) ? 8 : fits(4) ? 4 : 1;
    space.parameter("tile.lanes", values({4, 8, 16}), std::int64_t{wide ? 16 : 8})
        .parameter("tile.vectors", values({1, 2, 4, 6}), rows == 1 ? std::int64_t{1} : std::int64_t{4})
        .parameter("tile.filters", values({1, 2, 4, 8}), filters)
        .parameter("tile.rows", values({1, 4, 8, 16}), rows)
        .parameter("tile.blocks", values({1, 2}), std::int64_t{1})
        .parameter("tile.unroll", values({1, 2, 4}), std::int64_t{1})
        .constraint("the tile fits local memory and half a core's cache",
                    {"tile.lanes", "tile.vectors", "tile.rows", "tile.blocks", "tile.filters", "tile.unroll"},
                    [shape, most](const Configuration& choice) { return Tile(choice).staged_bytes(shape) <= most; })
        .constraint("the sums fit the registers", {"tile.vectors", "tile.filters"},
                    [](const Configuration& choice) {
                      return choice.integer("tile.vectors") * choice.integer("tile.filters") <= 24;
                    })
        .constraint("no filters that are not there", {"tile.filters"},
                    [filters = static_cast<std::int64_t>(shape.filters)](const Configuration& choice) {
                      return choice.integer("tile.filters") == 1 || choice.integer("tile.filters") < 2 * filters;
                    });
  }

  Demand demand(const FilterbankProblem& problem, const Configuration& choice) const override {
    return {.work_group_size = 1, .local_bytes = Tile(choice).staged_bytes(problem.shape)};
  }

  Source source(const Device& device, const FilterbankProblem& problem, const Configuration& choice) const override {
    const Tile tile(choice);
    TemplateValues values = problem_values(device, problem);
    values.insert({{"lanes", tile.lanes},
                   {"vectors", tile.vectors},
                   {"filters_per_item", tile.filters},
                   {"tile_rows", tile.rows},
                   {"blocks", tile.blocks},
                   {"unroll", tile.unroll},
                   {"groups", tile.groups(problem.shape)}});
    return filterbank_source("filterbank_tile.cl", kernels::filterbank_tile_cl, values, problem, Dialect::opencl);
  }

  std::vector<float> arrange(const FilterbankProblem& problem, const Configuration& choice,
                             std::span<const float> bank) const override {
    const Tile tile(choice);
    const FilterbankShape& shape = problem.shape;
    const std::size_t fh = shape.filter_height, fw = shape.filter_width, channels = shape.channels;
    std::vector<float> arranged(tile.groups(shape) * fh * fw * channels * tile.filters);
    for (std::size_t n = 0; n < shape.filters; ++n)
      for (std::size_t j = 0; j < fh; ++j)
        for (std::size_t i = 0; i < fw; ++i)
          for (std::size_t c = 0; c < channels; ++c)
            arranged[(((n / tile.filters * fh + j) * channels + c) * fw + i) * tile.filters + n % tile.filters] =
                bank[((n * fh + j) * fw + i) * channels + c];
    return arranged;
  }

  Grid grid(const Device& device, const FilterbankProblem&, const Configuration&) const override {
    return Grid::of(std::size_t{4} * device.properties().compute_units, 1);
  }

 private:
  /// Bytes of the smallest tile.
  static std::size_t smallest(const FilterbankShape& shape) {
    return sizeof(float) * shape.channels * shape.filter_height *
           ((16 + (shape.filter_width - 1) / shape.stride_x) * shape.stride_x);
  }
};

}  // namespace

std::unique_ptr<FilterbankKernel> tile_kernel() {
  return std::make_unique<TileKernel>();
}

}  // namespace rtcg::vision
