#include "rtcg/array/segmented.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "rtcg/array/elementwise_skeleton.h"
#include "rtcg/array/evaluate.h"
#include "rtcg/array/function_text.h"
#include "rtcg/array/kernel_table.h"
#include "rtcg/array/loop_body.h"
#include "rtcg/array/loop_shape.h"
#include "rtcg/array/phase.h"
#include "rtcg/array/segmented_tuning.h"
#include "rtcg/compile/template.h"
#include "rtcg/error.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

constexpr unsigned group_items = 256;

std::string shuffle_text(Dtype type) {
  const auto part = [](const std::string& value) {
    return fmt::format("__shfl_down_sync(0xffffffffu, {}, step, TEAM)", value);
  };
  if (type == Dtype::c64) return fmt::format("cfloat_new({}, {})", part("v.x"), part("v.y"));
  if (type == Dtype::c128) return fmt::format("cdouble_new({}, {})", part("v.x"), part("v.y"));
  if (size_of(type) < 4 && type != Dtype::f16) return fmt::format("({}){}", compute_name(type), part("(int)v"));
  return part("v");
}

std::int64_t rows_of(std::string_view primitive, const Expression& row_starts) {
  const bool is_index = row_starts.dtype() == Dtype::i32 || row_starts.dtype() == Dtype::u32 ||
                        row_starts.dtype() == Dtype::i64 || row_starts.dtype() == Dtype::u64;
  if (!is_index || row_starts.shape().size() != 1 || row_starts.size() == 0)
    throw UsageError(fmt::format("{}: row starts are a list of 32- or 64-bit integers, one more than rows; given {} {}",
                                 primitive, dtype_name(row_starts.dtype()), to_string(row_starts.shape())));
  return row_starts.size() - 1;
}

/// Checked mode: reads the row starts back.
void check_starts(std::string_view primitive, const Stream& stream, const Array& starts, std::int64_t elements) {
  if (!is_checked()) return;
  const auto values = Expression(starts).astype(Dtype::i64).evaluate(stream).to_vector<std::int64_t>();
  std::int64_t least = 0;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (values[row] < least || values[row] > elements)
      throw UsageError(fmt::format("{}: row start {} is {}; it must be from {}, the start before, to {} elements",
                                   primitive, row, values[row], least, elements));
    least = values[row];
  }
}

struct RowKernel {
  bool cpu;
  unsigned team;
  Grid grid;
};
RowKernel plan_rows(const Device& device, std::int64_t elements, std::int64_t rows, unsigned tuned_team = 0) {
  RowKernel plan{};
  plan.cpu = loop_shape(device) == LoopShape::cpu;
  plan.team = plan.cpu ? 1 : tuned_team != 0 ? tuned_team : standard_team(elements, rows);
  // Rows differ in length: more chunks than a loop over equal elements has.
  plan.grid = plan.cpu ? Grid::of(std::clamp<std::size_t>(static_cast<std::size_t>(elements + rows) / 16384, 1,
                                                          32 * device.properties().compute_units),
                                  1)
                       : Grid::over(static_cast<std::size_t>(rows) * plan.team, group_items);
  return plan;
}

Array reduce_rows(const Stream& stream, const Expression& values, const Array& starts, const Scalar& empty,
                  const Operator::Combination& combine, const std::string& combine_key) {
  const Device& device = stream.device();
  const Dtype type = values.dtype();
  const std::int64_t rows = starts.size() - 1;
  if (rows == 0 || values.size() == 0) return Array::full(stream, {rows}, type, empty);
  const Array result = Array::empty(stream, {rows}, type);
  const RowKernel plan = plan_rows(device, values.size(), rows, tuned_team(device, size_of(type), values.size(), rows));
  const NodePtr root[] = {fitted(stream, values.node(), values.shape())};
  const LoopBody body(device, root, values.shape());
  // Starts are compared with the count in their own width: 2^32 + 1 is outside, not 1.
  const bool wide =
      size_of(starts.dtype()) == 8 || std::max(rows, values.size()) > std::numeric_limits<std::int32_t>::max();
  const std::string key = fmt::format("{}{}{},{},{},{}{}", plan.cpu, wide, plan.team, static_cast<int>(type),
                                      static_cast<int>(starts.dtype()), combine_key, body.key());
  const Kernel& kernel = cached_kernel(device, "segmented_reduce", key, [&] {
    const BodyText text = body.text();
    const std::string combine_text = operation_helpers(combine.function->text) + combine.function->text;
    std::string shuffle = plan.team > 1 && plan.team <= 32 ? shuffle_text(type) : "";
    if (const std::size_t at = shuffle.find("TEAM"); at != std::string::npos)
      for (std::size_t p = at; p != std::string::npos; p = shuffle.find("TEAM", p))
        shuffle.replace(p, 4, std::to_string(plan.team));
    return std::pair(
        Source("segmented_reduce.cl",
               render(kernels::segmented_reduce_cl,
                      {{"functions", text.functions},
                       {"combine", combine_text},
                       {"parameters", text.parameters},
                       {"declare_lanes", text.declare_lanes},
                       {"load_one", text.load_one},
                       {"compute", text.compute},
                       {"value", text.results[0]},
                       {"type", compute_name(type)},
                       {"storage", storage_name(type)},
                       {"start_type", storage_name(starts.dtype())},
                       {"row_type", wide ? "ulong" : "uint"},
                       {"neutral", combine.neutral ? literal_text(*combine.neutral) : ""},
                       {"shuffle", shuffle},
                       {"store", type == Dtype::f16 ? "vstore_half(result_, row_, y_)" : "y_[row_] = result_"},
                       {"team", plan.team},
                       {"turns", plan.team == 1 ? 2 : 4},
                       {"group", group_items},
                       {"cpu", plan.cpu}},
                      "segmented_reduce.cl")),
        std::string("segmented_reduce"));
  });
  ArgumentList list;
  body.append_arguments(list);
  list.buffer(starts.buffer(), starts.dtype());
  for (const std::int64_t extent : {rows, values.size()})
    if (wide)
      list.value(static_cast<std::uint64_t>(extent));
    else
      list.value(static_cast<std::uint32_t>(extent));
  const float half_empty = static_cast<float>(empty.to_double());
  if (type == Dtype::f16)
    list.bytes(&half_empty, sizeof half_empty, ScalarType::f32);
  else
    list.bytes(empty.data(), size_of(type), type);
  list.buffer(result.buffer(), type);
  kernel.launch(stream, plan.grid, list.arguments());
  return result;
}

}  // namespace

