// The kernel for GPUs in exact fp32: image tiles and weights staged in local memory, sums in registers.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "rtcg_vision_kernels.h"
#include "vision/filterbank_kernel.h"
#include "rtcg/device/multiprocessor.h"

namespace rtcg::vision {

namespace {

constexpr std::string_view own = "staged";
/// Multiply-adds that may be unrolled, 16 bytes each: beyond, the body outgrows the instruction cache.
constexpr std::size_t most_unrolled = 1700;

constexpr std::size_t up_to_multiple(std::size_t n, std::size_t of) {
  return (n + of - 1) / of * of;
}

/// What one item and one work-group do.
struct Tile {
  std::size_t columns, rows, filters;  ///< of an item's responses
  std::size_t across, down, groups;    ///< items of a work-group along the columns, the rows and the filters
  std::size_t channels;                ///< staged at once
  bool is_asynchronous;                ///< copies without registers, the next stage's while one computes
  std::size_t unroll;                  ///< rows of the filter in one body: they share most of the rows of pixels

  explicit Tile(const Configuration& choice)
      : columns(value(choice, "staged.columns")),
        rows(value(choice, "staged.rows")),
        filters(value(choice, "staged.filters")),
        across(value(choice, "staged.across")),
        down(value(choice, "staged.down")),
        groups(value(choice, "staged.groups")),
        channels(value(choice, "staged.channels")),
        is_asynchronous(choice.flag("staged.asynchronous")),
        unroll(value(choice, "staged.unroll")) {}
  Tile(std::size_t columns_, std::size_t rows_, std::size_t filters_, std::size_t across_, std::size_t down_,
       std::size_t groups_, std::size_t channels_, bool is_asynchronous_, std::size_t unroll_)
      : columns(columns_),
        rows(rows_),
        filters(filters_),
        across(across_),
        down(down_),
        groups(groups_),
        channels(channels_),
        is_asynchronous(is_asynchronous_),
        unroll(unroll_) {}

  std::size_t items() const { return across * down * groups; }
  std::size_t block_filters() const { return groups * filters; }
  std::size_t sums() const { return columns * rows * filters; }

 private:
  static std::size_t value(const Configuration& choice, std::string_view name) {
    return static_cast<std::size_t>(choice.integer(name));
  }
};

/// Where things lie, and what the machine can hold of them.
struct Layout {
  std::size_t stage_rows = 0;  ///< rows of the filter staged at once; 0: it does not fit
  std::size_t row_steps = 1, steps = 1, buffers = 1;
  std::size_t tile_rows = 0, tile_columns = 0, plane = 0, stage_floats = 0;
  std::size_t unrolled_columns = 0, window = 0, registers = 0, residents = 0;

