// From axes of an expression to the loops of the reduce skeleton: dimensions are put into an order in which memory is
// walked without strides where there is one, then those kept and those reduced become rows or columns.
#pragma once

#include "rtcg/array/expression.h"
#include "rtcg/array/reduce_skeleton.h"

namespace rtcg {

/// `roots`, free of phases, are broadcast to `shape`; `reduced` says of each of its dimensions whether it is reduced.
/// The results have the kept dimensions in their order; they may be views.
std::vector<Array> reduce_axes(const Stream& stream, std::span<const NodePtr> roots, const Shape& shape,
                               const std::vector<bool>& reduced, const ReduceOperation& operation);

}  // namespace rtcg
