// Makes the nodes of phases. Private to the array directory.
#pragma once

#include "rtcg/array/expression.h"

namespace rtcg {

struct PhaseOperand {
  Expression value;
  bool whole = false;  ///< arrives as an array; otherwise local producers are fused by `run`
};

/// A phase of one result.
Expression make_phase(std::string name, std::vector<PhaseOperand> operands, Dtype type, const Shape& shape,
                      std::function<Array(const Stream&, std::span<const Expression>)> run);

/// The array of an operand that was demanded whole: contiguous, from the start of its buffer.
Array owned_array(const Expression& operand);

}  // namespace rtcg
