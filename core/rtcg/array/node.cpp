#include "rtcg/array/node.h"

#include <fmt/format.h>

#include <cmath>

#include "rtcg/array/prepared_launch.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

bool has_contiguous_strides(const Shape& shape, const Strides& strides) {
  std::int64_t step = 1;
  for (int d = shape.size() - 1; d >= 0; --d) {
    if (shape[d] != 1 && strides[d] != step) return false;
    step *= shape[d];
  }
  return true;
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

/// An operation with a scalar by one with less to compute and the same value: 1 / x, x / 2^k, x to the power 2 or -1.
/// The constant becomes part of the kernel's text, where the compiler can use the device's reciprocal. Null if none.
NodePtr simpler(Op op, Dtype type, std::span<const NodePtr* const> operands) {
  if ((op != Op::divide && op != Op::power) || !is_real(type)) return nullptr;
  const bool by_scalar = (*operands[1])->op == Op::scalar;
  const NodePtr &scalar = *operands[by_scalar ? 1 : 0], &other = *operands[by_scalar ? 0 : 1];
  if (scalar->op != Op::scalar || other->op == Op::scalar || other->is_weak) return nullptr;
  const double value = static_cast<const ScalarNode&>(*scalar).value.to_double();
  const auto made = [&](Op with, const NodePtr& factor) {
    const NodePtr x = make_cast(other, type);
    const NodePtr* const list[] = {&x, &factor};
    return make_operation(with, std::span(list, factor ? 2 : 1));
  };
  if (op == Op::power)
    return !by_scalar ? nullptr : value == 2 ? made(Op::square, {}) : value == -1 ? made(Op::reciprocal, {}) : nullptr;
  if (!by_scalar) return value == 1 ? made(Op::reciprocal, {}) : nullptr;
  int exponent = 0;
  if (std::abs(std::frexp(value, &exponent)) != 0.5 || std::abs(exponent) > 100) return nullptr;
  return made(Op::multiply,
              std::make_shared<ScalarNode>(Scalar(1 / value).as(type == Dtype::f16 ? Dtype::f32 : type), true));
}

}  // namespace

Evaluations::~Evaluations() {
  delete prepared.load();
}

ArrayNode::ArrayNode(Buffer memory, const Stream& s, Dtype type, const Shape& extents, const Strides& steps,
                     std::int64_t first)
    : Node(Op::array, type, extents),
      buffer(std::move(memory)),
      on(s),
      strides(steps),
      offset(first),
      size(element_count(extents)) {
  stream = on.native();
  is_contiguous = size == 0 || has_contiguous_strides(extents, steps);
}

std::shared_ptr<Node> without_operands(const Node& node) {
  auto copy = std::make_shared<Node>(node.op, node.dtype, node.shape);
  copy->operand_type = node.operand_type;
  copy->is_weak = node.is_weak;
  return copy;
}

NodePtr make_cast(const NodePtr& node, Dtype type) {
  if (node->op == Op::scalar && node->dtype != type)
    return std::make_shared<ScalarNode>(static_cast<const ScalarNode&>(*node).value.as(type), false);
  if (node->dtype == type) return node;
  auto cast = std::make_shared<Node>(Op::cast, type, node->shape);
  cast->set_operand(0, node);
  return cast;
}

NodePtr make_operation(Op op, std::span<const NodePtr* const> operands) {
  const std::size_t first = op == Op::where ? 1 : 0;
  const Dtype common = common_type(operands, first);
  const OperationTypes types = operation_types(op, common);
  if (NodePtr node = simpler(op, types.operand, operands)) return node;
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
  node->operand_type = types.operand;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    const NodePtr& operand = *operands[k];
    const Dtype type = k < first || two_tests ? Dtype::boolean : types.operand;
    // A weak scalar takes the operands' type in the loop.
    const bool waits = operand->is_weak && operand->op == Op::scalar && k >= first;
    node->set_operand(k, waits ? operand : make_cast(operand, type));
  }
  return node;
}

}  // namespace rtcg
