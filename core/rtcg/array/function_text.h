// Expression graphs over single values written as C functions, for kernels that call an operation instead of fusing it:
// the combination of a reduction, a comparison, a formula of a case file. Private to the libraries that make kernels.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "rtcg/array/node.h"

namespace rtcg {

/// Stands for an argument in a graph; told from others by its address.
NodePtr make_parameter(Dtype type);

/// "static inline T name(T0 a0, T1 a1 ...) { ... }" that computes `root` from these parameters, preceded by the user's
/// functions it calls. The texts call operation_helpers. UsageError when the graph reads arrays.
std::shared_ptr<const FunctionText> write_function(std::string name, const NodePtr& root,
                                                   std::span<const NodePtr> parameters);

/// A C literal of the type in which kernels compute.
std::string literal_text(const Scalar& value);

}  // namespace rtcg
