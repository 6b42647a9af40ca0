#include "radar/tile_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "rtcg/compile/template.h"
#include "rtcg/error.h"
#include "rtcg_radar_kernels.h"

namespace rtcg::radar {

namespace {

constexpr double float_rounding = 0x1p-24;  // half a unit in the last place, relative

/// rad, at the worst pixel: errors 20 dB below the image. Above that it is refused rather than formed wrong.
constexpr double largest_phase_error = 0.1;

std::size_t tiles_of(std::size_t pixels, std::size_t tile) {
  return (pixels + tile - 1) / tile;
}

struct Box {
  Vec3 low, high;
};

Box scene_box(const ImageGrid& grid) {
  Box box{{grid.x(0), grid.y(0), grid.z(0)}, {grid.x(grid.nx - 1), grid.y(grid.ny - 1), grid.z(grid.nz - 1)}};
  if (!grid.heights.empty()) {
    const auto [low, high] = std::minmax_element(grid.heights.begin(), grid.heights.end());
    box.low.z() += static_cast<double>(*low);
    box.high.z() += static_cast<double>(*high);
  }
  return box;
}

/// What tiles of half extent `half` (m) can meet anywhere in the scene.
struct Reach {
  double nearest = std::numeric_limits<double>::infinity();  ///< m from an antenna to a tile's centre
  double phase = 0;                                          ///< rad of carrier from a tile's centre to its corner
  double bins = 0;                                           ///< range bins likewise
  double wavenumber = 0;                                     ///< rad/m, largest 4 pi f / c
};

Reach reach_of(const Collection& collection, const Box& scene, const Vec3& half, std::size_t nfft) {
  Reach reach;
  for (std::size_t p = 0; p < collection.pulses(); ++p) {
    const Vec3 to_low = collection.antenna[p] - scene.low, to_high = collection.antenna[p] - scene.high;
    const Vec3 farthest = to_low.cwiseAbs().cwiseMax(to_high.cwiseAbs());
    Vec3 nearest;
    for (int axis = 0; axis < 3; ++axis)
      nearest[axis] =
          to_low[axis] * to_high[axis] <= 0 ? 0.0 : std::min(std::abs(to_low[axis]), std::abs(to_high[axis]));
    // |cosine| along each axis is largest with that axis farthest and the others nearest.
    double metres = half.squaredNorm() / (2 * std::max(nearest.norm(), 1e-30));
    for (int axis = 0; axis < 3; ++axis) {
      Vec3 worst = nearest;
      worst[axis] = farthest[axis];
      metres += worst[axis] == 0 ? 0 : half[axis] * worst[axis] / worst.norm();
    }
    metres = std::min(metres, half.norm());  // a range never changes by more than the way walked
    const double wavenumber = collection.carrier_wavenumber(p);
    const double spacing = speed_of_light / (2 * collection.frequency_step[p] * static_cast<double>(nfft));
    reach.nearest = std::min(reach.nearest, nearest.norm());
    reach.phase = std::max(reach.phase, wavenumber * metres);
    reach.bins = std::max(reach.bins, metres / spacing);
    reach.wavenumber = std::max(reach.wavenumber, wavenumber);
  }
  return reach;
}

double truncation(int order, double half_diagonal, double nearest) {
  const double rho = half_diagonal / nearest;
  if (!(rho < 1)) return std::numeric_limits<double>::infinity();
  return nearest * 2.0 / (2 * order + 1) * std::pow(rho, order + 1) / (1 - rho);
}

Source with_sizes(Source source, const TilePlan& plan, const ImageGrid& grid, std::size_t nfft) {
  define_tiles(source, plan);
  source.define("LANE_STEP", static_cast<float>(plan.lanes_along_y ? grid.dy : grid.dx));
  source.define("RUN_STEP", static_cast<float>(plan.lanes_along_y ? grid.dx : grid.dy));
  source.define("NFFT", static_cast<int>(nfft)).define("WINDOW", plan.window).define("GUARD", plan.window);
  source.define("ROW", static_cast<int>(plan.row(nfft))).define("PARAMETER_QUADS", plan.parameter_quads());
  return source.define("FORM", static_cast<int>(plan.form))
      .define("TAPS", plan.taps)
      .define("HEIGHTS", plan.heights ? 1 : 0);
}

/// Half extent in height of the tiles: one tile may hold any two heights of the scene.
double height_half(const ImageGrid& grid) {
  if (grid.heights.empty()) return 0;
  const auto [low, high] = std::minmax_element(grid.heights.begin(), grid.heights.end());
  return static_cast<double>(*high) - static_cast<double>(*low);
}

}  // namespace

void define_tiles(Source& source, const TilePlan& plan) {
  source.define("TILE_X", static_cast<int>(plan.tile_x)).define("TILE_Y", static_cast<int>(plan.tile_y));
  source.define("LANES_ALONG_Y", plan.lanes_along_y ? 1 : 0);
  source.define("LANE_EXTENT", static_cast<int>(plan.lane_extent()));
  source.define("RUN_EXTENT", static_cast<int>(plan.run_extent()));
}

std::string TilePlan::describe() const {
  const char* range = form == Form::exact          ? "exact difference of ranges"
                      : form == Form::second_order ? "second-order series"
                                                   : "third-order series";
  std::string how = cpu ? fmt::format("{} x {} pixels in registers", lanes, run)
                        : fmt::format("{} pixels an item, {}", run,
                                      stage > 0 ? fmt::format("{} pulses staged", stage) : std::string("unstaged"));
  return fmt::format("{}, tiles of {} x {}, {}, {}", range, tile_x, tile_y, how,
                     taps > 0 ? fmt::format("windowed sinc of {} taps", taps) : std::string("linear"));
}

bool lanes_lie_along_y(const Collection& collection, const ImageGrid& grid) {
  double along_x = 0, along_y = 0;
  for (const Vec3& antenna : collection.antenna) {
    const Vec3 line = antenna - grid.centre;
    const double range = std::max(line.norm(), 1e-30);
    along_x += std::abs(line.x()) / range * grid.dx, along_y += std::abs(line.y()) / range * grid.dy;
  }
  return along_x > along_y;
}

TileTuning standard_tiles(const DeviceProperties& device, const ImagingOptions& options, std::size_t width,
                          std::size_t height, std::size_t planes) {
  TileTuning tiles;
  if (options.loop_shape.value_or(device.kind) != DeviceKind::gpu) {
    tiles.tile = 32, tiles.run = 4;
    tiles.lanes = options.interpolation.kind == Interpolation::Kind::sinc ? 1 : device.simd_width >= 16 ? 16 : 8;
    return tiles;
  }
  // The largest tile that still gives every multiprocessor four groups: measured best on an H200 (docs/benchmarks),
  // where 8 x 8 pixels reuse a staged table window most and 64 registers let four groups share a multiprocessor.
  for (const TileTuning& shape :
       {TileTuning{8, 8, 4, 0, 0}, TileTuning{8, 4, 4, 0, 0}, TileTuning{4, 4, 8, 0, 0}, TileTuning{4, 2, 8, 0, 0}}) {
    tiles = shape;
    const auto run_extent = static_cast<std::size_t>(shape.lines * shape.run);
    if (tiles_of(width, 32) * tiles_of(height, run_extent) * planes >= 4 * device.compute_units) break;
  }
  return tiles;
}

TilePlan plan_tiles(const DeviceProperties& device, const Collection& collection, const ImageGrid& grid,
                    const ImagingOptions& options, std::size_t nfft, const TileTuning& tuning) {
  TilePlan plan;
  plan.cpu = options.loop_shape.value_or(device.kind) != DeviceKind::gpu;
  plan.taps = options.interpolation.kind == Interpolation::Kind::sinc ? options.interpolation.taps : 0;
  plan.heights = !grid.heights.empty();
  if (plan.cpu && device.backend == Backend::cuda) throw UsageError("CPU loops use OpenCL's vectors, which CUDA lacks");
  plan.lanes_along_y = lanes_lie_along_y(collection, grid);
  const std::size_t width = plan.lanes_along_y ? grid.ny : grid.nx, height = plan.lanes_along_y ? grid.nx : grid.ny;
  TileTuning tiles = standard_tiles(device, options, width, height, grid.nz);
  const auto use = [](int& value, int tuned) { value = tuned != 0 ? tuned : value; };
  use(tiles.lines, tuning.lines), use(tiles.run, tuning.run), use(tiles.resident, tuning.resident);
  use(tiles.tile, tuning.tile), use(tiles.lanes, tuning.lanes);
  plan.run = tiles.run;
  if (plan.cpu) {
    plan.tile_x = plan.tile_y = static_cast<std::size_t>(tiles.tile);
    plan.lanes = tiles.lanes;
  } else {
    plan.groups_per_unit = tiles.resident;
    const auto run_extent = static_cast<std::size_t>(tiles.lines * tiles.run);
    plan.tile_x = plan.lanes_along_y ? run_extent : 32, plan.tile_y = plan.lanes_along_y ? 32 : run_extent;
  }
  plan.tiles_x = tiles_of(grid.nx, plan.tile_x), plan.tiles_y = tiles_of(grid.ny, plan.tile_y), plan.tiles_z = grid.nz;

  const Vec3 half(0.5 * static_cast<double>(plan.tile_x) * grid.dx, 0.5 * static_cast<double>(plan.tile_y) * grid.dy,
                  height_half(grid));
  if (options.precision == Precision::reference) return plan;
  // Tiles at the edge are whole too: their centres may lie half a tile outside the scene.
  Box scene = scene_box(grid);
  scene.low -= 2 * half, scene.high += 2 * half;
  const Reach reach = reach_of(collection, scene, half, nfft);
  // Start and end of the tile, coefficients, evaluation and the reduction to a cell each round once or twice.
  const double rounding = 6 * float_rounding * reach.phase + 0x1p-20;
  const double diagonal = half.norm();
  plan.form = TilePlan::Form::exact;
  double cut = 0;
  if (!plan.heights && plan.taps == 0) {
    for (const auto form : {TilePlan::Form::second_order, TilePlan::Form::third_order}) {
      cut = reach.wavenumber * truncation(static_cast<int>(form), diagonal, reach.nearest);
      if (cut <= rounding) {
        plan.form = form;
        break;
      }
    }
  }
  if (plan.form == TilePlan::Form::exact) cut = 8 * float_rounding * reach.phase;
  plan.phase_error_bound = rounding + cut;
  const double window = 2 * std::ceil(reach.bins + 3 + plan.taps);
  if (!(plan.phase_error_bound < largest_phase_error) || !(window < 1 << 22))
    throw UsageError(fmt::format(
        "a tile of {} x {} pixels spans {:.3g} range bins and would err by up to {:.2g} rad of phase in single "
        "precision: use a finer spacing, a smaller nfft or double precision",
        plan.tile_x, plan.tile_y, reach.bins, plan.phase_error_bound));
  plan.window = static_cast<int>(window);

  if (!plan.cpu && plan.taps == 0) {
    const std::size_t budget = std::min<std::size_t>(device.local_memory, 40 << 10);
    for (const int stage : {16, 8, 4}) {
      if (2 * static_cast<std::size_t>(stage) * 16 * static_cast<std::size_t>(plan.window + plan.parameter_quads()) <=
          budget) {
        plan.stage = stage, plan.unroll = 2;
        break;
      }
    }
  }
  // Rounded so that similar geometries share a kernel.
  const int step = plan.stage > 0 ? 8 : 64;
  plan.window = (plan.window + step - 1) / step * step;
  return plan;
}

Source tile_kernel(const TilePlan& plan, const ImageGrid& grid, std::size_t nfft) {
  const int lines = static_cast<int>(plan.run_extent()) / plan.run;
  const std::string text = render(kernels::backproject_tiles_cl,
                                  {{"lanes", plan.lanes},
                                   {"run", plan.run},
                                   {"taps", plan.taps},
                                   {"sinc_phases", sinc_phases},
                                   {"form", static_cast<int>(plan.form)},
                                   {"stage", plan.stage},
                                   {"unroll", plan.unroll},
                                   {"cpu", plan.cpu},
                                   {"heights", plan.heights},
                                   {"pulse_block", 64},
                                   {"group_x", plan.cpu ? 1 : static_cast<int>(plan.lane_extent())},
                                   {"group_y", plan.cpu ? 1 : lines},
                                   {"groups_per_unit", plan.groups_per_unit}},
                                  "backproject_tiles.cl");
  const Dialect dialect = plan.lanes > 1 ? Dialect::opencl : Dialect::portable;  // wide vectors are for CPUs
  return with_sizes(Source("backproject_tiles.cl", text, dialect), plan, grid, nfft);
}

std::vector<Source> tile_sources(const TilePlan& plan, const ImageGrid& grid, std::size_t nfft) {
  return {with_sizes(Source("range_table.cl", std::string(kernels::range_table_cl)), plan, grid, nfft),
          with_sizes(Source("tile_parameters.cl", std::string(kernels::tile_parameters_cl)), plan, grid, nfft),
          tile_kernel(plan, grid, nfft)};
}

}  // namespace rtcg::radar
