#include "rtcg/array/phases.h"

#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "rtcg/array/evaluate.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

bool is_special_function(Op op) {
  return (op >= Op::sqrt && op <= Op::tgamma) || op == Op::power || op == Op::atan2 || op == Op::hypot;
}

struct Cost {
  double bytes = 0, operations = 0;
};
void add_cost(const Node& node, std::unordered_set<const Node*>& seen, Cost& cost) {
  if (!seen.insert(&node).second) return;
  const bool is_leaf = node.op == Op::array || node.op == Op::total;
  if (is_leaf)
    cost.bytes += static_cast<double>(element_count(node.shape)) * static_cast<double>(size_of(node.dtype));
  else if (node.op > Op::cast)
    cost.operations += is_special_function(node.op) || node.op == Op::call ? 0.4 : 0.05;
  if (!is_leaf) for_each_operand(node, [&](const NodePtr& operand) { add_cost(*operand, seen, cost); });
}

/// How many phases and final kernels use each local node.
class Users {
 public:
  explicit Users(std::span<const NodePtr> roots) {
    for (std::size_t k = 0; k < roots.size(); ++k) {
      bool same_kernel = false;  // roots of one shape are one kernel: visited together
      for (std::size_t j = 0; j < k; ++j) same_kernel = same_kernel || roots[j]->shape == roots[k]->shape;
      if (same_kernel) continue;
      std::unordered_set<const Node*> seen;
      for (std::size_t j = k; j < roots.size(); ++j)
        if (roots[j]->shape == roots[k]->shape) visit(roots[j], seen);
    }
  }
  std::size_t of(const Node* node) const {
    const auto found = counts_.find(node);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  void visit(const NodePtr& node, std::unordered_set<const Node*>& seen) {
    if (!seen.insert(node.get()).second) return;
    if (node->op == Op::total) {
      const Phase* phase = static_cast<const TotalNode&>(*node).phase.get();
      if (!phases_.insert(phase).second) return;
      std::unordered_set<const Node*> below;
      for (const NodePtr& operand : phase->operands) visit(operand, below);
      return;
    }
    ++counts_[node.get()];
    for_each_operand(*node, [&](const NodePtr& operand) { visit(operand, seen); });
  }

  std::unordered_map<const Node*, std::size_t> counts_;
  std::unordered_set<const Phase*> phases_;
};

class PhaseRunner {
 public:
  PhaseRunner(const Stream& stream, std::span<const NodePtr> roots) : stream_(stream), users_(roots) {}

  NodePtr resolve(const NodePtr& node) {
    if (node->op <= Op::index) return node;
    if (const auto found = done_.find(node.get()); found != done_.end()) return found->second;
    NodePtr result = node;
    if (node->op == Op::total) {
      const auto& total = static_cast<const TotalNode&>(*node);
      result = run(*total.phase)[total.part].node();
    } else {
      if (node->op == Op::take) {
        result = node->has_phases || is_checked() ? resolve_take(*node) : node;
      } else if (node->has_phases || users_.of(node.get()) > 1) {
        result = rebuilt(*node);
      }
      if (users_.of(node.get()) > 1 && is_worth_storing(*node, users_.of(node.get())))
        result = evaluate_one(stream_, result).node();
    }
    done_.emplace(node.get(), result);
    return result;
  }

 private:
  NodePtr rebuilt(const Node& node) {
    if (node.op == Op::call) {
      const auto& call = static_cast<const CallNode&>(node);
      std::vector<NodePtr> arguments;
      for (const NodePtr& argument : call.arguments) arguments.push_back(resolve(argument));
      return std::make_shared<CallNode>(call.function, std::move(arguments), call.shape);
    }
    auto copy = without_operands(node);
    for (std::size_t k = 0; k < 3 && node.operands[k]; ++k) copy->set_operand(k, resolve(node.operands[k]));
    return copy;
  }

  const std::vector<Array>& run(const Phase& phase) {
    if (const auto found = phases_.find(&phase); found != phases_.end()) return found->second;
    std::vector<Expression> operands;
    for (std::size_t k = 0; k < phase.operands.size(); ++k) {
      NodePtr operand = resolve(phase.operands[k]);
      if (phase.demands_array[k]) operand = stored(phase.operands[k], operand);
      operands.emplace_back(operand);
    }
    return phases_.emplace(&phase, phase.run(stream_, operands)).first->second;
  }

  /// As an array; what several phases demand whole is computed once.
  NodePtr stored(const NodePtr& node, const NodePtr& resolved) {
    if (resolved->op == Op::array) return resolved;
    const NodePtr array = evaluate_one(stream_, resolved).node();
    done_[node.get()] = array;
    return array;
  }

  NodePtr resolve_take(const Node& node) {
    const NodePtr source = stored(node.operands[0], resolve(node.operands[0]));
    const NodePtr index = resolve(node.operands[1]);
    if (is_checked()) check_indices(index, element_count(source->shape));
    auto take = without_operands(node);
    take->set_operand(0, as_array(source).contiguous().node());
    take->set_operand(1, index);
    return take;
  }

  void check_indices(const NodePtr& index, std::int64_t extent) {
    const Array values = evaluate_one(stream_, make_cast(index, Dtype::i64));
    const std::vector<std::int64_t> list = values.to_vector<std::int64_t>();
    for (std::size_t k = 0; k < list.size(); ++k)
      if (list[k] < -extent || list[k] >= extent)
        throw UsageError(
            fmt::format("take: index {} at position {} is out of range for {} elements", list[k], k, extent));
  }

  const Stream& stream_;
  Users users_;
  std::unordered_map<const Node*, NodePtr> done_;
  std::unordered_map<const Phase*, std::vector<Array>> phases_;
};

}  // namespace

bool is_worth_storing(const Node& node, std::size_t users) {
  if (node.op <= Op::index || users < 2) return false;
  Cost cost;
  std::unordered_set<const Node*> seen;
  add_cost(node, seen, cost);
  const double own = static_cast<double>(std::max<std::int64_t>(element_count(node.shape), 1)) *
                     static_cast<double>(size_of(node.dtype)),
               c = static_cast<double>(users), once = cost.bytes / own + cost.operations;
  return c * once > once + 1 + c;
}

std::vector<NodePtr> without_phases(const Stream& stream, std::span<const NodePtr> nodes) {
  std::vector<NodePtr> result(nodes.begin(), nodes.end());
  if (std::none_of(nodes.begin(), nodes.end(), [](const NodePtr& node) { return node->has_phases; })) return result;
  PhaseRunner runner(stream, nodes);
  for (NodePtr& node : result) node = runner.resolve(node);
  return result;
}

NodePtr without_phases(const Stream& stream, const NodePtr& node) {
  return node->has_phases ? without_phases(stream, {&node, 1})[0] : node;
}

}  // namespace rtcg
