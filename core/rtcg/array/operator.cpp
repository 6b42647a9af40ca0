#include "rtcg/array/operator.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "rtcg/array/function_text.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

/// Of the type's own values.
Scalar lowest(Dtype type) {
  return type == Dtype::u64 || kind_of(type) <= DtypeKind::unsigned_integer
             ? Scalar(0).as(type)
             : Scalar(-std::numeric_limits<double>::infinity()).as(type);  // integers saturate
}
Scalar highest(Dtype type) {
  return type == Dtype::boolean ? Scalar(true) : Scalar(std::numeric_limits<double>::infinity()).as(type);
}

std::optional<Scalar> neutral_of(Op op, Dtype type) {
  switch (op) {
    case Op::add:
    case Op::bit_or:
    case Op::bit_xor:
      return Scalar(0).as(type);
    case Op::multiply:
      return Scalar(1).as(type);
    case Op::bit_and:
      return type == Dtype::boolean                         ? Scalar(true)
             : kind_of(type) == DtypeKind::unsigned_integer ? highest(type)
                                                            : Scalar(-1).as(type);
    case Op::logical_and:
      return type == Dtype::boolean ? std::optional(Scalar(true)) : std::nullopt;
    case Op::logical_or:
      return type == Dtype::boolean ? std::optional(Scalar(false)) : std::nullopt;
    case Op::minimum:
      return highest(type);
    case Op::maximum:
      return lowest(type);
    case Op::fmin:
    case Op::fmax:
      if (is_real(type)) return Scalar(std::numeric_limits<double>::quiet_NaN()).as(type);
      return op == Op::fmin ? highest(type) : lowest(type);
    default:
      return std::nullopt;
  }
}

bool commutes(Op op) {
  return op != Op::subtract && op != Op::divide;
}

}  // namespace

Operator::Operator(Formula formula)
    : function_([formula](const Expression& a, const Expression& b) {
        return formula({a, b});
      }),
      text_(formula.text()) {}

Operator Operator::with_neutral(const Scalar& neutral) const {
  Operator result = *this;
  result.neutral_ = neutral;
  return result;
}

Operator::Combination Operator::combination(Dtype type, const std::string& function_name) const {
  const std::array<NodePtr, 2> values{make_parameter(type), make_parameter(type)};
  const NodePtr root = function_(Expression(values[0]), Expression(values[1])).node();
  if (!root->shape.empty()) throw UsageError("an operator gives one value for two; it may not bring arrays of its own");
  if (is_complex(root->dtype) && !is_complex(type))
    throw UsageError(
        fmt::format("an operator that makes {} of {} loses the kind", dtype_name(root->dtype), dtype_name(type)));
  Combination result;
  result.name = text_;
  // Arithmetic of two bools is done in int and comes back as a bool, which hides what it is.
  const Node* node = root.get();
  const auto is_value = [&](const NodePtr& operand, std::size_t k) {
    return operand == values[k] || (operand && operand->op == Op::cast && operand->operands[0] == values[k]);
  };
  const bool in_order = is_value(node->operands[0], 0) && is_value(node->operands[1], 1);
  const bool swapped = is_value(node->operands[0], 1) && is_value(node->operands[1], 0);
  if (node->op > Op::total && !node->operands[2] && (in_order || (swapped && commutes(node->op)))) {
    const bool is_plain = node->operands[0]->dtype == type && node->dtype == type;
    // Sums of bools in int are not zero where one of them is true.
    if (is_plain || (type == Dtype::boolean && (node->op == Op::add || node->op == Op::multiply))) {
      result.op = node->op;
      result.neutral = neutral_of(node->op, type);
      result.name = info(node->op).name;
    }
  }
  if (neutral_) result.neutral = neutral_->as(type);
  result.function = write_function(function_name, make_cast(root, type), values);
  return result;
}

}  // namespace rtcg
