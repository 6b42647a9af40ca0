// A fused expression written to its outputs, by kernels/elementwise.cl.
#pragma once

#include "rtcg/array/loop_body.h"
#include "rtcg/compile/compiler.h"

namespace rtcg {

/// Launches the kernel of a body with outputs. Nothing happens for a shape without elements.
void launch_elementwise(const Stream& stream, const LoopBody& body);

/// What it launches, for those who change the body's text (the users' Elementwise): the kernel is "evaluate", and takes
/// the number of elements as ulong after the body's arguments.
Source elementwise_source(const Device& device, const LoopBody& body, const BodyText& text);
Grid elementwise_grid(const Device& device, std::int64_t count, unsigned lanes);

/// One expression without phases into one output of its shape, by as many kernels as it takes (fitted). Right also when
/// it reads the output's memory at other places.
void run_elementwise(const Stream& stream, const NodePtr& root, const Array& output);
/// The same at the cost of a launch, where an earlier evaluation of the node has left what it takes; else false.
bool launch_prepared(const Node& node, const Array& output);

/// Is the body one that a kernel can have, and small enough that one kernel serves it well?
bool is_fitting(const LoopBody& body);
/// The expression as one fused loop can take it: unchanged when it fits, else with parts of it made arrays.
NodePtr fitted(const Stream& stream, const NodePtr& node, const Shape& shape);

}  // namespace rtcg
