// The usual small expression - operations on whole contiguous arrays of one shape, and scalars - recognised in one walk
// over its graph, without what strides, broadcasts and gathers need: for small arrays the host's time is what counts.
// The kernel is the one that LoopBody describes. Private to the array directory.
#pragma once

#include "rtcg/array/array.h"
#include "rtcg/array/node.h"

namespace rtcg {

/// Launches the kernel that writes `root`, which has no phases, to `target`; false, and nothing done, where one of them
/// is not plain.
bool launch_plain(const Stream& stream, const NodePtr& root, const Array& target);

}  // namespace rtcg
