#include "rtcg/array/sorting.h"

#include <numeric>

#include <fmt/format.h>

#include "rtcg/array/kernel_table.h"
#include "rtcg/array/loop_shape.h"
#include "rtcg/array/phase.h"
#include "rtcg/array/primitives.h"
#include "rtcg/array/radix_sort_text.h"
#include "rtcg/array/raw_launch.h"
#include "rtcg/array/scans.h"
#include "rtcg/array/selection.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

void check_order(const char* action, const Expression& x) {
  if (is_complex(x.dtype())) throw UsageError(fmt::format("{}: {} has no order", action, dtype_name(x.dtype())));
}

/// The axis moved to the end, contiguous; it may start anywhere in its buffer.
Array rows_along(const Array& x, int axis) {
  std::vector<int> axes(static_cast<std::size_t>(x.dimensions()));
  std::iota(axes.begin(), axes.end(), 0);
  axes.erase(axes.begin() + axis);
  axes.push_back(axis);
  return x.transpose(axes).contiguous();
}

/// The last axis back at its place: a view.
Array back_to_axis(const Array& rows, int axis) {
  std::vector<int> axes(static_cast<std::size_t>(rows.dimensions()) - 1);
  std::iota(axes.begin(), axes.end(), 0);
  axes.insert(axes.begin() + axis, rows.dimensions() - 1);
  return rows.transpose(axes);
}

/// What rows of keys ask of radix_sort; results are still to be named.
SortProblem problem_of(const Array& rows, SortOrder order) {
  const auto length = static_cast<std::size_t>(rows.shape().back());
  SortProblem problem;
  problem.type = rows.dtype();
  problem.length = length;
  problem.rows = static_cast<std::size_t>(rows.size()) / length;
  problem.keys = rows.buffer();
  problem.keys_offset = static_cast<std::size_t>(rows.offset());
  problem.descending = order == SortOrder::descending;
  return problem;
}

struct Sorted {
  Array keys, positions;
};
/// Along the last axis.
Sorted sort_rows(const Stream& stream, const Array& rows, SortOrder order, bool keys, bool positions) {
  Sorted sorted;
  if (keys) sorted.keys = Array::empty(stream, rows.shape(), rows.dtype());
  if (positions) sorted.positions = Array::empty(stream, rows.shape(), Dtype::i64);
  if (rows.size() == 0) return sorted;
  SortProblem problem = problem_of(rows, order);
  if (keys) problem.sorted_keys = sorted.keys.buffer();
  if (positions) problem.positions = sorted.positions.buffer();
  radix_sort(stream, problem);
  return sorted;
}

/// All elements in C order.
Array flat_array(const Stream& stream, const Expression& x) {
  return x.evaluate(stream).contiguous().ravel();
}

Stream stream_for(const char* action, const Expression& x) {
  const std::optional<Stream> stream = stream_of({&x, 1});
  if (!stream) throw UsageError(fmt::format("{}: no operand is an array, so there is no stream to run on", action));
  return *stream;
}

/// Sorted elements, where each stood, and a value that is not zero where one differs from the one before.
struct SortedFlat {
  Sorted sorted;
  Expression index, is_first;
};
SortedFlat sorted_flat(const char* action, const Expression& x, bool positions) {
  check_order(action, x);
  const Stream stream = stream_for(action, x);
  const Sorted sorted = sort_rows(stream, flat_array(stream, x), SortOrder::ascending, true, positions);
  const Expression index = indices(sorted.keys.shape()), here = sorted.keys;
  Expression differs = here != take(here, maximum(index - 1, 0));
  if (is_real(x.dtype())) differs = differs && !(isnan(here) && isnan(take(here, maximum(index - 1, 0))));
  return {sorted, index, index == 0 || differs};
}

}  // namespace

Expression sort(const Expression& x, int axis, SortOrder order) {
  check_order("sort", x);
  axis = normalized_axis(axis, x.shape().size());
  return make_phase(fmt::format("sort along axis {}", axis), {{x, true}}, x.dtype(), x.shape(),
                    [=](const Stream& stream, std::span<const Expression> operands) {
                      const Array rows = rows_along(as_array(operands[0].node()), axis);
                      return back_to_axis(sort_rows(stream, rows, order, true, false).keys, axis);
                    });
}

Expression argsort(const Expression& x, int axis, SortOrder order) {
  check_order("argsort", x);
  axis = normalized_axis(axis, x.shape().size());
  return make_phase(fmt::format("argsort along axis {}", axis), {{x, true}}, Dtype::i64, x.shape(),
                    [=](const Stream& stream, std::span<const Expression> operands) {
                      const Array rows = rows_along(as_array(operands[0].node()), axis);
                      return back_to_axis(sort_rows(stream, rows, order, false, true).positions, axis);
                    });
}

