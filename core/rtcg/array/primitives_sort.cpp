// What stands on sorting: sort, groups by key, scatters that combine.
#include <fmt/format.h>

#include "rtcg/array/function_text.h"
#include "rtcg/array/phase.h"
#include "rtcg/array/primitives.h"
#include "rtcg/array/scan_operation.h"
#include "rtcg/array/scatter.h"
#include "rtcg/array/sorting.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

/// In C order as one dimension.
Expression flat(const Expression& x) {
  return x.shape().size() == 1 ? x : take(x, indices(Shape{x.size()}));
}

/// Combines values with equal keys, wherever they stand, in their order.
std::pair<Array, Array> combined(const Operator& f, const Expression& keys, const Expression& values,
                                 const char* primitive) {
  const auto [sorted_keys, sorted_values] = sort_by_key(flat(keys), flat(values));
  return reduce_by_key(sorted_keys, sorted_values, scan_operation(primitive, f, values.dtype()));
}

}  // namespace

Expression sort(const Operator& before, const Expression& x) {
  const Expression a(make_parameter(x.dtype())), b(make_parameter(x.dtype()));
  const Node& test = *before(a, b).node();
  const bool in_order = test.operands[0] == a.node() && test.operands[1] == b.node();
  const bool swapped = test.operands[0] == b.node() && test.operands[1] == a.node();
  if ((test.op != Op::less && test.op != Op::greater) || !(in_order || swapped))
    throw UsageError("sort: the order is \"a < b\" or \"a > b\"; by another key: sort_by_key(key, x)");
  const bool descending = (test.op == Op::greater) == in_order;
  const Expression sorted = sort(flat(x), 0, descending ? SortOrder::descending : SortOrder::ascending);
  return x.shape().size() == 1 ? sorted : take(sorted, positions(x));
}

std::pair<Array, Array> reduce_by_key(const Operator& f, const Expression& keys, const Expression& values) {
  return reduce_by_key(keys, values, scan_operation("reduce_by_key", f, values.dtype()));
}

std::pair<Array, Array> group_by(const Operator& f, const Expression& keys, const Expression& values) {
  const Expression both[] = {keys, values};
  if (common_shape("group_by", both).empty()) throw UsageError("group_by: single values have no groups");
  return combined(f, keys, values.broadcast_to(keys.shape()), "group_by");
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
  return make_phase(fmt::format("scatter {}", combination.name), {{source.astype(type)}, {index}, {target}}, type,
                    target.shape(), [=](const Stream& stream, std::span<const Expression> values) {
                      const Array result = values[2].evaluate(stream);
                      if (atomically) {
                        combine_into(stream, result, values[0], values[1], combination);
                        return result;
                      }
                      const std::int64_t n = result.size();
                      // Indices from the end would be another key for the same place.
                      const Expression& given = values[1];
                      const Expression place =
                          kind_of(given.dtype()) == DtypeKind::unsigned_integer
                              ? given
                              : where(given < 0, given.astype(Dtype::i64) + n, given.astype(Dtype::i64));
                      if (element_count(shape) == 0 || n == 0) return result;
                      const auto [places, sums] =
                          combined(combine, place.broadcast_to(shape), values[0].broadcast_to(shape), "scatter");
                      scatter_into(stream, result, combine(take(result.ravel().copy(), places), sums), places);
                      return result;
                    });
}

}  // namespace rtcg
