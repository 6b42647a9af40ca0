// From axes of an expression to the loops of the reduce skeleton: dimensions are put into an order in which memory is
// walked without strides where there is one, then those kept and those reduced become rows or columns.
#pragma once

#include "rtcg/array/expression.h"
#include "rtcg/array/reduce_skeleton.h"

namespace rtcg {

/// `reduced` says of each dimension of `x`, which is free of phases, whether it is reduced. The results have the kept
/// dimensions in their order; they may be views. Unless `any_order`, elements have the indices of their C order.
std::vector<Array> reduce_axes(const Stream& stream, const Expression& x, const std::vector<bool>& reduced,
                               const ReduceOperation& operation, bool any_order);

}  // namespace rtcg
