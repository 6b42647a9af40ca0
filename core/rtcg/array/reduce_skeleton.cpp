#include "rtcg/array/reduce_skeleton.h"

#include <algorithm>
#include <array>
#include <bit>
#include <list>
#include <mutex>

#include <fmt/format.h>

#include "rtcg/array/dtype.h"
#include "rtcg/array/kernel_table.h"
#include "rtcg/array/reduce_tuning.h"
#include "rtcg/compile/template.h"
#include "rtcg/error.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

constexpr unsigned group_items = 256;
constexpr unsigned most_unrolled = 8;  // rows or elements of a row that an item takes at once
constexpr std::size_t most_counters = 1 << 14;

std::size_t divided_up(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}

/// The row kernels' team sizes; each is a program of its own, so there are few.
unsigned team_for(std::size_t rows, std::size_t length, unsigned lanes, unsigned compute_units) {
  constexpr unsigned sizes[] = {1, 8, 32, group_items};
  std::size_t i = length <= 8 ? 0 : length <= 64 * lanes ? 1 : length <= 512 * lanes ? 2 : 3;
  // Too few rows to fill the device: more items to each, as long as an item has two runs of its own.
  while (i < 3 && rows * sizes[i] < std::size_t{compute_units} * 512 && length > std::size_t{2} * lanes * sizes[i]) ++i;
  return sizes[i];
}

unsigned either(unsigned tuned, unsigned rule) {
  return tuned != 0 ? tuned : rule;
}

void plan_gpu(ReducePlan& plan, unsigned compute_units, const ReduceShape& shape, unsigned body_lanes,
              const ReduceTuning& tuning) {
  const std::size_t enough = std::size_t{compute_units} * either(tuning.groups_per_unit, 8);
  plan.group = group_items;
  if (!plan.columns) {
    plan.lanes = body_lanes;
    plan.unroll = either(tuning.unroll, std::clamp(16 / body_lanes, 2u, 8u));
    if (shape.length <= most_unrolled) {  // an item a row, all of its elements in flight at once
      plan.lanes = 1;
      plan.unroll = std::max(1u, static_cast<unsigned>(shape.length));
    }
    plan.team = either(tuning.team, team_for(shape.outer, shape.length, plan.lanes, compute_units));
    const std::size_t tile = std::size_t{plan.team} * plan.lanes * plan.unroll;
    if (plan.team == plan.group && shape.outer < enough)
      plan.parts = std::clamp<std::size_t>(shape.length / tile, 1, divided_up(enough, shape.outer));
    plan.split = plan.parts > 1;
    plan.groups = plan.split ? shape.outer * plan.parts : divided_up(shape.outer, plan.group / plan.team);
    plan.partials = plan.split ? plan.groups : 0;
    return;
  }
  plan.lanes = shape.inner % body_lanes == 0 ? body_lanes : 1;
  plan.unroll = either(tuning.unroll, std::clamp(16 / plan.lanes, 2u, 8u));
  const std::size_t runs = shape.inner / plan.lanes;
  // Of a few rows each item takes all, so that none idles and all of its loads are in flight at once.
  const bool few_rows = shape.length <= most_unrolled && runs >= 64;
  if (few_rows) plan.unroll = std::max(1u, static_cast<unsigned>(shape.length));
  const std::size_t tiles = divided_up(runs, few_rows ? plan.group : either(tuning.columns, 64));
  plan.tile_columns = divided_up(runs, tiles);
  plan.slots = few_rows ? 1 : plan.group / plan.tile_columns;
  plan.slot_steps = plan.slots > 1 ? static_cast<unsigned>(std::bit_width(plan.slots - 1)) : 0;
  const std::size_t all_tiles = shape.outer * divided_up(runs, plan.tile_columns);
  if (all_tiles < enough)
    plan.parts = std::clamp<std::size_t>(shape.length / (plan.slots * plan.unroll), 1, divided_up(enough, all_tiles));
  plan.share = divided_up(shape.length, plan.parts);
  plan.split = plan.parts > 1;
  plan.groups = all_tiles * plan.parts;
  plan.partials = plan.split ? plan.groups * plan.tile_columns * plan.lanes : 0;
}