std::pair<Expression, Expression> sort_by_key(const Expression& keys, const Expression& values, int axis,
                                              SortOrder order) {
  check_order("sort_by_key", keys);
  if (keys.shape() != values.shape())
    throw UsageError(fmt::format("sort_by_key: keys of shape {} and values of shape {}; they must agree",
                                 to_string(keys.shape()), to_string(values.shape())));
  axis = normalized_axis(axis, keys.shape().size());
  auto phase = std::make_shared<Phase>();
  phase->name = fmt::format("sort by key along axis {}", axis);
  for (const Expression* operand : {&keys, &values}) {
    phase->operands.push_back(make_cast(operand->node(), operand->dtype()));
    phase->demands_array.push_back(true);
  }
  phase->run = [=](const Stream& stream, std::span<const Expression> operands) {
    const Array rows = rows_along(as_array(operands[0].node()), axis);
    const Array moved = rows_along(as_array(operands[1].node()), axis);
    const Array sorted = Array::empty(stream, rows.shape(), rows.dtype());
    const Array sorted_values = Array::empty(stream, rows.shape(), moved.dtype());
    if (rows.size() != 0) {
      SortProblem problem = problem_of(rows, order);
      problem.sorted_keys = sorted.buffer();
      problem.values = moved.buffer();
      problem.values_offset = static_cast<std::size_t>(moved.offset());
      problem.value_bytes = size_of(moved.dtype());
      problem.sorted_values = sorted_values.buffer();
      radix_sort(stream, problem);
    }
    return std::vector<Array>{back_to_axis(sorted, axis), back_to_axis(sorted_values, axis)};
  };
  return {Expression(std::make_shared<TotalNode>(phase, 0, keys.dtype(), keys.shape())),
          Expression(std::make_shared<TotalNode>(phase, 1, values.dtype(), values.shape()))};
}

Expression partition(const Expression& x, std::int64_t kth, int axis) {
  check_order("partition", x);
  axis = normalized_axis(axis, x.shape().size());
  const std::int64_t extent = x.shape()[axis];
  if (kth < -extent || kth >= extent)
    throw UsageError(fmt::format("partition: element {} of axis {} with {} elements", kth, axis, extent));
  return sort(x, axis);
}

std::pair<Array, Array> topk(const Expression& x, std::int64_t k, int axis) {
  check_order("topk", x);
  axis = normalized_axis(axis, x.shape().size());
  if (k < 0 || k > x.shape()[axis])
    throw UsageError(fmt::format("topk: {} of axis {} with {} elements", k, axis, x.shape()[axis]));
  const Stream stream = stream_for("topk", x);
  const Sorted sorted = sort_rows(stream, rows_along(x.evaluate(stream), axis), SortOrder::descending, true, true);
  const auto largest = [&](const Array& rows) { return back_to_axis(rows(ellipsis, Slice{0, k}), axis); };
  return {largest(sorted.keys), largest(sorted.positions)};
}

Array unique(const Expression& x) {
  const SortedFlat flat = sorted_flat("unique", x, false);
  return flat.sorted.keys.size() == 0 ? flat.sorted.keys : filter(Expression(flat.sorted.keys), flat.is_first);
}

Unique unique_all(const Expression& x) {
  const SortedFlat flat = sorted_flat("unique_all", x, true);
  const Sorted& sorted = flat.sorted;
  if (sorted.keys.size() == 0) return {sorted.keys, sorted.positions, sorted.positions, sorted.positions};
  const Expression columns[] = {sorted.keys, sorted.positions, flat.index};
  const std::vector<Array> heads = filter(columns, flat.is_first);
  const std::int64_t groups = heads[0].size();
  const Expression group = indices({groups});
  const Expression end = where(group == groups - 1, sorted.keys.size(), take(heads[2], minimum(group + 1, groups - 1)));
  // Every element's value by its place in the sorted order, brought back to where it came from.
  const Expression value_of_sorted = cumsum(flat.is_first.astype(Dtype::i64)) - 1;
  return {heads[0], heads[1], permute(value_of_sorted, sorted.positions), (end - heads[2]).evaluate()};
}

Expression searchsorted(const Expression& ascending, const Expression& values, SearchSide side) {
  check_order("searchsorted", ascending);
  check_order("searchsorted", values);
  if (ascending.shape().size() != 1)
    throw UsageError(fmt::format("searchsorted: the ascending array has shape {}, it must have one dimension",
                                 to_string(ascending.shape())));
  const Dtype type = promote(ascending.dtype(), values.dtype());
  return make_phase(
      "searchsorted", {{ascending.astype(type), true}, {values.astype(type), true}}, Dtype::i64, values.shape(),
      [=](const Stream& stream, std::span<const Expression> operands) {
        const Array sorted = as_array(operands[0].node()).contiguous();
        const Array wanted = as_array(operands[1].node()).contiguous();
        if (sorted.size() == 0) return Array::zeros(stream, wanted.shape(), Dtype::i64);
        const Array found = Array::empty(stream, wanted.shape(), Dtype::i64);
        if (wanted.size() == 0) return found;
        const bool cpu = loop_shape(stream.device()) == LoopShape::cpu;
        const Kernel& kernel = cached_kernel(stream.device(), "search", fmt::format("{}", dtype_name(type)),
                                             [&] { return std::pair(search_source(type), std::string("search")); });
        const auto count = static_cast<std::uint64_t>(wanted.size());
        const Grid grid = cpu ? Grid::of(4 * stream.device().properties().compute_units, 1) : Grid::over(count, 256);
        raw_launch(kernel, stream, grid, sorted.buffer(), sorted.offset(), sorted.size(), wanted.buffer(),
                   wanted.offset(), count, found.buffer(), static_cast<int>(side == SearchSide::right));
        return found;
      });
}

}  // namespace rtcg
