#include "vision/pool.h"

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

constexpr std::size_t group_items = 256;
constexpr int rows_an_item = 4;

/// |x|^order as C text; whole orders by squaring. Others through the logarithm: what its rounding adds to the power the
/// root takes away again, and powr is many times slower on CPUs.
std::string power_text(double order) {
  if (order == 1) return "x";
  if (order != std::floor(order) || order > 64)
    return fmt::format("exp2({} * log2(fabs(x)))", Source::literal(static_cast<float>(order)));
  const auto whole = static_cast<unsigned>(order);
  std::string result, square = whole % 2 == 0 ? "x" : "fabs(x)";
  for (unsigned rest = whole; rest != 0; rest /= 2) {
    if (rest % 2 == 1) result = result.empty() ? square : fmt::format("({} * {})", result, square);
    if (rest > 1) square = fmt::format("({0} * {0})", square);
  }
  return result;
}

std::string root_text(double order) {
  if (order == 1) return "x";
  if (order == 2) return "sqrt(x)";
  return fmt::format("exp2({} * log2(x))", Source::literal(static_cast<float>(1 / order)));
}

std::size_t lanes_for(bool cpu, std::size_t channels, std::int64_t offset) {
  if (!cpu) return channels % 4 == 0 && offset % 4 == 0 ? 4 : 1;
  for (const std::size_t lanes : {16, 8, 4, 2})
    if (channels % lanes == 0) return lanes;
  return 1;
}

}  // namespace

void Pooling::check() const {
  if (height == 0 || width == 0 || stride_y == 0 || stride_x == 0)
    throw UsageError(fmt::format("pool: a window of {} x {} with strides {} and {}; all must be positive", height,
                                 width, stride_y, stride_x));
  if (!(order > 0) || !std::isfinite(order))
    throw UsageError(fmt::format("pool: order {}; a positive number is needed", order));
  if (border != Border::valid && border != Border::zero)
    throw UsageError(fmt::format("pool: border \"{}\"; there are valid and zero", name_of(border)));
}

Array pool(const Array& images, const Pooling& pooling) {
  pooling.check();
  const Array stack = image_stack("pool", images, pooling.height, pooling.width, pooling.border);
  const Device& device = stack.device();
  const std::int64_t count = stack.extent(0), rows = stack.extent(1), columns = stack.extent(2);
  const std::int64_t channels = stack.extent(3);
  const auto outputs = [](std::int64_t extent, std::size_t window, std::size_t stride) {
    return 1 + (extent - static_cast<std::int64_t>(window)) / static_cast<std::int64_t>(stride);
  };
  const std::int64_t out_rows = outputs(rows, pooling.height, pooling.stride_y);
  const std::int64_t out_columns = outputs(columns, pooling.width, pooling.stride_x);
  const Array result = Array::empty(stack.stream(), {count, out_rows, out_columns, channels}, Dtype::f32);

  const bool cpu = loop_shape(device) == LoopShape::cpu;
  const std::size_t lanes = lanes_for(cpu, static_cast<std::size_t>(channels), stack.offset());
  const bool wide = std::max(stack.size(), result.size()) + stack.offset() > std::numeric_limits<std::int32_t>::max();
  const std::string power = power_text(pooling.order);
  const std::string key = fmt::format("{},{},{},{},{},{},{},{},{}", cpu, wide, lanes, channels, pooling.height,
                                      pooling.width, pooling.stride_y, pooling.stride_x, pooling.order);
  const Kernel& kernel = cached_kernel(device, "vision.pool", key, [&] {
    return std::pair(Source("pool.cl", render(kernels::pool_cl,
                                              {{"index_type", wide ? "ulong" : "uint"},
                                               {"lanes", lanes},
                                               {"vector", !cpu && lanes == 4},
                                               {"rows", rows_an_item},
                                               {"channels", channels},
                                               {"height", pooling.height},
                                               {"width", pooling.width},
                                               {"stride_y", pooling.stride_y},
                                               {"stride_x", pooling.stride_x},
                                               {"unroll", std::min<std::size_t>(pooling.width, cpu ? 2 : 16)},
                                               {"power", power},
                                               {"root", root_text(pooling.order)},
                                               {"scaled", pooling.order != 1},
                                               {"cpu", cpu},
                                               {"group", group_items}},
                                              "pool.cl")),
                     std::string("pool"));
  });
  const std::int64_t tasks = count * ((out_rows + rows_an_item - 1) / rows_an_item) * out_columns *
                             (channels / static_cast<std::int64_t>(lanes));
  const auto items = static_cast<std::size_t>(tasks);
  const Grid grid = cpu ? Grid::of(std::clamp<std::size_t>(items / 64, 1, 8 * device.properties().compute_units), 1)
                        : Grid::over(items, group_items);
  const auto launch = [&]<class Index>(Index) {
    const auto index = [](std::int64_t value) { return static_cast<Index>(value); };
    kernel(stack.stream(), grid, stack.buffer(), result.buffer(), index(stack.offset()), index(tasks), index(rows),
           index(columns), index(out_rows), index(out_columns));
  };
  if (wide)
    launch(std::uint64_t{});
  else
    launch(std::uint32_t{});
  return result;
}

}  // namespace rtcg::vision