void plan_cpu(ReducePlan& plan, unsigned compute_units, const ReduceShape& shape, std::size_t bytes,
              const ReduceTuning& tuning) {
  // Below this an item's start and the joining of parts cost more than another core gives.
  constexpr std::size_t least_elements = 8192;
  const std::size_t items = std::size_t{compute_units} * either(tuning.groups_per_unit, 4);
  std::size_t tiles = shape.outer;
  if (!plan.columns) {
    // Short rows have few elements for lanes to share, and each joins its lanes anew.
    plan.lanes =
        static_cast<unsigned>(std::clamp<std::size_t>((shape.length < 1024 ? 64 : 256) / std::bit_ceil(bytes), 4, 64));
    plan.lanes = either(tuning.lanes, plan.lanes);
  } else {
    // Long rows in long pieces, as far as the accumulators stay in the first cache.
    plan.lanes = either(tuning.lanes, shape.inner >= 1024 && bytes <= 8 ? 2048 : 256);
    plan.tile_columns = std::min<std::size_t>(shape.inner, plan.lanes);
    plan.slots = plan.lanes / plan.tile_columns;
    tiles *= divided_up(shape.inner, plan.tile_columns);
  }
  const std::size_t tile_elements = shape.length * plan.tile_columns;
  if (tiles < items) plan.parts = std::clamp<std::size_t>(tile_elements / least_elements, 1, divided_up(items, tiles));
  plan.share = divided_up(divided_up(shape.length, plan.parts), plan.columns ? plan.slots : plan.lanes) *
               (plan.columns ? plan.slots : plan.lanes);
  const std::size_t tasks = tiles * plan.parts;
  plan.groups = std::min({tasks, items, std::max<std::size_t>(1, tasks * tile_elements / plan.parts / least_elements)});
  plan.split = plan.parts > 1;
  plan.partials = plan.split ? tasks * plan.tile_columns : 0;
}

/// For CUDA: counters that are zero whenever no reduction runs on the stream, as the last group of each puts them back.
/// Streams seldom used are let go, so that their handles do not live as long as the process.
Buffer counters_of(const Stream& stream) {
  constexpr std::size_t most_streams = 16;
  static std::mutex mutex;
  static auto* const known = new std::list<Buffer>;
  const std::scoped_lock lock(mutex);
  for (auto place = known->begin(); place != known->end(); ++place)
    if (place->stream() == stream) {
      known->splice(known->begin(), *known, place);
      return known->front();
    }
  const Buffer counters = Buffer::of<std::uint32_t>(stream, most_counters);
  counters.zero(stream);
  known->push_front(counters);
  if (known->size() > most_streams) known->pop_back();
  return counters;
}

/// How a field is spelt where it is stored: OpenCL has no bool in memory that host and device agree on.
std::string field_type(Dtype type) {
  return type == Dtype::boolean ? "uchar" : compute_name(type);
}
std::size_t field_bytes(Dtype type) {
  return type == Dtype::f16 ? sizeof(float) : size_of(type);
}

}  // namespace

void ReducePlan::append_key(std::string& key) const {
  const unsigned parts_of_key[] = {unsigned{cpu} | unsigned{columns} << 1 | unsigned{split} << 2, lanes, unroll,
                                   team / 2, slot_steps};
  for (const unsigned part : parts_of_key) {
    key.push_back(static_cast<char>(part & 255));
    key.push_back(static_cast<char>(part >> 8));
  }
}

ReducePlan plan_reduce(LoopShape loops, unsigned compute_units, const ReduceShape& shape, unsigned body_lanes,
                       std::size_t accumulator_bytes, const ReduceTuning& tuning) {
  ReducePlan plan;
  plan.cpu = loops == LoopShape::cpu;
  plan.columns = shape.inner != 1;
  if (plan.cpu)
    plan_cpu(plan, compute_units, shape, accumulator_bytes, tuning);
  else
    plan_gpu(plan, compute_units, shape, body_lanes, tuning);
  return plan;
}

