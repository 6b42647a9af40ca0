// The kernel for tensor cores, where the caller lets factors be rounded: tf32 keeps 10 bits of fraction, fp16 as many
// and numbers up to 65504. Sums are fp32.
#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

#include <fmt/format.h>
#include <Eigen/Core>

#include "rtcg_vision_kernels.h"
#include "vision/filterbank_kernel.h"
#include "rtcg/device/multiprocessor.h"

namespace rtcg::vision {

namespace {

constexpr std::string_view own = "tensor";
constexpr std::size_t most_stage_blocks = 8;
/// Bytes of a tile: what every GPU with such tensor cores gives, so that the order of the bank is the same everywhere.
constexpr std::size_t most_local_bytes = 99 << 10;
/// Registers for the weights of one pair of blocks, all rows and tiles.
constexpr std::size_t most_weight_registers = 52;

std::size_t count(std::size_t n, std::size_t of) {
  return (n + of - 1) / of;
}

struct Tile {
  bool is_half;
  std::size_t rows, tiles;           ///< of a warp: rows of responses, eights of filters
  std::size_t across, down, groups;  ///< warps of a work-group along columns, rows, filters
  explicit Tile(const Configuration& choice)
      : is_half(choice.word("tensor.factors") == "fp16"),
        rows(value(choice, "tensor.rows")),
        tiles(value(choice, "tensor.tiles")),
        across(value(choice, "tensor.across")),
        down(value(choice, "tensor.down")),
        groups(value(choice, "tensor.groups")) {}
  Tile(bool is_half_, std::size_t rows_, std::size_t tiles_, std::size_t across_, std::size_t down_,
       std::size_t groups_)
      : is_half(is_half_), rows(rows_), tiles(tiles_), across(across_), down(down_), groups(groups_) {}
  std::size_t items() const { return 32 * across * down * groups; }

 private:
  static std::size_t value(const Configuration& choice, std::string_view name) {
    return static_cast<std::size_t>(choice.integer(name));
  }
};

/// A block is 16 bytes: `block_channels` neighbouring channels of one pixel.
struct Layout {
  std::size_t block_channels, stage_blocks, channel_steps;
  std::size_t
      pixel_blocks;  ///< what a pixel takes in local memory: odd, so that eight in a row miss each other's banks
  std::size_t stage_rows = 1, row_steps, blocks, tile_rows, tile_columns, local_bytes, registers, residents;

  Layout(const Multiprocessor& machine, const FilterbankShape& shape, const Tile& tile) {
    block_channels = tile.is_half ? 8 : 4;
    const std::size_t all = count(shape.channels, block_channels);
    channel_steps = count(all, most_stage_blocks);
    stage_blocks = count(all, channel_steps);
    pixel_blocks = stage_blocks | 1;
    tile_columns = (16 * tile.across - 1) * shape.stride_x + shape.filter_width;
    // Whole divisors of the filter's rows: a row more than there are would read pixels that do not belong to it.
    const auto bytes = [&](std::size_t rows) {
      return 16 * pixel_blocks * tile_columns * ((tile.rows * tile.down - 1) * shape.stride_y + rows);
    };
    for (std::size_t rows = shape.filter_height; rows > 1; --rows)
      if (shape.filter_height % rows == 0 && 2 * rows * tile.tiles <= most_weight_registers &&
          bytes(rows) <= most_local_bytes) {
        stage_rows = rows;
        break;
      }
    row_steps = shape.filter_height / stage_rows;
    blocks = shape.filter_width * stage_blocks;
    tile_rows = (tile.rows * tile.down - 1) * shape.stride_y + stage_rows;
    local_bytes = bytes(stage_rows);
    registers = count(4 * tile.rows * tile.tiles + 2 * stage_rows * tile.tiles + 36, 8) * 8;
    residents = std::min({machine.registers / (tile.items() * registers), machine.local_bytes / (local_bytes + 1024),
                          machine.items / tile.items(), std::size_t{8}});
  }
  std::size_t steps() const { return channel_steps * row_steps; }
  std::size_t step_words() const { return 32 * blocks * stage_rows; }
  bool fits() const { return local_bytes <= most_local_bytes && registers <= 248 && residents > 0; }
};

/// As many rows as there are, up to 16, and fit: they share what is read of the image.
std::optional<Tile> standard_tile(const Multiprocessor& machine, const FilterbankShape& shape, bool is_half) {
  const std::size_t eights = count(shape.filters, 8);
  const std::size_t groups = eights >= 4 ? 4 : eights >= 2 ? 2 : 1;
  for (const std::size_t rows : {16, 8, 4}) {
    if (rows > 4 && 2 * shape.output_height() < 3 * rows) continue;
    const Tile tile(is_half, rows, 1, groups == 1 ? 2 : 1, 1, groups);
    if (Layout(machine, shape, tile).fits()) return tile;
  }
  return std::nullopt;
}

std::uint32_t rounded_to_tf32(float x) {
  return (std::bit_cast<std::uint32_t>(x) + 0x1000u) & ~0x1fffu;  // to nearest, ties away, as cvt.rna
}

std::uint32_t half_bits(float x) {
  return Eigen::half_impl::float_to_half_rtne(x).x;
}

class TensorKernel final : public FilterbankKernel {
 public:
  std::string_view name() const override { return own; }

