#include "rtcg/array/scan_skeleton.h"

#include <algorithm>

#include <fmt/format.h>

#include "rtcg/compile/template.h"
#include "rtcg/error.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

constexpr std::size_t divided_up(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}

/// At most what an item takes in memory: the value, its flag, and what aligns them.
std::size_t item_bytes(const ScanText& text) {
  return text.segment_start.empty() ? text.value_bytes : text.value_bytes + 16;
}

void plan_chunks(ScanPlan& plan, const DeviceProperties& device, std::size_t count, std::size_t bytes) {
  // Below this another core gains less than its start costs.
  constexpr std::size_t least_elements = 8192;
  plan.streams = 4;
  const std::size_t runs = divided_up(count, plan.lanes);
  plan.groups = std::clamp<std::size_t>(count / least_elements, 1, std::size_t{device.compute_units} * 4);
  plan.share = count <= least_elements ? runs : divided_up(runs, plan.groups * plan.streams);
  plan.scratch = plan.groups * plan.streams * bytes;
}

void plan_tiles(ScanPlan& plan, const DeviceProperties& device, std::size_t count, std::size_t bytes) {
  // A tile's values live in registers: 64 bytes an item, as far as one run allows.
  const std::size_t run_bytes = plan.lanes * std::max<std::size_t>(bytes, 4);
  plan.rows = static_cast<unsigned>(std::clamp<std::size_t>(64 / run_bytes, 1, 4));
  plan.threads = std::min(run_bytes > 128 ? 128u : 256u, device.max_work_group);
  plan.tiles = std::max<std::size_t>(1, divided_up(count, std::size_t{plan.threads} * plan.rows * plan.lanes));
  if (plan.tiles > UINT32_MAX)
    throw UsageError(fmt::format("scan of {} elements: too many for one scan, {} at most", count,
                                 std::size_t{UINT32_MAX} * plan.threads * plan.rows * plan.lanes));
}

}  // namespace

std::string ScanPlan::key() const {
  return fmt::format("{} lanes {} threads {} rows {} streams {}",
                     loop == ScanLoop::chunks   ? "chunks"
                     : loop == ScanLoop::groups ? "groups"
                                                : "lookback",
                     lanes, threads, rows, streams);
}

ScanLoop scan_loop(const DeviceProperties& device) {
  return device.backend == Backend::cuda  ? ScanLoop::lookback
         : device.kind == DeviceKind::gpu ? ScanLoop::groups
                                          : ScanLoop::chunks;
}

ScanPlan plan_scan(ScanLoop loop, const DeviceProperties& device, std::size_t count, unsigned lanes,
                   const ScanText& text) {
  ScanPlan plan;
  plan.loop = loop;
  plan.lanes = lanes;
  const std::size_t bytes = item_bytes(text);
  if (loop == ScanLoop::chunks) {
    plan_chunks(plan, device, count, bytes);
    return plan;
  }
  plan_tiles(plan, device, count, bytes);
  if (loop == ScanLoop::lookback) {
    plan.groups = plan.tiles;
    const std::size_t states = plan.tiles + divided_up(plan.tiles, 32) + plan.tiles / 1024 + 1;
    plan.scratch = 8 * (1 + states * divided_up(bytes, 4));
  } else {
    plan.groups = std::min<std::size_t>(plan.tiles, std::size_t{device.compute_units} * 8);
    plan.share = divided_up(plan.tiles, plan.groups);
    plan.groups = divided_up(plan.tiles, plan.share);
    plan.scratch = plan.groups * bytes;
  }
  return plan;
}

