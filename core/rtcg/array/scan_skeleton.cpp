#include "rtcg/array/scan_skeleton.h"

#include <algorithm>

#include <fmt/format.h>

#include "rtcg/array/kernel_table.h"
#include "rtcg/array/loop_shape.h"
#include "rtcg/array/scan_tuning.h"
#include "rtcg/compile/template.h"
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

/// Bytes of the widest element that a selection stores.
std::size_t widest(const ScanText& text) {
  std::size_t bytes = 0;
  for (const ScanText::Selected& selected : text.selected) bytes = std::max(bytes, size_of(selected.type));
  return bytes;
}

unsigned either(unsigned tuned, unsigned rule) {
  return tuned != 0 ? tuned : rule;
}

void plan_chunks(ScanPlan& plan, const DeviceProperties& device, std::size_t count, std::size_t bytes,
                 const ScanTuning& tuning) {
  // Below this another core gains less than its start costs.
  constexpr std::size_t least_elements = 8192;
  plan.lanes = 1;
  plan.streams = either(tuning.streams, 4);
  plan.groups = std::clamp<std::size_t>(count / least_elements, 1,
                                        std::size_t{device.compute_units} * either(tuning.groups_per_unit, 4));
  plan.share = count <= least_elements ? count : divided_up(count, plan.groups * plan.streams);
  plan.scratch = plan.groups * plan.streams * bytes;
}

void plan_groups(ScanPlan& plan, const DeviceProperties& device, std::size_t count, std::size_t bytes,
                 const ScanTuning& tuning) {
  const std::size_t run_bytes = plan.lanes * std::max<std::size_t>(bytes, 4);
  plan.threads = either(tuning.threads, std::min(run_bytes > 128 ? 128u : 256u, device.max_work_group));
  // A CPU runs this loop in tests only; there every row costs compile time.
  if (device.kind != DeviceKind::cpu) plan.rows = static_cast<unsigned>(std::clamp<std::size_t>(64 / run_bytes, 1, 4));
  plan.rows = either(tuning.rows, plan.rows);
  plan.tiles = std::max<std::size_t>(1, divided_up(count, std::size_t{plan.threads} * plan.rows * plan.lanes));
  plan.groups =
      std::min<std::size_t>(plan.tiles, std::size_t{device.compute_units} * either(tuning.groups_per_unit, 8));
  plan.share = divided_up(plan.tiles, plan.groups);
  plan.groups = divided_up(plan.tiles, plan.share);
  plan.scratch = plan.groups * bytes;
}

/// Measured on an H200 with float: the more bytes wait for their prefix, and the fewer tiles there are, the faster, up
/// to all of the local memory; with few tiles it matters more that every multiprocessor has some.
void plan_lookback(ScanPlan& plan, const DeviceProperties& device, std::size_t count, std::size_t bytes,
                   std::size_t selected_bytes, const ScanTuning& tuning) {
  const std::size_t run_bytes = plan.lanes * std::max<std::size_t>(bytes, 4);
  const std::size_t large = 64 * 1024 / run_bytes * plan.lanes;  // elements of a large tile
  const bool many = count >= large * device.compute_units * 4;
  plan.threads = run_bytes > 128 ? 128 : many && selected_bytes == 0 ? 512 : 256;
  const std::size_t row_bytes = many ? 128 : 64;  // of an item
  plan.rows = static_cast<unsigned>(std::clamp<std::size_t>(row_bytes / run_bytes, 1, 8));
  plan.threads = either(tuning.threads, plan.threads), plan.rows = either(tuning.rows, plan.rows);
  // Selected elements are packed in what CUDA gives every kernel without asking, 48 KiB; the rest of it is for totals.
  while (plan.rows > 1 && plan.threads * plan.rows * plan.lanes * selected_bytes > 46 * 1024) plan.rows /= 2;
  plan.parked = selected_bytes == 0 && run_bytes <= 128;
  if (plan.parked) plan.local_bytes = plan.threads * plan.rows * run_bytes;
  plan.resident = selected_bytes > 8 || bytes > 8 ? 1 : selected_bytes > 0 ? 5 : 1536 / plan.threads;
  plan.tiles = std::max<std::size_t>(1, divided_up(count, std::size_t{plan.threads} * plan.rows * plan.lanes));
  plan.groups = plan.tiles;
  const std::size_t states = plan.tiles + divided_up(plan.tiles, 32) + plan.tiles / 1024 + 1;
  plan.scratch = 8 * (1 + states * divided_up(bytes, 4));
}

