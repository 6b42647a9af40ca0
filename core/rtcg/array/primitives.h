// Data-parallel primitives (after Copperhead): the vocabulary for programs that are more than elementwise arithmetic.
// Each returns an Expression, so they chain and fuse: what is local (map, zip, gather, shift, rotate ...) is computed
// inside whatever consumes it, what is total (reduce, scan, filter, sort, scatter ...) is a phase of its own into which
// everything local below it fuses. Expression::explain() shows phases and kernels. docs/primitives.md has the table of
// edge cases.
//
// Arrays of several dimensions are taken in C order. Lengths must agree exactly (UsageError); single values (C++
// numbers, Expressions of no dimension) go with any length. Functions are formulas ("a * b", "(x, y) -> x * y"), C++
// callables over Expressions, or Functions (C text).
#pragma once

#include <concepts>
#include <string_view>
#include <vector>

#include "rtcg/array/expression.h"
#include "rtcg/array/formula.h"
#include "rtcg/array/function.h"
#include "rtcg/array/operator.h"
#include "rtcg/array/reductions.h"
#include "rtcg/array/selection.h"
#include "rtcg/array/sorting.h"

namespace rtcg {

/// Values side by side: what zip gives and map takes apart.
using Tuple = std::vector<Expression>;

/// The shape that the values have in common; single values fit any. UsageError naming `primitive` and both shapes.
Shape common_shape(std::string_view primitive, std::span<const Expression> values);

// ---- local: fused into what consumes them ----

/// f of the elements at each place.
Expression map(const Formula& f, const Tuple& values);
template <class... X>
requires(std::convertible_to<X, Expression>&&...) Expression map(const Formula& f, const X&... values) {
  return map(f, Tuple{Expression(values)...});
}
template <class F, class... X>
requires(std::convertible_to<X, Expression>&&...) &&
    std::invocable<const F&, const std::conditional_t<true, Expression, X>&...> auto map(const F& f,
                                                                                         const X&... values) {
  const Tuple list{Expression(values)...};
  common_shape("map", list);
  return f(Expression(values)...);
}

template <class... X>
requires(std::convertible_to<X, Expression>&&...) Tuple zip(const X&... values) {
  Tuple list{Expression(values)...};
  common_shape("zip", list);
  return list;
}

/// 0 ... n - 1, or from ... to - 1, int64; empty when there are none.
Expression range(std::int64_t n);
Expression range(std::int64_t from, std::int64_t to);
/// The positions of x's elements; zip(positions(x), x) is enumerate(x).
Expression positions(const Expression& x);
Tuple enumerate(const Expression& x);

/// source[i] for each i: take() by Copperhead's name.
Expression gather(const Expression& source, const Expression& index);
/// r[i] = x[i + k] where that exists, else `outside`: positive k shifts to the left.
Expression shift(const Expression& x, std::int64_t k, const Expression& outside);
/// r[i] = x[(i + k) mod n], for any k.
Expression rotate(const Expression& x, std::int64_t k);
/// r[0] = x[0], r[i] = x[i] - x[i - 1].
Expression adjacent_difference(const Expression& x);

// ---- total: phases ----

/// f over the elements, from left to right in brackets of the device's choosing: f has to be associative, and
/// commutative too for reduce. Without elements `first` or the neutral element (UsageError when f has none that is
/// known); with elements and `first`, f(first, the reduction). One value of x's type.
Expression reduce(const Operator& f, const Expression& x);
Expression reduce(const Operator& f, const Expression& x, const Expression& first);

/// r[i] = f over x[0] ... x[i]; rscan: over x[i] ... x[n - 1], combined from the last on. UsageError when f has no
/// neutral element that is known; Operator::with_neutral says it. The result has x's type and shape.
Expression scan(const Operator& f, const Expression& x);
Expression rscan(const Operator& f, const Expression& x);
/// r[0] = first, r[i] = f(first, f over x[0] ... x[i - 1]); the other from the end. As long as x.
Expression exclusive_scan(const Operator& f, const Scalar& first, const Expression& x);
Expression exclusive_rscan(const Operator& f, const Scalar& first, const Expression& x);

/// The elements for which p is not zero, in their order; the members of a tuple together, p of all of them. Evaluated
/// at once, since the length of the result is not known before.
Array filter(const Formula& p, const Expression& x);
std::vector<Array> filter(const Formula& p, const Tuple& x);
template <class F>
requires(!std::convertible_to<F, Expression> && std::is_invocable_r_v<Expression, const F&, const Expression&>) Array
    filter(const F& p, const Expression& x) {
  return filter(x, p(x));
}

/// Materialises the members in as few kernels as their shapes allow.
std::vector<Array> unzip(const Tuple& tuple);

/// r[index[j]] = x[j]; `index` names every place once (one that it does not name holds anything).
Expression permute(const Expression& x, const Expression& index);
/// A copy of `target` with r[index[j]] = source[j]. With equal indices one of the values stays, any of them.
Expression scatter(const Expression& source, const Expression& index, const Expression& target);
/// The same with r[index[j]] = combine(r[index[j]], source[j]) for every j, whatever indices are equal. Repeatable to
/// the bit: integers combine in any order exactly, other types in the order of a sort by index.
Expression scatter(const Operator& combine, const Expression& source, const Expression& index,
                   const Expression& target);
/// In the order "a < b" or "a > b" (UsageError for any other; by another key: sort_by_key), stable; NaNs come last.
Expression sort(const Operator& before, const Expression& x);
/// Neighbours with equal keys combined: one key and one value for each run. Evaluated at once, as filter is; f needs a
/// neutral element that is known.
std::pair<Array, Array> reduce_by_key(const Operator& f, const Expression& keys, const Expression& values);
/// All with equal keys combined, wherever they stand: keys in rising order, and a value for each.
std::pair<Array, Array> group_by(const Operator& f, const Expression& keys, const Expression& values);

/// scatter(values, indices, target) of pairs (index, value).
Expression update(const Expression& target, const Tuple& index_value_pairs);

}  // namespace rtcg