  Layout(const Multiprocessor& machine, const FilterbankShape& shape, const Tile& tile) {
    unrolled_columns = shape.filter_width;
    if (tile.sums() * shape.filter_width > most_unrolled)
      unrolled_columns = std::min(shape.filter_width, std::max<std::size_t>(4, most_unrolled / tile.sums() / 4 * 4));
    window = up_to_multiple((tile.columns - 1) * shape.stride_x + unrolled_columns, 4);
    tile_columns = (tile.across - 1) * tile.columns * shape.stride_x +
                   up_to_multiple((tile.columns - 1) * shape.stride_x + shape.filter_width, 4);
    registers = up_to_multiple(
        tile.sums() + std::min(tile.rows * window, std::max<std::size_t>(tile.sums(), 24)) + tile.filters + 28, 8);
    for (std::size_t rows = shape.filter_height;; rows = (rows + 1) / 2) {
      tile_rows = (tile.rows * tile.down - 1) * shape.stride_y + rows;
      // Planes of neighbouring channels begin 8 banks apart, so that the transposing stores of four do not collide.
      plane = up_to_multiple(tile_rows * tile_columns, 32) + 8;
      stage_floats =
          up_to_multiple(plane * tile.channels + rows * shape.filter_width * tile.channels * tile.block_filters(), 4);
      row_steps = (shape.filter_height + rows - 1) / rows;
      steps = row_steps * ((shape.channels + tile.channels - 1) / tile.channels);
      buffers = tile.is_asynchronous && steps > 1 ? 2 : 1;
      if (local_bytes() <= machine.most_local_bytes) {
        stage_rows = rows;
        break;
      }
      if (rows == 1) return;
    }
    residents = std::min({machine.registers / (tile.items() * registers), machine.local_bytes / (local_bytes() + 1024),
                          std::size_t{16}, machine.items / tile.items()});
  }
  std::size_t local_bytes() const { return sizeof(float) * stage_floats * buffers; }
  bool fits() const { return stage_rows > 0 && registers <= 248 && residents > 0; }
};

/// What part of the multiply-adds a device could do in the time goes into responses, by counting: outputs that are not
/// there, multiprocessors without work in the last round, instructions that are no multiply-adds, items too few to hide
/// what one waits for.
double promise(const Multiprocessor& machine, const FilterbankShape& shape, const Tile& tile, const Layout& layout) {
  const auto count = [](std::size_t n, std::size_t of) { return static_cast<double>((n + of - 1) / of); };
  const double groups = count(shape.filters, tile.block_filters()) *
                        count(shape.output_width(), tile.columns * tile.across) *
                        count(shape.output_height(), tile.rows * tile.down) * static_cast<double>(shape.images);
  const double useful =
      static_cast<double>(shape.outputs()) / (groups * static_cast<double>(tile.items() * tile.sums()));
  const double each = groups / static_cast<double>(machine.count);
  const double rounds = each / static_cast<double>(layout.residents);
  const double balanced = rounds < 4 ? each / std::ceil(each) : 1 - 0.25 / rounds;

  const auto unroll = static_cast<double>(tile.unroll);
  const double adds = static_cast<double>(tile.sums() * layout.unrolled_columns) * unroll;
  // Eight items read 16 bytes each at a time; those of one pixel read the same ones.
  const std::size_t neighbours = std::min(tile.across, 8 / std::min<std::size_t>(tile.groups, 8));
  const double collisions = std::max(1.0, static_cast<double>(neighbours * tile.columns * shape.stride_x) / 32);
  const double pixel_reads = static_cast<double>(layout.window / 4) * (static_cast<double>(tile.rows) + unroll - 1);
  const double weight_reads = static_cast<double>(layout.unrolled_columns * ((tile.filters + 3) / 4)) * unroll;
  const double issued = adds / (adds + 1.5 * (pixel_reads * collisions + weight_reads) + 8);
  // Copying a float alone takes some twelve instructions, in a vector five.
  const double copied =
      static_cast<double>(layout.tile_rows * layout.tile_columns * tile.channels) / static_cast<double>(tile.items());
  const double stage_adds = static_cast<double>(tile.sums() * layout.stage_rows * shape.filter_width * tile.channels);
  const double computing = stage_adds / (stage_adds + copied * (tile.is_asynchronous ? 12 : 5) + 60);
  const double warps = static_cast<double>(layout.residents * tile.items()) / 32;
  const double hidden = warps >= 16 ? 1 : warps >= 12 ? 0.98 : warps >= 8 ? 0.95 : 0.7;
  // A multiprocessor waits some 1500 cycles for a stage and takes 40 bytes of it a cycle. Meanwhile work-groups that
  // are at another stage compute, or all of them where copies are asynchronous.
  const double cycles = stage_adds * static_cast<double>(layout.residents * tile.items()) / 128;
  const double waits = 1500 + static_cast<double>(sizeof(float) * layout.stage_floats * layout.residents) / 40;
  const bool goes_on = tile.is_asynchronous && layout.steps > 1;
  const double overlapped =
      1 - (goes_on ? 0.1 : 1.0) * waits / (waits + cycles) / (rounds > 1 ? static_cast<double>(layout.residents) : 1.0);
  // As measured on an H200: registers deliver the factors of two filters sooner than of four, and reads that collide
  // cost more than their number.
  const double delivered = (tile.filters == 2 ? 1.0 : 0.94) * (collisions > 1 ? 0.8 : 1.0);
  return useful * balanced * issued * computing * hidden * overlapped * delivered;
}

/// The tile of the greatest promise among the usual ones.
std::optional<Tile> standard_tile(const Multiprocessor& machine, const FilterbankShape& shape) {
  std::optional<Tile> best;
  double most = 0;
  const auto consider = [&](const Tile& tile) {
    const Layout layout(machine, shape, tile);
    if (!layout.fits()) return;
    if (const double value = promise(machine, shape, tile, layout); value > most) best = tile, most = value;
  };
  for (const std::size_t filters : {2, 4, 1})
    for (const std::size_t groups : {1, 2, 4, 8, 16}) {
      if ((groups > 1 && groups / 2 * filters >= shape.filters) || (filters > 1 && filters / 2 >= shape.filters))
        continue;
      for (const std::size_t columns : {8, 4})
        for (const std::size_t rows : {4, 2, 3, 1}) {
          const std::size_t sums = columns * rows * filters;
          if (sums > 64) continue;
          for (const std::size_t across : {8, 4, 16})
            for (const std::size_t down : {1, 2, 4, 8}) {
              if (groups * across * down < 32 || groups * across * down > 256) continue;
              for (const std::size_t channels : {1, 2, 4, 8})
                if (channels == 1 || channels <= shape.channels)
                  consider({columns, rows, filters, across, down, groups, channels, channels < shape.channels, 1});
            }
        }
    }
  return best;
}

class StagedKernel final : public FilterbankKernel {
 public:
  std::string_view name() const override { return own; }

