// Writes at computed places: target[index] = value for values and indices that are computed where they are needed
// (kernels/scatter.cl). What put, permute and scatter stand on.
#pragma once

#include <optional>

#include "rtcg/array/expression.h"
#include "rtcg/array/operator.h"

namespace rtcg {

/// Writes into `target` (contiguous) on `stream`, without phases below values and index. The value is converted to the
/// target's type; both have one shape, or one of them is a single element. Indices count from 0, negative ones from the
/// end; what lies outside is not written. Of several writes to one place one remains, any of them.
void scatter_into(const Stream& stream, const Array& target, const Expression& values, const Expression& index);

/// Whether combine_into can: the operation is exact in any order and devices have it as an atomic one (+, minimum,
/// maximum, &, |, ^ on int32 and uint32).
bool combines_atomically(const Operator::Combination& combination, Dtype type);
/// As scatter_into, but target[index] = target[index] (op) value for every value.
void combine_into(const Stream& stream, const Array& target, const Expression& values, const Expression& index,
                  const Operator::Combination& combination);

}  // namespace rtcg
