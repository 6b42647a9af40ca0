#include "rtcg/array/evaluate.h"

#include <fmt/format.h>

#include <map>
#include <unordered_map>
#include <unordered_set>

#include "rtcg/array/kernel_table.h"
#include "rtcg/array/loop_body.h"
#include "rtcg/array/loop_shape.h"
#include "rtcg/compile/template.h"
#include "rtcg/error.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

constexpr std::size_t group_items = 256, most_nodes = 200;

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

void launch_elementwise(const Stream& stream, const LoopBody& body) {
  const Device& device = stream.device();
  const bool cpu = loop_shape(device) == LoopShape::cpu;
  const Kernel& kernel = cached_kernel(device, "elementwise", body.key(), [&] {
    const BodyText text = body.text();
    return std::pair(Source("elementwise.cl", render(kernels::elementwise_cl,
                                                     {{"functions", text.functions},
                                                      {"parameters", text.parameters},
                                                      {"declare_lanes", text.declare_lanes},
                                                      {"load_run", text.load_run},
                                                      {"load_one", text.load_one},
                                                      {"compute", text.compute},
                                                      {"keep", text.keep},
                                                      {"store_run", text.store_run},
                                                      {"store_one", text.store_one},
                                                      {"lanes", body.lanes()},
                                                      {"cpu", cpu}},
                                                     "elementwise.cl")),
                     std::string("evaluate"));
  });
  ArgumentList list;
  body.append_arguments(list);
  list.value(static_cast<std::uint64_t>(body.count()));
  const std::size_t runs = (static_cast<std::size_t>(body.count()) - 1) / body.lanes() + 1;
  // Chunks of a few thousand elements at least, or starting them costs more than computing them.
  const Grid grid = cpu ? Grid::of(std::clamp<std::size_t>(runs / 4096, 1, 4 * device.properties().compute_units), 1)
                        : Grid::over(runs, group_items);
  kernel.launch(stream, grid, list.arguments());
}

bool is_fitting(const LoopBody& body) {
  return body.fits() && body.nodes() <= most_nodes;
}

/// One fused kernel for one output.
void run_elementwise(const Stream& stream, const NodePtr& root, const Array& output) {
  if (output.size() == 0) return;
  {
    const LoopBody body(stream.device(), {&root, 1}, output.shape(), {&output, 1});
    if (is_fitting(body)) return launch_elementwise(stream, body);
  }
  const NodePtr smaller = fitted(stream, root, output.shape());
  const LoopBody body(stream.device(), {&smaller, 1}, output.shape(), {&output, 1});
  launch_elementwise(stream, body);
}

/// Does element i of the value depend on an element of the target's memory other than i?
bool reads_elsewhere(const NodePtr& node, const Array& target, std::unordered_set<const Node*>& seen,
                     bool any_place = false) {
  if (node->op == Op::array) {
    const auto& array = static_cast<const ArrayNode&>(*node);
    return array.buffer.native() == target.buffer().native() &&
           (any_place || !(array.offset == target.offset() && array.strides == target.strides() &&
                           array.shape == target.shape() && array.dtype == target.dtype()));
  }
  if (!seen.insert(node.get()).second) return false;
  bool found = false;
  for_each_operand(*node, [&](const NodePtr& operand) {
    const bool source = node->op == Op::take && operand == node->operands[0];
    found = found || reads_elsewhere(operand, target, seen, source);
  });
  return found;
}

/// Runs phases once each and rebuilds what stands on them.
class Resolver {
 public:
  explicit Resolver(const Stream& stream) : stream_(stream) {}

  NodePtr resolve(const NodePtr& node) {
    if (!node->has_phases) return node;
    if (const auto found = done_.find(node.get()); found != done_.end()) return found->second;
    NodePtr result;
    if (node->op == Op::total) {
      const auto& total = static_cast<const TotalNode&>(*node);
      result = run(*total.phase)[total.part].node();
    } else if (node->op == Op::take) {
      result = resolve_take(*node);
    } else if (node->op == Op::call) {
      const auto& call = static_cast<const CallNode&>(*node);
      std::vector<NodePtr> arguments;
      for (const NodePtr& argument : call.arguments) arguments.push_back(resolve(argument));
      result = std::make_shared<CallNode>(call.function, std::move(arguments), call.shape);
    } else {
      auto copy = without_operands(*node);
      for (std::size_t k = 0; k < 3 && node->operands[k]; ++k) copy->set_operand(k, resolve(node->operands[k]));
      result = copy;
    }
    done_.emplace(node.get(), result);
    return result;
  }

 private:
  const std::vector<Array>& run(const Phase& phase) {
    if (const auto found = phases_.find(&phase); found != phases_.end()) return found->second;
    std::vector<Expression> operands;
    for (std::size_t k = 0; k < phase.operands.size(); ++k) {
      NodePtr operand = resolve(phase.operands[k]);
      if (phase.demands_array[k] && operand->op != Op::array) operand = Expression(operand).evaluate(stream_).node();
      operands.emplace_back(operand);
    }
    return phases_.emplace(&phase, phase.run(stream_, operands)).first->second;
  }

