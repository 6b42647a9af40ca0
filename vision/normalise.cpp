#include "vision/normalise.h"

#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "rtcg/array/kernel_table.h"
#include "rtcg/array/loop_shape.h"
#include "rtcg/compile/template.h"
#include "rtcg_vision_kernels.h"
#include "vision/image_operator.h"

namespace rtcg::vision {

namespace {

/// How the two kernels divide their work.
struct Plan {
  bool cpu, wide, remove_mean;
  std::size_t channels, lanes, team, tile_x, tile_y, group;
};

Plan plan_for(const Array& stack, const Normalisation& normalisation) {
  Plan plan{};
  const DeviceProperties& device = stack.device().properties();
  plan.cpu = loop_shape(stack.device()) == LoopShape::cpu;
  plan.wide = stack.size() + stack.offset() > std::numeric_limits<std::int32_t>::max();
  plan.remove_mean = normalisation.remove_mean;
  plan.channels = static_cast<std::size_t>(stack.extent(3));
  const bool aligned = plan.channels % 4 == 0 && stack.offset() % 4 == 0;
  plan.lanes = plan.cpu ? 8 : aligned ? 4 : 1;
  plan.team = plan.cpu ? 1 : std::bit_floor(std::min<std::size_t>(32, plan.channels / plan.lanes));
  plan.group = plan.cpu ? 1 : 256;
  plan.tile_x = plan.cpu ? 64 : 32, plan.tile_y = plan.cpu ? 1 : 8;
  const std::size_t most = std::min<std::size_t>(std::size_t{32} << 10, device.local_memory);
  const auto local_bytes = [&] {
    return 2 * sizeof(float) * plan.tile_y * (2 * plan.tile_x + normalisation.width - 1);
  };
  while (!plan.cpu && plan.tile_y > 1 && local_bytes() > most) plan.tile_y /= 2;
  if (!plan.cpu && local_bytes() > most)
    throw UsageError(fmt::format("normalise: a window {} columns wide needs {} bytes of local memory; {} has {}",
                                 normalisation.width, local_bytes(), device.name, most));
  return plan;
}

Source source_for(const Plan& plan, const Normalisation& normalisation) {
  return Source("normalise.cl", render(kernels::normalise_cl,
                                       {{"index_type", plan.wide ? "ulong" : "uint"},
                                        {"cpu", plan.cpu},
                                        {"remove_mean", plan.remove_mean},
                                        {"channels", plan.channels},
                                        {"lanes", plan.lanes},
                                        {"team", plan.team},
                                        {"group", plan.group},
                                        {"tile_x", plan.tile_x},
                                        {"tile_y", plan.tile_y},
                                        {"height", normalisation.height},
                                        {"width", normalisation.width},
                                        {"unroll_y", std::min<std::size_t>(normalisation.height, 16)},
                                        {"unroll_x", std::min<std::size_t>(normalisation.width, 16)}},
                                       "normalise.cl"));
}

template <class Index>
Array run(const Array& stack, const Normalisation& normalisation, const Plan& plan) {
  const Stream& stream = stack.stream();
  const std::int64_t count = stack.extent(0), rows = stack.extent(1), columns = stack.extent(2);
  const std::int64_t out_rows = rows - static_cast<std::int64_t>(normalisation.height) + 1;
  const std::int64_t out_columns = columns - static_cast<std::int64_t>(normalisation.width) + 1;
  const std::string key = fmt::format("{},{},{},{},{},{},{}", plan.cpu, plan.wide, plan.remove_mean, plan.channels,
                                      plan.lanes, normalisation.height, normalisation.width);
  const auto kernel = [&](const char* name) -> const Kernel& {
    return cached_kernel(stream.device(), fmt::format("vision.{}", name), key,
                         [&] { return std::pair(source_for(plan, normalisation), std::string(name)); });
  };
  const auto index = [](auto value) { return static_cast<Index>(value); };
  const auto real = [](double value) { return static_cast<float>(value); };
  const std::size_t chunks = 8 * stream.device().properties().compute_units;
  Buffer means = stack.buffer(), squares = stack.buffer();
  if (plan.channels > 1) {
    const auto pixels = static_cast<std::size_t>(count * rows * columns);
    squares = Buffer::of<float>(stream, pixels);
    if (plan.remove_mean) means = Buffer::of<float>(stream, pixels);
    const Grid grid = plan.cpu ? Grid::of(std::clamp<std::size_t>(pixels / 256, 1, chunks), 1)
                               : Grid::over(pixels * plan.team, plan.group);
    kernel("pixel_moments")(stream, grid, stack.buffer(), means, squares, index(stack.offset()), index(pixels));
  }
  const Array result = Array::empty(stream, {count, out_rows, out_columns, stack.extent(3)}, Dtype::f32);
  const auto tiles_along = [](std::int64_t extent, std::size_t tile) {
    return (static_cast<std::size_t>(extent) + tile - 1) / tile;
  };
  const std::size_t tiles =
      static_cast<std::size_t>(count) * tiles_along(out_columns, plan.tile_x) * tiles_along(out_rows, plan.tile_y);
  const Grid grid = plan.cpu ? Grid::of(std::min(tiles, chunks), 1) : Grid::of(tiles, plan.group);
  kernel("normalise")(stream, grid, stack.buffer(), means, squares, result.buffer(), index(stack.offset()),
                      index(tiles), index(rows), index(columns), real(normalisation.stretch),
                      real(normalisation.threshold + normalisation.epsilon), real(normalisation.epsilon));
  return result;
}

}  // namespace

void Normalisation::check() const {
  if (height == 0 || width == 0)
    throw UsageError(fmt::format("normalise: a window of {} x {}; both must be positive", height, width));
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (!positive(stretch) || !positive(epsilon))
    throw UsageError(fmt::format("normalise: stretch {} and epsilon {}; both must be positive", stretch, epsilon));
  if (!(threshold >= 0) || !std::isfinite(threshold))
    throw UsageError(fmt::format("normalise: threshold {}; it must not be negative", threshold));
  if (border != Border::valid && border != Border::zero)
    throw UsageError(fmt::format("normalise: border \"{}\"; there are valid and zero", name_of(border)));
}

Array normalise(const Array& images, const Normalisation& normalisation) {
  normalisation.check();
  const Array stack = image_stack("normalise", images, normalisation.height, normalisation.width, normalisation.border);
  const Plan plan = plan_for(stack, normalisation);
  return plan.wide ? run<std::uint64_t>(stack, normalisation, plan) : run<std::uint32_t>(stack, normalisation, plan);
}

}  // namespace rtcg::vision
