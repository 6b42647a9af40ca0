// The elementwise operations of the expression graph: for each its name, how many operands, which types it takes and
// gives, and the C text that computes it. One table serves Array arithmetic, formulas and the primitives.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rtcg/array/dtype.h"

namespace rtcg {

enum class Op : std::uint8_t {
  // leaves and structure, not in the table
  array,
  scalar,
  index,
  cast,
  take,
  call,
  total,
  // one operand
  negate,
  positive,
  absolute,
  sign,
  square,
  reciprocal,
  logical_not,
  bit_not,
  sqrt,
  rsqrt,
  cbrt,
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  erf,
  erfc,
  lgamma,
  tgamma,
  floor,
  ceil,
  trunc,
  rint,
  isnan,
  isinf,
  isfinite,
  real,
  imag,
  conj,
  arg,
  // two
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  truncate_divide,  // C's, on integers; fmod likewise: the remainder with the sign of the dividend
  remainder,
  fmod,
  power,
  minimum,
  maximum,
  fmin,
  fmax,
  atan2,
  hypot,
  copysign,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  logical_and,
  logical_or,
  make_complex,
  // three
  where,
  fma,
  clip,
};

struct OperationInfo {
  const char* name;  ///< as formulas and error messages write it: "+", "sqrt"
  int operands;
};
const OperationInfo& info(Op op);
/// By the name of a function ("sqrt", "atan2", "where"); unknown names give Op::call.
Op operation_named(std::string_view function);

/// How the operands are converted before the operation, and what it gives.
struct OperationTypes {
  Dtype operand, result;
};
/// `common` is the promoted type of the operands that take part (of `where`: of its two values). UsageError when the
/// operation has no meaning for the type, naming both.
OperationTypes operation_types(Op op, Dtype common);

/// C text of the operation on operands of one type, already converted. Signed integers wrap; integer division by zero
/// gives 0, shifts by the width or more give 0 (or -1 for a negative number shifted right), as NumPy; no operation is
/// undefined.
std::string operation_text(Op op, Dtype operand, std::span<const std::string> arguments);
/// C text of a conversion between register types; real to integer saturates and takes NaN to 0.
std::string cast_text(Dtype from, Dtype to, const std::string& value);
/// Helper functions that the texts above may call, for the head of a kernel; empty when `text` calls none. Guarded, so
/// the helpers of two texts may stand in one kernel.
std::string operation_helpers(std::string_view text);

}  // namespace rtcg
