// From expression graph to kernels: phases first, then each group of local expressions of one shape as one kernel.
#pragma once

#include <span>

#include "rtcg/array/expression.h"

namespace rtcg {

/// Expression::evaluate for one node.
Array evaluate_one(const Stream& stream, const NodePtr& node);

/// Writes the value, broadcast and cast, into the elements of `target`. UsageError when the shape does not broadcast to
/// the target's or the cast would lose the kind (real to integer, complex to real). Right when the value reads the
/// target's memory at other places: then it is evaluated aside first.
void evaluate_into(const Array& target, const Expression& value);

/// Lets work of `stream` see what was queued for the arrays below on other streams of the device, and, when `after` is
/// set, those streams wait for what `stream` has queued since. UsageError for an array of another device.
void order_streams(const Stream& stream, std::span<const NodePtr> nodes, bool after);

}  // namespace rtcg
