// What stands on sorting: sort, groups by key, scatters that combine.
#include <fmt/format.h>

#include <limits>

#include "rtcg/array/function_text.h"
#include "rtcg/array/phase.h"
#include "rtcg/array/primitives.h"
#include "rtcg/array/radix_sort.h"
#include "rtcg/array/scan_operation.h"
#include "rtcg/array/scatter.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

/// Keys in rising order, and where each stood before.
struct Sorted {
  Array keys, positions;
};

SortProblem problem_of(const Array& keys) {
  SortProblem problem;
  problem.type = keys.dtype();
  problem.length = static_cast<std::size_t>(keys.size());
  problem.keys = keys.buffer();
  problem.keys_offset = static_cast<std::size_t>(keys.offset());
  return problem;
}

Array flat_array(const Stream& stream, const Expression& x) {
  return x.evaluate(stream).ravel();
}

Sorted sorted_with_positions(const Stream& stream, const Array& keys) {
  const bool is_long = keys.size() > std::numeric_limits<std::uint32_t>::max();
  Sorted result{Array::empty(stream, keys.shape(), keys.dtype()),
                Array::empty(stream, keys.shape(), is_long ? Dtype::i64 : Dtype::u32)};
  if (keys.size() == 0) return result;
  SortProblem problem = problem_of(keys);
  problem.sorted_keys = result.keys.buffer();
  problem.positions = result.positions.buffer();
  problem.position_bytes = is_long ? 8 : 4;
  radix_sort(stream, problem);
  return result;
}

/// Combines neighbours of one key.
std::pair<Array, Array> combined_runs(const Operator& f, const Stream& stream, const Array& keys,
                                      const Expression& values, const char* primitive) {
  const Sorted sorted = sorted_with_positions(stream, keys);
  const Expression in_order = take(flat_array(stream, values), sorted.positions);
  return reduce_by_key(sorted.keys, in_order, scan_operation(primitive, f, values.dtype()));
}

}  // namespace

Expression sort(const Operator& before, const Expression& x) {
  if (is_complex(x.dtype())) throw UsageError("sort: complex numbers have no order");
  const Expression a(make_parameter(x.dtype())), b(make_parameter(x.dtype()));
  const Node& test = *before(a, b).node();
  const bool in_order = test.operands[0] == a.node() && test.operands[1] == b.node();
  const bool swapped = test.operands[0] == b.node() && test.operands[1] == a.node();
  if ((test.op != Op::less && test.op != Op::greater) || !(in_order || swapped))
    throw UsageError(
        "sort: the order is \"a < b\" or \"a > b\"; sort by another key as gather(x, sort_positions(key))");
  const bool descending = (test.op == Op::greater) == in_order;
  return make_phase(descending ? "sort >" : "sort <", {{x, true}}, x.dtype(), x.shape(),
                    [descending](const Stream& stream, std::span<const Expression> values) {
                      const Array keys = owned_array(values[0]);
                      const Array result = Array::empty(stream, keys.shape(), keys.dtype());
                      if (keys.size() == 0) return result;
                      SortProblem problem = problem_of(keys);
                      problem.sorted_keys = result.buffer();
                      problem.descending = descending;
                      radix_sort(stream, problem);
                      return result;
                    });
}

Expression sort_positions(const Expression& keys) {
  if (is_complex(keys.dtype())) throw UsageError("sort_positions: complex numbers have no order");
  const bool is_long = keys.size() > std::numeric_limits<std::uint32_t>::max();
  return make_phase("sort_positions", {{keys, true}}, is_long ? Dtype::i64 : Dtype::u32, keys.shape(),
                    [](const Stream& stream, std::span<const Expression> values) {
                      return sorted_with_positions(stream, owned_array(values[0])).positions;
                    });
}

std::pair<Array, Array> reduce_by_key(const Operator& f, const Expression& keys, const Expression& values) {
  return reduce_by_key(keys, values, scan_operation("reduce_by_key", f, values.dtype()));
}

std::pair<Array, Array> group_by(const Operator& f, const Expression& keys, const Expression& values) {
  const Expression both[] = {keys, values};
  if (common_shape("group_by", both).empty()) throw UsageError("group_by: single values have no groups");
  const Stream stream = stream_of(both).value_or(Stream(Device::preferred()));
  return combined_runs(f, stream, flat_array(stream, keys), values.broadcast_to(keys.shape()), "group_by");
}

Expression scatter(const Operator& combine, const Expression& source, const Expression& index,
                   const Expression& target) {
  const Expression both[] = {source, index};
  const Shape shape = common_shape("scatter", both);
  const Dtype type = target.dtype();
  if (kind_of(source.dtype()) > kind_of(type) && !source.node()->is_weak)
    throw UsageError(fmt::format("scatter: {} into {} loses the kind; cast one of them", dtype_name(source.dtype()),
                                 dtype_name(type)));
  const Operator::Combination combination = combine.combination(type);
  const bool atomically = combines_atomically(combination, type);
  if (!atomically) scan_operation("scatter", combine, type);  // UsageError now rather than when it runs
  return make_phase(
      fmt::format("scatter {}", combination.name), {{source.astype(type)}, {index}, {target}}, type, target.shape(),
      [=](const Stream& stream, std::span<const Expression> values) {
        const Array result = values[2].evaluate(stream);
        if (atomically) {
          combine_into(stream, result, values[0], values[1], combination);
          return result;
        }
        const std::int64_t n = result.size();
        // Indices from the end would be another key for the same place.
        const Expression& given = values[1];
        const Expression place = kind_of(given.dtype()) == DtypeKind::unsigned_integer
                                     ? given
                                     : where(given < 0, given.astype(Dtype::i64) + n, given.astype(Dtype::i64));
        const Array keys = flat_array(stream, place.broadcast_to(shape));
        if (keys.size() == 0 || n == 0) return result;
        const auto [places, sums] = combined_runs(combine, stream, keys, values[0].broadcast_to(shape), "scatter");
        scatter_into(stream, result, combine(take(result.ravel().copy(), places), sums), places);
        return result;
      });
}

}  // namespace rtcg