std::string key_of(const ScanPlan& plan, const ScanText& text, std::string_view body_key) {
  std::string key = plan.key();
  for (const std::string* part : {&text.name, &text.functions, &text.value_type, &text.value, &text.combine,
                                  &text.neutral, &text.segment_start, &text.output, &text.parameters})
    key.append(1, '\0').append(*part);
  for (const ScanText::Carried& c : text.carried) key.append(1, '\0').append(c.type + ' ' + c.name + ' ' + c.value);
  for (const ScanText::Selected& c : text.selected)
    key.append(1, '\0').append(storage_name(c.type)).append(' ' + c.value + ' ' + c.target);
  key.append(1, '\0').append(text.finish);
  key.append(text.backward ? " backward" : " forward").append(1, '\0').append(body_key);
  return key;
}

/// `$0`, `$1` ... replaced by the body's results.
std::string with_results(std::string_view text, const BodyText& body) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '$') {
      result += text[at++];
      continue;
    }
    std::size_t number = 0;
    for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      number = 10 * number + static_cast<std::size_t>(text[at] - '0');
    result += body.results.at(number);
  }
  return result;
}

}  // namespace

std::string ScanPlan::key() const {
  return fmt::format("{} lanes {} threads {} rows {} streams {} resident {}{}",
                     loop == ScanLoop::chunks   ? "chunks"
                     : loop == ScanLoop::groups ? "groups"
                                                : "lookback",
                     lanes, threads, rows, streams, resident, parked ? " parked" : "");
}

ScanLoop scan_loop(const Device& device) {
  if (loop_shape(device) == LoopShape::cpu) return ScanLoop::chunks;
  return device.properties().backend == Backend::cuda ? ScanLoop::lookback : ScanLoop::groups;
}

ScanPlan plan_scan(ScanLoop loop, const DeviceProperties& device, std::size_t count, unsigned lanes,
                   const ScanText& text, const ScanTuning& tuning) {
  ScanPlan plan;
  plan.loop = loop;
  plan.lanes = lanes;
  const std::size_t bytes = item_bytes(text);
  if (loop == ScanLoop::chunks) {
    plan_chunks(plan, device, count, bytes, tuning);
    return plan;
  }
  if (loop == ScanLoop::lookback)
    plan_lookback(plan, device, count, bytes, widest(text), tuning);
  else
    plan_groups(plan, device, count, bytes, tuning);
  return plan;
}

namespace {

/// A selection as a scan of counts, for the loops that have no kernel of their own for it.
ScanText as_counts(const ScanText& text, ScanLoop loop) {
  ScanText counts = text;
  counts.value = fmt::format("({}) ? 1 : 0", text.value);
  counts.output = loop == ScanLoop::chunks ? "if (prev_item < scan_end) {" : "if (item != prev_item) {";
  for (std::size_t s = 0; s < text.selected.size(); ++s) {
    const ScanText::Selected& selected = text.selected[s];
    const std::string name = fmt::format("chosen{}", s);
    counts.carried.push_back({compute_name(selected.type), name, selected.value});
    counts.output += selected.type == Dtype::f16
                         ? fmt::format(" vstore_half({}, prev_item, {});", name, selected.target)
                         : fmt::format(" {}[prev_item] = {};", selected.target, name);
  }
  counts.output += fmt::format(" }}\nif (i == N - 1) {{ const scan_value last_count = item; {} }}", text.finish);
  return counts;
}

TemplateValue::List selected_list(const ScanText& text, const BodyText& body) {
  TemplateValue::List list;
  for (std::size_t s = 0; s < text.selected.size(); ++s) {
    const ScanText::Selected& selected = text.selected[s];
    const bool half = selected.type == Dtype::f16;
    list.push_back(TemplateValue::List{compute_name(selected.type), s, with_results(selected.value, body),
                                       half ? "ushort" : storage_name(selected.type), half ? "rtcg_half_bits" : "",
                                       selected.target});
  }
  return list;
}

std::string template_of(ScanLoop loop, bool selects) {
  std::string text(kernels::scan_common_cl);
  if (loop == ScanLoop::chunks) return text.append(kernels::scan_chunks_cl);
  if (loop == ScanLoop::groups) return text.append(kernels::scan_groups_cl);
  return text.append(kernels::scan_lookback_cl).append(selects ? kernels::scan_select_cl : kernels::scan_tiles_cl);
}

}  // namespace