std::size_t accumulator_bytes(std::span<const Dtype> fields) {
  std::size_t bytes = 0, alignment = 1;
  for (const Dtype field : fields) {
    const std::size_t size = field_bytes(field);
    bytes = divided_up(bytes, size) * size + size;
    alignment = std::max(alignment, size);
  }
  return divided_up(bytes, alignment) * alignment;
}

Source reduce_source(const ReducePlan& plan, const BodyText& body, const ReduceText& text) {
  TemplateValue::List fields, outputs, lane_steps, warp_steps, across_steps, team_steps, slot_steps;
  for (const ReduceField& field : text.fields)
    fields.push_back(TemplateValue::List{field_type(field.type), field.name, field.neutral, field.value});
  for (std::size_t i = 0; i < text.outputs.size(); ++i)
    outputs.push_back(
        TemplateValue::List{storage_name(text.outputs[i].type), fmt::format("result{}", i), text.outputs[i].value});
  for (unsigned d = plan.lanes / 2; d > 0; d /= 2) lane_steps.push_back(d);
  for (unsigned d = plan.team / 2; d > 0; d /= 2) team_steps.push_back(d);
  for (unsigned d = std::min(plan.team, 32u) / 2; d > 0; d /= 2) warp_steps.push_back(d);
  for (unsigned d = plan.group / 64; d > 0; d /= 2) across_steps.push_back(d);
  for (unsigned step = plan.slot_steps; step-- > 0;) slot_steps.push_back(1u << step);
  const std::string skeleton =
      std::string(kernels::reduce_cl) + std::string(plan.cpu ? kernels::reduce_cpu_cl : kernels::reduce_gpu_cl);
  const unsigned chains = std::min(plan.lanes == 1 ? plan.unroll : plan.lanes, 4u);
  return Source("reduce.cl", render(skeleton,
                                    {{"parameters", body.parameters},
                                     {"functions", body.functions + text.functions},
                                     {"declare_lanes", body.declare_lanes},
                                     {"load_run", body.load_run},
                                     {"load_one", body.load_one},
                                     {"compute", body.compute},
                                     {"fields", fields},
                                     {"combine", text.combine},
                                     {"outputs", outputs},
                                     {"loop", plan.columns ? "columns" : "rows"},
                                     {"split", plan.split},
                                     {"lanes", plan.lanes},
                                     {"unroll", plan.unroll},
                                     {"chains", chains},
                                     {"group", plan.group},
                                     {"team", plan.team},
                                     {"lane_steps", lane_steps},
                                     {"team_steps", team_steps},
                                     {"warp_steps", warp_steps},
                                     {"across_steps", across_steps},
                                     {"slot_steps", slot_steps}},
                                    "reduce.cl"));
}

