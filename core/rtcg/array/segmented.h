// Rows of different lengths inside one array, as CSR matrices keep them: row r is elements row_starts[r] to
// row_starts[r + 1] - 1, and row_starts has one more entry than there are rows. Reductions of rows are one kernel with
// whatever computes their elements; a work-item, a part of a warp or a whole group takes a row, by the mean length.
//
//   Expression y = segmented_reduce(plus, map("a * b", values, gather(x, columns)), row_starts);   // SpMV, one kernel
//   Expression p = segmented_map("a / b", row_starts, zip(e), zip(segmented_reduce(plus, e, row_starts)));
#pragma once

#include <optional>

#include "rtcg/array/operator.h"
#include "rtcg/array/primitives.h"

namespace rtcg {

/// One value for each row: `combine` over its elements, which has to be associative and commutative; `empty` for a row
/// without elements (else the neutral element; UsageError when the operator has none that is known). row_starts: any
/// integers, ascending, the last at most the number of values; in checked mode that is checked.
Expression segmented_reduce(const Operator& combine, const Expression& values, const Expression& row_starts,
                            const std::optional<Scalar>& empty = {});

/// The row of each of `count` elements, int32 or int64 as row_starts is.
Expression row_of_each(const Expression& row_starts, std::int64_t count);

/// f(elements..., rows...) at each element, where `rows` have one value for each row.
Expression segmented_map(const Formula& f, const Expression& row_starts, const Tuple& elements, const Tuple& rows);

}  // namespace rtcg