  bool serves(const Device& device, const FilterbankProblem& problem) const override {
    return loop_shape(device) == LoopShape::gpu && standard_tile(Multiprocessor::of(device), problem.shape).has_value();
  }

  void add_parameters(ParameterSpace& space, const Device& device, const FilterbankProblem& problem) const override {
    const auto values = [](std::initializer_list<std::int64_t> list) {
      return std::vector<ParameterValue>(list.begin(), list.end());
    };
    const auto standard = [](std::size_t value) { return static_cast<std::int64_t>(value); };
    const Multiprocessor machine = Multiprocessor::of(device);
    const FilterbankShape& shape = problem.shape;
    const Tile tile = standard_tile(machine, shape).value();
    const double least = 0.92 * promise(machine, shape, tile, Layout(machine, shape, tile));
    space.parameter("staged.columns", values({8, 4}), standard(tile.columns))
        .parameter("staged.rows", values({2, 4, 3, 1, 5}), standard(tile.rows))
        .parameter("staged.filters", values({2, 4, 1}), standard(tile.filters))
        .parameter("staged.across", values({8, 4, 16}), standard(tile.across))
        .parameter("staged.down", values({1, 2, 4, 8}), standard(tile.down))
        .parameter("staged.groups", values({1, 2, 4, 8, 16}), standard(tile.groups))
        .parameter("staged.channels", values({1, 2, 4, 8}), standard(tile.channels))
        .parameter("staged.asynchronous", {true, false}, tile.is_asynchronous)
        .parameter("staged.unroll", values({1, 2, 4}), standard(tile.unroll))
        .constraint("no group of filters without a filter", {"staged.filters", "staged.groups"},
                    [filters = shape.filters](const Configuration& choice) {
                      const auto own_filters = static_cast<std::size_t>(choice.integer("staged.filters"));
                      const auto groups = static_cast<std::size_t>(choice.integer("staged.groups"));
                      return (groups == 1 || (groups / 2) * own_filters < filters) && (own_filters / 2 < filters);
                    })
        .constraint("no channel that is not there", {"staged.channels"},
                    [channels = shape.channels](const Configuration& choice) {
                      const auto staged = static_cast<std::size_t>(choice.integer("staged.channels"));
                      return staged == 1 || staged <= channels;
                    })
        .constraint("1 to 128 sums an item", {"staged.columns", "staged.rows", "staged.filters"},
                    [](const Configuration& choice) {
                      const std::int64_t sums = choice.integer("staged.columns") * choice.integer("staged.rows") *
                                                choice.integer("staged.filters");
                      return sums <= 128;
                    })
        .constraint("the body of the loop over filter rows fits the instruction cache",
                    {"staged.columns", "staged.rows", "staged.filters", "staged.unroll"},
                    [shape](const Configuration& choice) {
                      const auto unroll = static_cast<std::size_t>(choice.integer("staged.unroll"));
                      const auto sums =
                          static_cast<std::size_t>(choice.integer("staged.columns") * choice.integer("staged.rows") *
                                                   choice.integer("staged.filters"));
                      return unroll == 1 ||
                             (unroll <= shape.filter_height && sums * shape.filter_width * unroll <= most_unrolled);
                    })
        .constraint("32 to 512 items a work-group", {"staged.across", "staged.down", "staged.groups"},
                    [most = device.properties().max_work_group](const Configuration& choice) {
                      const std::int64_t items = choice.integer("staged.across") * choice.integer("staged.down") *
                                                 choice.integer("staged.groups");
                      return items >= 32 && items <= std::min<std::int64_t>(512, most);
                    })
        .constraint("the tile fits local memory and registers, and counting does not rule it out",
                    {"staged.columns", "staged.rows", "staged.filters", "staged.across", "staged.down", "staged.groups",
                     "staged.channels", "staged.asynchronous", "staged.unroll"},
                    [machine, shape, least](const Configuration& choice) {
                      const Tile candidate(choice);
                      const Layout layout(machine, shape, candidate);
                      return layout.fits() && promise(machine, shape, candidate, layout) >= least;
                    });
  }