std::vector<Array> run_reduce(const Stream& stream, std::span<const NodePtr> roots, bool has_index, const Shape& loop,
                              const ReduceShape& shape, const ReduceOperation& operation, const Shape& result) {
  std::vector<Array> arrays;
  std::vector<Buffer> outputs;
  for (const Dtype type : operation.results) {
    arrays.push_back(Array::empty(stream, result, type));
    outputs.push_back(arrays.back().buffer());
  }
  if (shape.outer == 0 || shape.inner == 0) return arrays;
  // Nothing to load: arrays without elements have no buffers to pass either.
  std::vector<NodePtr> nothing;
  if (shape.length == 0)
    for (const NodePtr& root : roots)
      nothing.push_back(std::make_shared<ScalarNode>(Scalar(false).as(root->dtype), false));
  const LoopBody body(stream.device(), shape.length == 0 ? nothing : roots, loop);
  if (!body.fits())
    throw UsageError("a reduction of more operands, or operands of more dimensions, than one kernel takes");

  const std::size_t bytes = accumulator_bytes(operation.fields);
  const LoopShape loops = loop_shape(stream.device());
  const unsigned lanes = body.prefers_runs() ? body.lanes() : 1;
  const ReduceTuning tuning = tuned_reduce(stream.device(), loops, shape, lanes, bytes).value_or(ReduceTuning{});
  const ReducePlan plan = plan_reduce(loops, stream.device().properties().compute_units, shape, lanes, bytes, tuning);
  std::string key;
  key.reserve(256);
  plan.append_key(key);
  key.push_back(has_index ? 'i' : ' ');
  key += operation.key;
  key.push_back('\0');
  key += body.key();
  const auto kernel = [&](const char* name) {
    return &cached_kernel(stream.device(), name, key, [&] {
      BodyText text = body.text();
      const ReduceText own = operation.text(text, has_index ? text.results.back() : "i");
      const Source source = reduce_source(plan, text, own);
      if (operation.compile) operation.compile(stream.device(), source);
      return std::pair(source, std::string(name));
    });
  };
  ArgumentList list;
  body.append_arguments(list);
  if (operation.append_arguments) operation.append_arguments(list);
  launch_reduce(stream, *kernel("reduce"), has_join(stream.device(), plan) ? kernel("join") : nullptr, plan, shape,
                bytes, list.arguments(), outputs);
  return arrays;
}

bool has_join(const Device& device, const ReducePlan& plan) {
  return plan.split && (plan.cpu || device.properties().backend != Backend::cuda);
}

void launch_reduce(const Stream& stream, const Kernel& kernel, const Kernel* join, const ReducePlan& plan,
                   const ReduceShape& shape, std::size_t accumulator_bytes, std::span<const Argument> body_arguments,
                   std::span<const Buffer> outputs) {
  if (shape.outer == 0 || shape.inner == 0) return;
  const Buffer counters = plan.split && join == nullptr ? counters_of(stream) : outputs.front();
  const Buffer partials = plan.split ? Buffer(stream, plan.partials * accumulator_bytes) : counters;
  const std::uint64_t outer = shape.outer, length = shape.length, inner = shape.inner, share = plan.share;
  const auto columns = static_cast<std::uint32_t>(plan.tile_columns), slots = static_cast<std::uint32_t>(plan.slots),
             parts = static_cast<std::uint32_t>(plan.parts);

  std::array<Argument, Kernel::most_arguments> arguments;
  if (body_arguments.size() + outputs.size() + 9 > arguments.size())
    throw UsageError(fmt::format("reduction with {} arguments and {} outputs; a kernel takes {} together",
                                 body_arguments.size(), outputs.size(), arguments.size() - 9));
  std::size_t count = body_arguments.size();
  std::copy(body_arguments.begin(), body_arguments.end(), arguments.begin());
  const auto value = [&](const auto& v) {
    using T = std::remove_cvref_t<decltype(v)>;
    arguments[count++] = {&v, {scalar_type<T>(), 1, ArgumentSpace::value, sizeof(T)}};
  };
  const auto buffer = [&](const Buffer& b) {
    arguments[count++] = {b.argument(), {ScalarType::unknown, 1, ArgumentSpace::buffer, 0}};
  };
  value(outer), value(length), value(inner), value(columns), value(slots), value(parts), value(share);
  buffer(partials), buffer(counters);
  for (const Buffer& output : outputs) buffer(output);
  kernel.launch(stream, Grid::of(plan.groups, plan.group), {arguments.data(), count});
  if (join == nullptr) return;
  const std::size_t results = shape.outer * shape.inner;
  const Grid grid = !plan.cpu && !plan.columns ? Grid::of(shape.outer, plan.group)
                    : plan.cpu                 ? Grid::of(std::min(results, plan.groups), 1)
                                               : Grid::over(results, plan.group);
  join->launch(stream, grid, {arguments.data() + body_arguments.size(), count - body_arguments.size()});
}

}  // namespace rtcg