Source scan_source(const ScanPlan& plan, const BodyText& body, const ScanText& text) {
  const bool segmented = !text.segment_start.empty();
  const std::string own =
      segmented ? fmt::format("scan_begin({}, ({}) != 0)", text.value, text.segment_start) : text.value;
  const std::string_view loop = plan.loop == ScanLoop::chunks   ? kernels::scan_chunks_cl
                                : plan.loop == ScanLoop::groups ? kernels::scan_groups_cl
                                                                : kernels::scan_lookback_cl;
  const std::string all = std::string(kernels::scan_common_cl) + std::string(loop);
  return Source(text.name + ".cl", render(all,
                                          {{"name", text.name},
                                           {"functions", body.functions + text.functions},
                                           {"parameters", body.parameters},
                                           {"more_parameters", text.parameters},
                                           {"declare_lanes", body.declare_lanes},
                                           {"load_run", body.load_run},
                                           {"load_one", body.load_one},
                                           {"compute", body.compute},
                                           {"store_run", body.store_run},
                                           {"store_one", body.store_one},
                                           {"value_type", text.value_type},
                                           {"combine", text.combine},
                                           {"neutral", text.neutral},
                                           {"own", own},
                                           {"output", text.output},
                                           {"output_reads", text.output_reads},
                                           {"segmented", segmented},
                                           {"backward", text.backward},
                                           {"lanes", plan.lanes},
                                           {"threads", plan.threads},
                                           {"rows", plan.rows},
                                           {"streams", plan.streams}},
                                          "scan.cl"));
}

ScanKernels::ScanKernels(const Device& device, const ScanPlan& plan, const BodyText& body, const ScanText& text) {
  const Module module = compile(device, scan_source(plan, body, text));
  if (plan.loop != ScanLoop::lookback)
    kernels.push_back(module.kernel(text.name + "_reduce")), kernels.push_back(module.kernel(text.name + "_apply"));
  else
    kernels.push_back(module.kernel(text.name));
}

void launch_scan(const Stream& stream, const ScanKernels& kernels, const ScanPlan& plan, std::size_t count,
                 bool wide_index, std::span<const Argument> body_arguments,
                 std::span<const Argument> output_arguments) {
  if (count == 0) return;
  const Buffer scratch(stream, std::max<std::size_t>(plan.scratch, 16));
  const std::uint64_t wide_count = count, wide_share = plan.share;
  const auto narrow_count = static_cast<std::uint32_t>(count), narrow_share = static_cast<std::uint32_t>(plan.share),
             tiles = static_cast<std::uint32_t>(plan.tiles);
  const auto launch = [&](const Kernel& kernel, bool with_output) {
    std::array<Argument, Kernel::most_arguments> list;
    std::size_t used = 0;
    const auto add = [&](const Argument& argument) {
      if (used == list.size()) throw UsageError(fmt::format("scan: more than {} kernel arguments", list.size()));
      list[used++] = argument;
    };
    const auto word = [&](const std::uint32_t& value) { add({&value, {ScalarType::u32, 1, ArgumentSpace::value, 4}}); };
    const auto index = [&](const std::uint64_t& wide, const std::uint32_t& narrow) {
      wide_index ? add({&wide, {ScalarType::u64, 1, ArgumentSpace::value, 8}}) : word(narrow);
    };
    for (const Argument& argument : body_arguments) add(argument);
    if (with_output)
      for (const Argument& argument : output_arguments) add(argument);
    index(wide_count, narrow_count);
    if (plan.loop != ScanLoop::chunks) word(tiles);
    if (plan.loop == ScanLoop::chunks)
      index(wide_share, narrow_share);
    else if (plan.loop == ScanLoop::groups)
      word(narrow_share);
    add({scratch.argument(), {ScalarType::unknown, 1, ArgumentSpace::buffer, 0}});
    kernel.launch(stream, Grid::of(plan.groups, plan.threads), {list.data(), used});
  };
  if (plan.loop == ScanLoop::lookback) {
    if (plan.tiles > 1) scratch.zero(stream);
    launch(kernels.kernels[0], true);
    return;
  }
  if (plan.loop == ScanLoop::groups ? plan.groups > 1 : divided_up(count, plan.lanes) > plan.share)
    launch(kernels.kernels[0], false);
  launch(kernels.kernels[1], true);
}

}  // namespace rtcg