  NodePtr resolve_take(const Node& node) {
    NodePtr source = resolve(node.operands[0]);
    const Array array = source->op == Op::array ? as_array(source).contiguous() : Expression(source).evaluate(stream_);
    auto take = without_operands(node);
    take->set_operand(0, array.node());
    take->set_operand(1, resolve(node.operands[1]));
    return take;
  }

  const Stream& stream_;
  std::unordered_map<const Node*, NodePtr> done_;
  std::unordered_map<const Phase*, std::vector<Array>> phases_;
};

/// Rebuilds `node` with `from` replaced.
NodePtr replaced(const NodePtr& node, const Node* from, const NodePtr& to,
                 std::unordered_map<const Node*, NodePtr>& done) {
  if (node.get() == from) return to;
  if (node->op == Op::array || node->op == Op::scalar || node->op == Op::index) return node;
  if (const auto found = done.find(node.get()); found != done.end()) return found->second;
  NodePtr result;
  if (node->op == Op::call) {
    const auto& call = static_cast<const CallNode&>(*node);
    std::vector<NodePtr> arguments;
    for (const NodePtr& argument : call.arguments) arguments.push_back(replaced(argument, from, to, done));
    result = std::make_shared<CallNode>(call.function, std::move(arguments), call.shape);
  } else {
    auto copy = without_operands(*node);
    for (std::size_t k = 0; k < 3 && node->operands[k]; ++k)
      copy->set_operand(
          k, node->op == Op::take && k == 0 ? node->operands[k] : replaced(node->operands[k], from, to, done));
    result = copy;
  }
  done.emplace(node.get(), result);
  return result;
}

/// Nodes below that are not leaves, operands before users, and how many leaves lie below each (counted with
/// repetition).
void post_order(const NodePtr& node, std::vector<std::pair<NodePtr, std::size_t>>& order,
                std::unordered_map<const Node*, std::size_t>& weight) {
  if (weight.contains(node.get())) return;
  std::size_t own = 1;
  for_each_operand(*node, [&](const NodePtr& operand) {
    post_order(operand, order, weight);
    own += weight.at(operand.get());
  });
  weight.emplace(node.get(), own);
  order.emplace_back(node, own);
}

}  // namespace

NodePtr fitted(const Stream& stream, const NodePtr& node, const Shape& shape) {
  NodePtr root = node;
  for (;;) {
    const NodePtr roots[] = {root};
    const LoopBody body(stream.device(), roots, shape);
    // One operand and most of the words are left to the skeleton's own outputs.
    if (body.fits() && body.nodes() <= most_nodes) return root;
    std::vector<std::pair<NodePtr, std::size_t>> order;
    std::unordered_map<const Node*, std::size_t> weight;
    post_order(root, order, weight);
    // The first part that is large enough to be worth a kernel and small enough to fit into one.
    const NodePtr* part = nullptr;
    for (const auto& [candidate, size] : order)
      if (candidate != root && candidate->op > Op::index && size >= 16) {
        part = &candidate;
        break;
      }
    NodePtr replacement;
    if (part != nullptr) {
      replacement = Expression(*part).evaluate(stream).node();
    } else {  // few operands of many dimensions: copies of them in the loop's shape need no strides
      for (const auto& [candidate, size] : order)
        if (candidate->op == Op::array) {
          const Array array = as_array(candidate);
          if (array.shape() == shape && array.is_contiguous()) continue;
          part = &candidate;
          const Array copy = Array::empty(stream, shape, array.dtype());
          run_elementwise(stream, candidate, copy);
          replacement = copy.node();
          break;
        }
      if (part == nullptr)
        throw UsageError("an expression with too many scalars for one kernel; make a part of it an Array");
    }
    std::unordered_map<const Node*, NodePtr> done;
    root = replaced(root, part->get(), replacement, done);
  }
}

NodePtr without_phases(const Stream& stream, const NodePtr& node) {
  return node->has_phases ? Resolver(stream).resolve(node) : node;
}

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

  Resolver resolver(stream);
  std::vector<Array> results(nodes.size());
  std::vector<NodePtr> roots(nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    roots[k] = resolver.resolve(nodes[k]);
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
    for (std::size_t k = first; k < nodes.size(); ++k) {
      if (done[k] || nodes[k]->op == Op::total || !(nodes[k]->shape == shape)) continue;
      group.push_back(roots[k]);
      outputs.push_back(results[k]);
      if (k > first && !is_fitting(LoopBody(stream.device(), group, shape, outputs))) {
        group.pop_back();
        outputs.pop_back();
        break;
      }
      done[k] = true;
    }
    if (group.size() == 1)
      run_elementwise(stream, group[0], outputs[0]);
    else if (outputs[0].size() != 0)
      launch_elementwise(stream, LoopBody(stream.device(), group, shape, outputs));
  }
  order_streams(stream, nodes, true);
  return results;
}

void evaluate_into(const Array& target, const Expression& value) {
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
  NodePtr node = make_cast(without_phases(stream, value.node()), target.dtype());
  std::unordered_set<const Node*> seen;
  if (reads_elsewhere(node, target, seen)) node = Expression(node).evaluate(stream).node();
  run_elementwise(stream, node, target);
  order_streams(stream, nodes, true);
}

}  // namespace rtcg
