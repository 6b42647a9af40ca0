#include "rtcg/array/evaluate.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_set>

#include "rtcg/array/elementwise_skeleton.h"
#include "rtcg/array/phases.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

template <class F>
void for_each_array(const NodePtr& node, std::unordered_set<const Node*>& seen, F&& f) {
  if (!seen.insert(node.get()).second) return;
  if (node->op == Op::array) f(static_cast<const ArrayNode&>(*node));
  for_each_operand(*node, [&](const NodePtr& operand) { for_each_array(operand, seen, f); });
}

const ArrayNode* first_array(const Node& node) {
  if (node.op == Op::array) return &static_cast<const ArrayNode&>(node);
  const ArrayNode* found = nullptr;
  for_each_operand(node, [&](const NodePtr& operand) {
    if (found == nullptr && operand->stream != 0) found = first_array(*operand);
  });
  return found;
}

}  // namespace

std::optional<Stream> stream_of(std::span<const Expression> expressions) {
  for (const Expression& expression : expressions)
    if (const ArrayNode* array = first_array(*expression.node())) return array->on;
  return std::nullopt;
}

void order_streams(const Stream& stream, std::span<const NodePtr> nodes, bool after) {
  if (std::all_of(nodes.begin(), nodes.end(),
                  [&](const NodePtr& node) { return node->stream == 0 || node->stream == stream.native(); }))
    return;
  std::unordered_set<const Node*> seen;
  for (const NodePtr& node : nodes)
    for_each_array(node, seen, [&](const ArrayNode& array) {
      if (array.on == stream) return;
      if (!(array.on.device() == stream.device()))
        throw UsageError(fmt::format("arrays of {} and {} in one expression; copy one with on(stream)",
                                     stream.device().id(), array.on.device().id()));
      if (after)
        array.on.wait(stream.record());
      else
        stream.wait(array.on.record());
    });
}

Array evaluate_one(const Stream& stream, const NodePtr& node) {
  if (node->evaluations.prepared.load(std::memory_order_relaxed) != nullptr) {
    Array result = Array::empty(stream, node->shape, node->dtype);
    if (launch_prepared(*node, result)) return result;
  }
  order_streams(stream, {&node, 1}, false);
  const NodePtr root = without_phases(stream, node);
  Array result;
  if (node->op == Op::total) {
    result = as_array(root);
  } else {
    result = Array::empty(stream, node->shape, node->dtype);
    run_elementwise(stream, root, result);
  }
  order_streams(stream, {&node, 1}, true);
  return result;
}

std::vector<Array> evaluate(std::span<const Expression> expressions, const Stream* given) {
  const std::optional<Stream> found = given != nullptr ? *given : stream_of(expressions);
  if (!found) throw UsageError("an expression without any array has no stream to run on; use evaluate(stream)");
  const Stream& stream = *found;
  std::vector<NodePtr> nodes;
  for (const Expression& expression : expressions) nodes.push_back(expression.node());
  order_streams(stream, nodes, false);

  std::vector<Array> results(nodes.size());
  const std::vector<NodePtr> roots = without_phases(stream, nodes);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k]->op == Op::total)
      results[k] = as_array(roots[k]);
    else
      results[k] = Array::empty(stream, nodes[k]->shape, nodes[k]->dtype);
  }
  // Expressions of one shape share a kernel as long as it fits.
  std::vector<bool> done(nodes.size());
  for (std::size_t first = 0; first < nodes.size(); ++first) {
    if (done[first] || nodes[first]->op == Op::total) continue;
    std::vector<NodePtr> group;
    std::vector<Array> outputs;
    const Shape& shape = nodes[first]->shape;
    std::optional<LoopBody> body;
    for (std::size_t k = first; k < nodes.size(); ++k) {
      if (done[k] || nodes[k]->op == Op::total || !(nodes[k]->shape == shape)) continue;
      group.push_back(roots[k]);
      outputs.push_back(results[k]);
      if (k > first && !is_fitting(body.emplace(stream.device(), group, shape, outputs))) {
        group.pop_back();
        outputs.pop_back();
        if (group.size() > 1) body.emplace(stream.device(), group, shape, outputs);
        break;
      }
      done[k] = true;
    }
    if (group.size() == 1)
      run_elementwise(stream, group[0], outputs[0]);
    else if (outputs[0].size() != 0)
      launch_elementwise(stream, *body);
  }
  order_streams(stream, nodes, true);
  return results;
}

void evaluate_into(const Array& target, const Expression& value) {
  if (launch_prepared(*value.node(), target)) return;
  if (!(broadcast(value.shape(), target.shape()) == target.shape()))
    throw UsageError(fmt::format("assign: a value of shape {} does not broadcast to {}", to_string(value.shape()),
                                 to_string(target.shape())));
  const DtypeKind from = kind_of(value.dtype()), to = kind_of(target.dtype());
  const bool integers =
      from <= DtypeKind::signed_integer && to <= DtypeKind::signed_integer && to != DtypeKind::boolean;
  if (from > to && !integers && !(value.node()->is_weak && from <= to))
    throw UsageError(fmt::format("assign: {} to {} loses the kind; convert with astype()", dtype_name(value.dtype()),
                                 dtype_name(target.dtype())));
  const Stream& stream = target.stream();
  const NodePtr nodes[] = {value.node()};
  order_streams(stream, nodes, false);
  const NodePtr node = make_cast(without_phases(stream, value.node()), target.dtype());
  run_elementwise(stream, node, target);
  order_streams(stream, nodes, true);
}

}  // namespace rtcg
