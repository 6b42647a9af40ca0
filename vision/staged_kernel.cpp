// The kernel for GPUs in exact fp32: image tiles and weights staged in local memory, sums in registers.
#include <algorithm>

#include <fmt/format.h>

#include "rtcg_vision_kernels.h"
#include "vision/filterbank_kernel.h"
#include "vision/multiprocessor.h"

namespace rtcg::vision {

namespace {

constexpr std::string_view own = "staged";
/// Multiply-adds that may be unrolled, 16 bytes each: beyond, the body outgrows the instruction cache.
constexpr std::size_t most_unrolled = 1300;

constexpr std::size_t up_to_multiple(std::size_t n, std::size_t of) {
  return (n + of - 1) / of * of;
}

/// What one item and one work-group do.
struct Tile {
  std::size_t columns, rows, filters;  ///< of an item's responses
  std::size_t across, down, groups;    ///< items of a work-group along the columns, the rows and the filters
  std::size_t channels, buffers;       ///< staged at once, and how many such stages there are in local memory
  std::size_t unroll;                  ///< rows of the filter in one body: they share most of the rows of pixels

  explicit Tile(const Configuration& choice)
      : columns(value(choice, "staged.columns")),
        rows(value(choice, "staged.rows")),
        filters(value(choice, "staged.filters")),
        across(value(choice, "staged.across")),
        down(value(choice, "staged.down")),
        groups(value(choice, "staged.groups")),
        channels(value(choice, "staged.channels")),
        buffers(value(choice, "staged.buffers")),
        unroll(value(choice, "staged.unroll")) {}
  Tile(std::size_t columns_, std::size_t rows_, std::size_t filters_, std::size_t across_, std::size_t down_,
       std::size_t groups_, std::size_t channels_, std::size_t buffers_, std::size_t unroll_)
      : columns(columns_),
        rows(rows_),
        filters(filters_),
        across(across_),
        down(down_),
        groups(groups_),
        channels(channels_),
        buffers(buffers_),
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
      if (local_bytes(tile) <= machine.most_local_bytes) {
        stage_rows = rows;
        break;
      }
      if (rows == 1) return;
    }
    residents =
        std::min({machine.registers / (tile.items() * registers), machine.local_bytes / (local_bytes(tile) + 1024),
                  std::size_t{16}, machine.items / tile.items()});
  }
  std::size_t local_bytes(const Tile& tile) const { return sizeof(float) * stage_floats * tile.buffers; }
  bool fits() const { return stage_rows > 0 && registers <= 248 && residents > 0; }
};

/// A tile that is good where nothing is known: many sums an item, several work-groups in flight.
std::optional<Tile> standard_tile(const Multiprocessor& machine, const FilterbankShape& shape) {
  const std::size_t filters = shape.filters >= 2 ? 2 : 1;
  std::size_t groups = 1;
  while (groups < 16 && groups * filters < shape.filters) groups *= 2;
  for (; groups > 0; groups /= 2)
    for (const std::size_t rows :
         {shape.filter_width * shape.stride_x <= 10 ? std::size_t{4} : std::size_t{2}, std::size_t{2}, std::size_t{1}})
      for (const std::size_t columns : {std::size_t{8}, std::size_t{4}})
        for (std::size_t channels = 8; channels > 0; channels /= 2) {
          if (channels > 1 && channels > shape.channels) continue;
          const std::size_t across = groups >= 16 ? 8 : groups >= 2 ? 8 : 16;
          const Tile tile(
              columns, rows, filters, across, std::max<std::size_t>(1, 128 / (across * groups)), groups, channels,
              channels < shape.channels ? 2 : 1,
              shape.filter_height >= 2 && 2 * columns * rows * filters * shape.filter_width <= most_unrolled ? 2 : 1);
          const Layout layout(machine, shape, tile);
          if (layout.fits() && layout.stage_rows == shape.filter_height && layout.local_bytes(tile) <= 40 << 10)
            return tile;
        }
  for (const std::size_t columns : {std::size_t{8}, std::size_t{4}}) {
    const Tile tile(columns, 1, filters, 8, 4, 1, 1, 1, 1);
    if (Layout(machine, shape, tile).fits()) return tile;
  }
  return std::nullopt;
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
    space.parameter("staged.columns", values({8, 4}), standard(tile.columns))
        .parameter("staged.rows", values({2, 4, 3, 5, 6, 1}), standard(tile.rows))
        .parameter("staged.filters", values({2, 4, 8, 1}), standard(tile.filters))
        .parameter("staged.across", values({8, 4, 16}), standard(tile.across))
        .parameter("staged.down", values({1, 2, 4, 8, 16}), standard(tile.down))
        .parameter("staged.groups", values({1, 2, 4, 8, 16}), standard(tile.groups))
        .parameter("staged.channels", values({1, 2, 4, 8}), standard(tile.channels))
        .parameter("staged.buffers", values({1, 2}), standard(tile.buffers))
        .parameter("staged.unroll", values({1, 2, 4}), standard(tile.unroll))
        .constraint("no group of filters without a filter", {"staged.filters", "staged.groups"},
                    [filters = shape.filters](const Configuration& choice) {
                      const auto own_filters = static_cast<std::size_t>(choice.integer("staged.filters"));
                      const auto groups = static_cast<std::size_t>(choice.integer("staged.groups"));
                      return (groups == 1 || (groups / 2) * own_filters < filters) && (own_filters / 2 < filters);
                    })
        .constraint("no channel that is not there, and two buffers only for more than one stage",
                    {"staged.channels", "staged.buffers"},
                    [channels = shape.channels](const Configuration& choice) {
                      const auto staged = static_cast<std::size_t>(choice.integer("staged.channels"));
                      return (staged == 1 || staged <= channels) &&
                             (choice.integer("staged.buffers") == 1 || staged < channels);
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
        .constraint(
            "the tile fits local memory and registers",
            {"staged.columns", "staged.rows", "staged.filters", "staged.across", "staged.down", "staged.groups",
             "staged.channels", "staged.buffers"},
            [machine, shape](const Configuration& choice) { return Layout(machine, shape, Tile(choice)).fits(); });
  }

  Demand demand(const FilterbankProblem&, const Configuration& choice) const override {
    return {.work_group_size = Tile(choice).items(), .local_bytes = 0};
  }

  Source source(const Device& device, const FilterbankProblem& problem, const Configuration& choice) const override {
    const FilterbankShape& shape = problem.shape;
    const Tile tile(choice);
    const Layout layout(Multiprocessor::of(device), shape, tile);
    const std::size_t row_steps = (shape.filter_height + layout.stage_rows - 1) / layout.stage_rows;
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
                   {"row_steps", row_steps},
                   {"steps", row_steps * ((shape.channels + tile.channels - 1) / tile.channels)},
                   {"buffers", tile.buffers},
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
          static_cast<std::uint32_t>(Layout(Multiprocessor::of(device), shape, tile).local_bytes(tile));
    return grid;
  }
};

}  // namespace

std::unique_ptr<FilterbankKernel> staged_kernel() {
  return std::make_unique<StagedKernel>();
}

}  // namespace rtcg::vision
