#include "rtcg/array/node.h"

#include <fmt/format.h>

#include "rtcg/error.h"

namespace rtcg {

namespace {

NodePtr scalar_as(const Node& node, Dtype type) {
  return std::make_shared<ScalarNode>(static_cast<const ScalarNode&>(node).value.as(type), false);
}

/// The operands from `first` on take part in the promotion.
Dtype common_type(std::span<const NodePtr* const> operands, std::size_t first) {
  Dtype strong = Dtype::unknown;
  for (std::size_t k = first; k < operands.size(); ++k)
    if (!(*operands[k])->is_weak)
      strong = strong == Dtype::unknown ? (*operands[k])->dtype : promote(strong, (*operands[k])->dtype);
  for (std::size_t k = first; k < operands.size(); ++k)
    if ((*operands[k])->is_weak)
      strong = strong == Dtype::unknown ? (*operands[k])->dtype : promote_weak(strong, kind_of((*operands[k])->dtype));
  return strong;
}

}  // namespace

NodePtr make_cast(NodePtr node, Dtype type) {
  if (node->dtype == type && !node->is_weak) return node;
  if (node->op == Op::scalar) return scalar_as(*node, type);
  if (node->dtype == type) return node;
  auto cast = std::make_shared<Node>(Op::cast, type, node->shape);
  cast->set_operand(0, std::move(node));
  return cast;
}

NodePtr make_operation(Op op, std::span<const NodePtr* const> operands) {
  const std::size_t first = op == Op::where ? 1 : 0;
  const Dtype common = common_type(operands, first);
  const OperationTypes types = operation_types(op, common);
  const bool two_tests = op == Op::logical_and || op == Op::logical_or;

  Shape shape = (*operands[0])->shape;
  bool all_weak = true;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    all_weak = all_weak && (*operands[k])->is_weak;
    if (k == 0 || (*operands[k])->shape == shape) continue;
    try {
      shape = broadcast(shape, (*operands[k])->shape);
    } catch (const UsageError&) {
      throw UsageError(fmt::format("{}: shapes {} and {} do not fit; extents must agree or be 1", info(op).name,
                                   to_string((*operands[0])->shape), to_string((*operands[k])->shape)));
    }
  }
  auto node = std::make_shared<Node>(op, types.result, shape);
  node->is_weak = all_weak;
  for (std::size_t k = 0; k < operands.size(); ++k)
    node->set_operand(k, make_cast(*operands[k], k < first || two_tests ? Dtype::boolean : types.operand));
  return node;
}

}  // namespace rtcg
