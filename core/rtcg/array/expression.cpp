#include "rtcg/array/expression.h"

#include <fmt/format.h>

#include <atomic>

#include "rtcg/array/evaluate.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

std::atomic<bool> checked_mode = false;

/// A chain that is too deep becomes an Array, where there is one to say on which stream.
NodePtr shallow(const NodePtr& node) {
  if (node->depth < most_depth) return node;
  const Expression expression(node);
  if (!stream_of({&expression, 1}))
    throw UsageError(fmt::format("an expression of {} operations in a row without any array", most_depth));
  return expression.evaluate().node();
}

}  // namespace

Expression::Expression(const Array& array) {
  if (!static_cast<bool>(array))
    throw UsageError("an Array without elements or type in an expression; give it a value first");
  node_ = array.node();
}

Expression::Expression(const Scalar& value, bool weak) : node_(std::make_shared<ScalarNode>(value, weak)) {}

Array Expression::evaluate() const {
  const std::optional<Stream> stream = stream_of({this, 1});
  if (!stream) throw UsageError("an expression without any array has no stream to run on; use evaluate(stream)");
  return evaluate_one(*stream, node_);
}
Array Expression::evaluate(const Stream& stream) const {
  return evaluate_one(stream, node_);
}

Expression Expression::broadcast_to(const Shape& shape) const {
  if (node_->shape == shape) return *this;
  if (!(broadcast(node_->shape, shape) == shape))
    throw UsageError(
        fmt::format("broadcast_to: shape {} does not broadcast to {}", to_string(node_->shape), to_string(shape)));
  if (node_->op == Op::array) return as_array(node_).broadcast_to(shape);
  auto node = std::make_shared<Node>(Op::positive, node_->dtype, shape);
  node->operand_type = node_->dtype;
  node->set_operand(0, make_cast(node_, node_->dtype));
  return Expression(NodePtr(node));
}

Expression apply(Op op, std::initializer_list<const Expression*> operands) {
  std::array<NodePtr, 3> shallow_ones;
  std::array<const NodePtr*, 3> nodes;
  std::size_t count = 0;
  for (const Expression* operand : operands) {
    nodes[count] = &operand->node();
    if ((*nodes[count])->depth >= most_depth) {
      shallow_ones[count] = shallow(*nodes[count]);
      nodes[count] = &shallow_ones[count];
    }
    ++count;
  }
  return Expression(make_operation(op, std::span(nodes.data(), count)));
}

Expression indices(const Shape& shape) {
  return Expression(NodePtr(std::make_shared<IndexNode>(shape, contiguous_strides(shape))));
}

Expression index_along(const Shape& shape, int axis) {
  Strides strides = Strides::filled(shape.size(), 0);
  strides[normalized_axis(axis, shape.size())] = 1;
  return Expression(NodePtr(std::make_shared<IndexNode>(shape, strides)));
}

Expression replicate(const Expression& value, const Shape& shape) {
  return value.broadcast_to(shape);
}

Expression take(const Expression& source, const Expression& index) {
  if (!is_integer(index.dtype()))
    throw UsageError(fmt::format("take: the index is {}; it must be an integer type", dtype_name(index.dtype())));
  if (source.size() == 0 && index.size() != 0) throw UsageError("take: indices into an array without elements");
  auto node = std::make_shared<Node>(Op::take, source.dtype(), index.shape());
  const bool ready = source.node()->op == Op::array && as_array(source.node()).is_contiguous();
  node->set_operand(0, source.node());
  node->set_operand(1, make_cast(shallow(index.node()), index.dtype()));
  node->has_phases = node->has_phases || !ready || is_checked();
  return Expression(NodePtr(node));
}

void set_checked(bool on) {
  checked_mode = on;
}
bool is_checked() {
  return checked_mode;
}

}  // namespace rtcg
