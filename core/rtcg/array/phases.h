// Running what an expression cannot fuse: its phases (reductions, scans, sorts), once each, and the sources of `take`.
//
// A local value that several phases (or a phase and the final kernel) use is either computed again in each or made an
// array once. It becomes an array when that moves less: with c users and L the bytes of the arrays it reads over its
// own, plus 0.05 for every operation and 0.4 for every special function, when c L > L + 1 + c.
#pragma once

#include "rtcg/array/expression.h"

namespace rtcg {

/// The expressions with every phase below them run and replaced by its array: what a LoopBody takes.
std::vector<NodePtr> without_phases(const Stream& stream, std::span<const NodePtr> nodes);
NodePtr without_phases(const Stream& stream, const NodePtr& node);

/// Is a local value with this many users worth an array of its own?
bool is_worth_storing(const Node& node, std::size_t users);

}  // namespace rtcg