  Demand demand(const FilterbankProblem&, const Configuration& choice) const override {
    return {.work_group_size = Tile(choice).items(), .local_bytes = 0};
  }

  Source source(const Device& device, const FilterbankProblem& problem, const Configuration& choice) const override {
    const FilterbankShape& shape = problem.shape;
    const Tile tile(choice);
    const Layout layout(Multiprocessor::of(device), shape, tile);
    // Columns of the filter that are unrolled together: first, how many, how often, values an item reads for them.
    TemplateValue::List parts;
    const auto part = [&](std::size_t first, std::size_t count, std::size_t times) {
      const std::size_t window = up_to_multiple((tile.columns - 1) * shape.stride_x + count, 4);
      parts.emplace_back(TemplateValue::List{first, count, times, window});
    };
    const std::size_t whole = shape.filter_width / layout.unrolled_columns;
    part(0, layout.unrolled_columns, whole);
    if (const std::size_t rest = shape.filter_width % layout.unrolled_columns; rest != 0)
      part(shape.filter_width - rest, rest, 1);
    TemplateValues values = problem_values(device, problem);
    values.insert({{"item_columns", tile.columns},
                   {"item_rows", tile.rows},
                   {"item_filters", tile.filters},
                   {"across_items", tile.across},
                   {"filter_groups", tile.groups},
                   {"block_filters", tile.block_filters()},
                   {"blocks", (shape.filters + tile.block_filters() - 1) / tile.block_filters()},
                   {"group_columns", tile.columns * tile.across},
                   {"group_rows", tile.rows * tile.down},
                   {"items", tile.items()},
                   {"residents", layout.residents},
                   {"stage_channels", tile.channels},
                   {"stage_rows", layout.stage_rows},
                   {"row_steps", layout.row_steps},
                   {"steps", layout.steps},
                   {"asynchronous", tile.is_asynchronous},
                   {"buffers", layout.buffers},
                   {"tile_rows", layout.tile_rows},
                   {"tile_columns", layout.tile_columns},
                   {"plane", layout.plane},
                   {"stage_floats", layout.stage_floats},
                   {"parts", parts},
                   {"row_unroll", tile.unroll}});
    return filterbank_source("filterbank_staged.cl", kernels::filterbank_staged_cl, values, problem);
  }

  std::vector<float> arrange(const FilterbankProblem& problem, const Configuration& choice,
                             std::span<const float> bank) const override {
    const FilterbankShape& shape = problem.shape;
    const std::size_t block = Tile(choice).block_filters(), channels = shape.channels;
    const std::size_t places = shape.filter_height * shape.filter_width;
    std::vector<float> arranged((shape.filters + block - 1) / block * channels * places * block);
    for (std::size_t n = 0; n < shape.filters; ++n)
      for (std::size_t place = 0; place < places; ++place)
        for (std::size_t c = 0; c < channels; ++c)
          arranged[((n / block * channels + c) * places + place) * block + n % block] =
              bank[(n * places + place) * channels + c];
    return arranged;
  }

  Grid grid(const Device& device, const FilterbankProblem& problem, const Configuration& choice) const override {
    const FilterbankShape& shape = problem.shape;
    const Tile tile(choice);
    const auto count = [](std::size_t n, std::size_t of) { return (n + of - 1) / of; };
    Grid grid =
        Grid::of(count(shape.filters, tile.block_filters()) * count(shape.output_width(), tile.columns * tile.across) *
                     count(shape.output_height(), tile.rows * tile.down) * shape.images,
                 tile.items());
    if (device.properties().backend == Backend::cuda)
      grid.dynamic_local_bytes =
          static_cast<std::uint32_t>(Layout(Multiprocessor::of(device), shape, tile).local_bytes());
    return grid;
  }
};

}  // namespace

std::unique_ptr<FilterbankKernel> staged_kernel() {
  return std::make_unique<StagedKernel>();
}

}  // namespace rtcg::vision