Expression segmented_reduce(const Operator& combine, const Expression& values, const Expression& row_starts,
                            const std::optional<Scalar>& empty) {
  const std::int64_t rows = rows_of("segmented_reduce", row_starts);
  const Dtype type = values.dtype();
  const Operator::Combination combination = combine.combination(type);
  if (!empty && !combination.neutral)
    throw UsageError(fmt::format(
        "segmented_reduce: {} has no neutral element that is known; say what an empty row gives", combination.name));
  const Scalar result_of_empty = empty ? empty->as(type) : *combination.neutral;
  return make_phase(fmt::format("segmented_reduce {}", combination.name), {{values}, {row_starts, true}}, type, {rows},
                    [combination, result_of_empty](const Stream& stream, std::span<const Expression> operands) {
                      const Array starts = owned_array(operands[1]);
                      check_starts("segmented_reduce", stream, starts, operands[0].size());
                      return reduce_rows(stream, operands[0], starts, result_of_empty, combination,
                                         combination.function->text);
                    });
}

Expression row_of_each(const Expression& row_starts, std::int64_t count) {
  const std::int64_t rows = rows_of("row_of_each", row_starts);
  if (count < 0) throw UsageError(fmt::format("row_of_each: {} elements", count));
  return make_phase(
      "row_of_each", {{row_starts, true}}, row_starts.dtype(), {count},
      [rows, count](const Stream& stream, std::span<const Expression> operands) {
        const Array starts = owned_array(operands[0]);
        check_starts("row_of_each", stream, starts, count);
        const Array result = Array::zeros(stream, {count}, starts.dtype());
        if (rows == 0 || count == 0) return result;
        const RowKernel plan = plan_rows(stream.device(), count, rows);
        const std::string key = fmt::format("{}{},{}", plan.cpu, plan.team, static_cast<int>(starts.dtype()));
        const Kernel& kernel = cached_kernel(stream.device(), "row_of_each", key, [&] {
          return std::pair(
              Source("row_of_each.cl",
                     render(kernels::row_of_each_cl,
                            {{"type", storage_name(starts.dtype())}, {"team", plan.team}, {"cpu", plan.cpu}},
                            "row_of_each.cl")),
              std::string("row_of_each"));
        });
        kernel(stream, plan.grid, starts.buffer(), static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(count),
               result.buffer());
        return result;
      });
}

Expression segmented_map(const Formula& f, const Expression& row_starts, const Tuple& elements, const Tuple& rows) {
  const Shape shape = common_shape("segmented_map", elements);
  const Shape of_rows = common_shape("segmented_map", rows);
  const std::int64_t count = rows_of("segmented_map", row_starts);
  if (shape.empty()) throw UsageError("segmented_map: no elements are given, only single values");
  if (!of_rows.empty() && element_count(of_rows) != count)
    throw UsageError(fmt::format("segmented_map: {} values for {} rows", element_count(of_rows), count));
  const Expression row = row_of_each(row_starts, element_count(shape));
  Tuple operands = elements;
  for (const Expression& value : rows) operands.push_back(value.shape().empty() ? value : take(value, row));
  return f(operands);
}

}  // namespace rtcg