  bool serves(const Device& device, const FilterbankProblem& problem) const override {
    // A tile holds eight filters; for one alone the exact kernel is faster.
    if (problem.allow == Precision::exact || problem.shape.filters == 1 || device.properties().backend != Backend::cuda)
      return false;
    const std::string_view architecture = device.properties().architecture;
    int capability = 0;
    if (architecture.starts_with("sm_"))
      std::from_chars(architecture.data() + 3, architecture.data() + architecture.size(), capability);
    const Multiprocessor machine = Multiprocessor::of(device);
    return capability >= 80 && standard_tile(machine, problem.shape, false) &&
           standard_tile(machine, problem.shape, true);
  }

  void add_parameters(ParameterSpace& space, const Device& device, const FilterbankProblem& problem) const override {
    const auto values = [](std::initializer_list<std::int64_t> list) {
      return std::vector<ParameterValue>(list.begin(), list.end());
    };
    const auto standard = [](std::size_t value) { return static_cast<std::int64_t>(value); };
    const Multiprocessor machine = Multiprocessor::of(device);
    const FilterbankShape& shape = problem.shape;
    // Blocks of eight channels that are no fewer than those of four gain nothing.
    const bool is_half = problem.allow == Precision::fp16 && count(shape.channels, 8) < count(shape.channels, 4);
    const Tile tile = standard_tile(machine, shape, is_half).value();
    std::vector<ParameterValue> factors{std::string("tf32")};
    if (problem.allow == Precision::fp16)
      factors.insert(is_half ? factors.begin() : factors.end(), std::string("fp16"));
    space.parameter("tensor.factors", factors, factors.front())
        .parameter("tensor.rows", values({8, 16, 12, 4}), standard(tile.rows))
        .parameter("tensor.tiles", values({1, 2, 4}), standard(tile.tiles))
        .parameter("tensor.across", values({1, 2, 4}), standard(tile.across))
        .parameter("tensor.down", values({1, 2, 4}), standard(tile.down))
        .parameter("tensor.groups", values({1, 2, 4, 8}), standard(tile.groups))
        .constraint("no warp without a filter", {"tensor.tiles", "tensor.groups"},
                    [eights = static_cast<std::int64_t>(count(shape.filters, 8))](const Configuration& choice) {
                      const std::int64_t tiles = choice.integer("tensor.tiles");
                      return tiles <= eights && (choice.integer("tensor.groups") - 1) * tiles < eights;
                    })
        .constraint("1 to 16 warps", {"tensor.across", "tensor.down", "tensor.groups"},
                    [](const Configuration& choice) {
                      return choice.integer("tensor.across") * choice.integer("tensor.down") *
                                 choice.integer("tensor.groups") <=
                             16;
                    })
        .constraint(
            "the tile fits local memory and registers",
            {"tensor.factors", "tensor.rows", "tensor.tiles", "tensor.across", "tensor.down", "tensor.groups"},
            [machine, shape](const Configuration& choice) { return Layout(machine, shape, Tile(choice)).fits(); });
  }

  Demand demand(const FilterbankProblem&, const Configuration& choice) const override {
    return {.work_group_size = Tile(choice).items(), .local_bytes = 0};
  }