Source scan_source(const ScanPlan& plan, const BodyText& body, const ScanText& given) {
  const bool selects = !given.selected.empty();
  const ScanText text = selects && plan.loop != ScanLoop::lookback ? as_counts(given, plan.loop) : given;
  const bool segmented = !text.segment_start.empty();
  TemplateValue::List carried;
  for (const ScanText::Carried& c : text.carried)
    carried.push_back(TemplateValue::List{c.type, c.name, with_results(c.value, body)});
  std::string own = with_results(text.value, body);
  if (segmented) own = fmt::format("scan_begin({}, ({}) != 0)", own, with_results(text.segment_start, body));
  // More groups at once than the compiler would choose, where elements are cheap enough not to need its registers.
  const bool light = body.compute.size() < 200 && text.carried.empty();
  const unsigned resident = light ? plan.resident : 1;
  std::string output = with_results(text.output, body);
  if (output.find("last_item") != std::string::npos) output = "const scan_value last_item = item;\n" + output;
  std::string functions = body.functions + text.functions;
  if (selects) functions += operation_helpers("rtcg_");
  return Source(text.name + ".cl", render(template_of(plan.loop, selects),
                                          {{"name", text.name},
                                           {"functions", functions},
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
                                           {"output", output},
                                           {"carried", carried},
                                           {"segmented", segmented},
                                           {"selects", selects},
                                           {"selected", selected_list(text, body)},
                                           {"staged_bytes", plan.threads * plan.rows * plan.lanes * widest(text)},
                                           {"finish", text.finish},
                                           {"resident", resident},
                                           {"parked", plan.parked},
                                           {"aligned", plan.lanes * text.value_bytes % 16 == 0 && !segmented},
                                           {"backward", text.backward},
                                           {"lanes", plan.lanes},
                                           {"threads", plan.threads},
                                           {"rows", plan.rows},
                                           {"streams", plan.streams}},
                                          "scan.cl"));
}

void run_scan(const Stream& stream, ScanLoop loop, const ScanText& text, const ScanBody& body,
              std::span<const Argument> output_arguments) {
  if (body.count == 0) return;
  const Device& device = stream.device();
  const bool is_plain = text.selected.empty() && text.segment_start.empty();
  const ScanTuning tuning =
      is_plain ? tuned_scan(device, loop, body.count, body.lanes, text.value_bytes).value_or(ScanTuning{})
               : ScanTuning{};
  const ScanPlan plan = plan_scan(loop, device.properties(), body.count, body.lanes, text, tuning);
  const std::string key = key_of(plan, text, body.key);
  const Buffer scratch(stream, std::max<std::size_t>(plan.scratch, 16));
  const auto launch = [&](const char* suffix) {
    const Kernel& kernel = cached_kernel(device, suffix, key, [&] {
      const Source source = scan_source(plan, body.text(), text);
      if (body.compile) body.compile(source);
      return std::pair(source, text.name + suffix);
    });
    ArgumentList list;
    for (const Argument& argument : body.arguments) list.add(argument);
    for (const Argument& argument : output_arguments) list.add(argument);
    list.value(static_cast<std::uint64_t>(body.count));
    if (loop == ScanLoop::chunks)
      list.value(static_cast<std::uint64_t>(plan.share));
    else
      list.value(static_cast<std::uint32_t>(plan.tiles));
    if (loop == ScanLoop::groups) list.value(static_cast<std::uint32_t>(plan.share));
    list.buffer(scratch, Dtype::unknown);
    Grid grid = Grid::of(plan.groups, plan.threads);
    grid.dynamic_local_bytes = static_cast<std::uint32_t>(plan.local_bytes);
    kernel.launch(stream, grid, list.arguments());
  };
  if (loop == ScanLoop::lookback) {
    if (plan.tiles > 1) scratch.zero(stream);
    launch("_scan");
    return;
  }
  const bool has_parts = loop == ScanLoop::groups ? plan.groups > 1 : body.count > plan.share;
  if (has_parts)
    launch("_reduce");
  else
    scratch.zero(stream);  // the debug device lets no kernel have memory that nobody wrote
  launch("_apply");
}

void run_scan(const Stream& stream, const ScanText& text, const LoopBody& body,
              std::span<const Argument> output_arguments) {
  ArgumentList list;
  body.append_arguments(list);
  run_scan(
      stream, scan_loop(stream.device()), text,
      {static_cast<std::size_t>(body.count()), body.lanes(), body.key(), [&] { return body.text(); }, list.arguments()},
      output_arguments);
}

}  // namespace rtcg
