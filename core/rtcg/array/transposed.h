// The expression graph with its axes permuted, for skeletons that want the axis they work along to be the last.
#pragma once

#include <span>

#include "rtcg/array/node.h"

namespace rtcg {

/// `node`, free of phases and broadcast to `shape`, as a node whose axis d is axis axes[d] of `shape`. Arrays become
/// views; nothing is computed.
NodePtr transposed(const NodePtr& node, const Shape& shape, std::span<const int> axes);

}  // namespace rtcg
