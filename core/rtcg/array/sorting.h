// Sorted arrays and what follows from sorting: NumPy's functions by name. Along one axis by radix sort (radix_sort.h):
// stable, NaNs last whatever the order, -0 and +0 equal. Results that are Expressions are phases, which an evaluation
// runs once; those that are Arrays have sizes or parts that only the data tell, and wait for the device once.
// UsageError for complex numbers, which have no order, for axes out of range and for shapes that differ.
#pragma once

#include <optional>
#include <utility>

#include "rtcg/array/expression.h"

namespace rtcg {

enum class SortOrder : std::uint8_t { ascending, descending };

Expression sort(const Expression& x, int axis = -1, SortOrder order = SortOrder::ascending);
/// int64 indices along the axis: take_along(x, argsort(x, axis), axis) is sort(x, axis).
Expression argsort(const Expression& x, int axis = -1, SortOrder order = SortOrder::ascending);
/// The sorted keys and the values, of the keys' shape and any type, moved with them.
std::pair<Expression, Expression> sort_by_key(const Expression& keys, const Expression& values, int axis = -1,
                                              SortOrder order = SortOrder::ascending);

/// Element `kth` along the axis stands where a sort puts it, smaller ones before and larger ones after it:
/// numpy.partition. It is a whole sort, as a radix sort's few passes leave little for a selection to save.
Expression partition(const Expression& x, std::int64_t kth, int axis = -1);
/// The k largest along the axis, largest first, and their indices (int64): views of a sort's result.
std::pair<Array, Array> topk(const Expression& x, std::int64_t k, int axis = -1);

/// Different values of all elements, ascending; NaNs count as one value.
Array unique(const Expression& x);
struct Unique {
  Array values;
  Array first;    ///< int64 position in x (C order) of the first element of each value
  Array inverse;  ///< int64, of x's size: which value each element has
  Array counts;   ///< int64
};
Unique unique_all(const Expression& x);

/// Where values have to be put into the ascending one-dimensional array to keep it so, int64: before equal elements
/// (left) or after them. Both are converted to their common type.
enum class SearchSide : std::uint8_t { left, right };
Expression searchsorted(const Expression& ascending, const Expression& values, SearchSide side = SearchSide::left);

}  // namespace rtcg