  Source source(const Device& device, const FilterbankProblem& problem, const Configuration& choice) const override {
    const FilterbankShape& shape = problem.shape;
    const Tile tile(choice);
    const Layout layout(Multiprocessor::of(device), shape, tile);
    TemplateValues values = problem_values(device, problem);
    values.insert({{"factors", choice.word("tensor.factors")},
                   {"item_rows", tile.rows},
                   {"tiles", tile.tiles},
                   {"across_warps", tile.across},
                   {"down_warps", tile.down},
                   {"filter_warps", tile.groups},
                   {"group_columns", 16 * tile.across},
                   {"group_rows", tile.rows * tile.down},
                   {"blocks", count(shape.filters, 8 * tile.tiles * tile.groups)},
                   {"items", tile.items()},
                   {"residents", layout.residents},
                   {"block_channels", layout.block_channels},
                   {"stage_blocks", layout.stage_blocks},
                   {"pixel_blocks", layout.pixel_blocks},
                   {"stage_rows", layout.stage_rows},
                   {"row_steps", layout.row_steps},
                   {"steps", layout.steps()},
                   {"step_words", layout.step_words()},
                   {"pairs", layout.blocks / 2},
                   {"odd", layout.blocks % 2 != 0},
                   {"tile_rows", layout.tile_rows},
                   {"tile_columns", layout.tile_columns}});
    return filterbank_source("filterbank_tensor.cu", kernels::filterbank_tensor_cu, values, problem);
  }

  std::vector<float> arrange(const FilterbankProblem& problem, const Configuration& choice,
                             std::span<const float> bank) const override {
    const FilterbankShape& shape = problem.shape;
    const Tile tile(choice);
    const Layout layout(Multiprocessor{}, shape, tile);  // its order does not depend on the machine
    const std::size_t eights = count(shape.filters, 8 * tile.tiles * tile.groups) * tile.tiles * tile.groups;
    std::vector<float> arranged(eights * layout.steps() * layout.step_words());
    // One channel of a tf32 block, a pair of neighbouring ones of an fp16 block.
    const std::size_t per_word = layout.block_channels / 4;
    const auto weight = [&](std::size_t n, std::size_t j, std::size_t i, std::size_t c) {
      if (n >= shape.filters || c >= shape.channels) return 0.0f;
      return bank[((n * shape.filter_height + j) * shape.filter_width + i) * shape.channels + c];
    };
    float* at = arranged.data();
    for (std::size_t eight = 0; eight < eights; ++eight)
      for (std::size_t step = 0; step < layout.steps(); ++step) {
        const std::size_t first_block = step / layout.row_steps * layout.stage_blocks;
        const std::size_t first_row = step % layout.row_steps * layout.stage_rows;
        const auto word = [&](std::size_t block, std::size_t j, std::size_t lane) {
          const std::size_t c =
              (first_block + block % layout.stage_blocks) * layout.block_channels + lane % 4 * per_word;
          const std::size_t n = 8 * eight + lane / 4, i = block / layout.stage_blocks;
          const float low = weight(n, first_row + j, i, c);
          if (!tile.is_half) return std::bit_cast<float>(rounded_to_tf32(low));
          return std::bit_cast<float>(half_bits(low) | half_bits(weight(n, first_row + j, i, c + 1)) << 16);
        };
        for (std::size_t pair = 0; pair < layout.blocks / 2; ++pair)
          for (std::size_t j = 0; j < layout.stage_rows; ++j)
            for (std::size_t lane = 0; lane < 32; ++lane)
              for (const std::size_t side : {0, 1}) *at++ = word(2 * pair + side, j, lane);
        if (layout.blocks % 2 != 0)
          for (std::size_t j = 0; j < layout.stage_rows; ++j)
            for (std::size_t lane = 0; lane < 32; ++lane) *at++ = word(layout.blocks - 1, j, lane);
      }
    return arranged;
  }

  Grid grid(const Device& device, const FilterbankProblem& problem, const Configuration& choice) const override {
    const FilterbankShape& shape = problem.shape;
    const Tile tile(choice);
    Grid grid =
        Grid::of(count(shape.filters, 8 * tile.tiles * tile.groups) * count(shape.output_width(), 16 * tile.across) *
                     count(shape.output_height(), tile.rows * tile.down) * shape.images,
                 tile.items());
    grid.dynamic_local_bytes = static_cast<std::uint32_t>(Layout(Multiprocessor::of(device), shape, tile).local_bytes);
    return grid;
  }
};

}  // namespace

std::unique_ptr<FilterbankKernel> tensor_kernel() {
  return std::make_unique<TensorKernel>();
}

}  // namespace rtcg::vision
