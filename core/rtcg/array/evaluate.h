// Evaluation into memory that exists. Private to the array directory; users assign to an Array or a view of one.
#pragma once

#include "rtcg/array/expression.h"

namespace rtcg {

/// Writes the elements of `target`, on its stream. The value broadcasts to the target's shape and has its type. Right
/// also when the value reads the target's memory at other places.
void evaluate_into(const Array& target, const Expression& value);

}  // namespace rtcg
