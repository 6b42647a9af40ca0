#include "rtcg/array/elementwise_skeleton.h"

#include <algorithm>
#include <unordered_map>

#include "rtcg/array/expression.h"
#include "rtcg/array/kernel_table.h"
#include "rtcg/array/loop_shape.h"
#include "rtcg/array/plain_loop.h"
#include "rtcg/array/prepared_launch.h"
#include "rtcg/compile/template.h"
#include "rtcg/error.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

constexpr std::size_t group_items = 256, most_nodes = 200;

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

Source elementwise_source(const Device& device, const LoopBody& body, const BodyText& text) {
  return Source("elementwise.cl", render(kernels::elementwise_cl,
                                         {{"functions", text.functions},
                                          {"parameters", text.parameters},
                                          {"declare_lanes", text.declare_lanes},
                                          {"load_run", text.load_run},
                                          {"load_one", text.load_one},
                                          {"compute", text.compute},
                                          {"keep", text.keep},
                                          {"store_run", text.store_run},
                                          {"store_one", text.store_one},
                                          {"row_start", text.row_start},
                                          {"load_in_row", text.load_in_row},
                                          {"store_in_row", text.store_in_row},
                                          {"down_start", text.down_start},
                                          {"load_down", text.load_down},
                                          {"store_down", text.store_down},
                                          {"runs", body.prefers_runs()},
                                          {"group", group_items},
                                          {"lanes", body.lanes()},
                                          {"cpu", loop_shape(device) == LoopShape::cpu}},
                                         "elementwise.cl"));
}

Grid elementwise_grid(const Device& device, std::int64_t count, unsigned lanes) {
  const std::size_t runs = (static_cast<std::size_t>(count) - 1) / lanes + 1;
  // Chunks of a few thousand elements at least, or starting them costs more than computing them.
  return loop_shape(device) == LoopShape::cpu
             ? Grid::of(std::clamp<std::size_t>(runs / 4096, 1, 4 * device.properties().compute_units), 1)
             : Grid::over(runs, group_items);
}

namespace {

/// `node`, where given, keeps what is launched from its second evaluation on.
void launch(const Stream& stream, const LoopBody& body, const Node* node, const Array* output) {
  if (body.count() == 0) return;
  const Device& device = stream.device();
  const Kernel& kernel = cached_kernel(device, "elementwise", body.key(), [&] {
    return std::pair(elementwise_source(device, body, body.text()), std::string("evaluate"));
  });
  ArgumentList list;
  body.append_arguments(list);
  list.value(static_cast<std::uint64_t>(body.walks_down() ? body.items() : static_cast<std::size_t>(body.count())));
  const Grid grid =
      body.walks_down() ? Grid::over(body.items(), group_items) : elementwise_grid(device, body.count(), body.lanes());
  kernel.launch(stream, grid, list.arguments());
  if (node == nullptr || node->stream != stream.native()) return;
  if (!node->evaluations.any.load(std::memory_order_relaxed)) {
    node->evaluations.any.store(true, std::memory_order_relaxed);
  } else if (node->evaluations.prepared.load(std::memory_order_relaxed) == nullptr) {
    auto fresh = std::make_unique<const PreparedLaunch>(body, kernel, grid, list, *output);
    const PreparedLaunch* none = nullptr;
    if (node->evaluations.prepared.compare_exchange_strong(none, fresh.get(), std::memory_order_release))
      fresh.release();
  }
}

}  // namespace

void launch_elementwise(const Stream& stream, const LoopBody& body) {
  launch(stream, body, nullptr, nullptr);
}

bool launch_prepared(const Node& node, const Array& output) {
  const PreparedLaunch* prepared = node.evaluations.prepared.load(std::memory_order_acquire);
  if (prepared == nullptr || is_checked() || !prepared->serves(output)) return false;
  (*prepared)(output);
  return true;
}

bool is_fitting(const LoopBody& body) {
  return body.fits() && body.nodes() <= most_nodes;
}

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

void run_elementwise(const Stream& stream, const NodePtr& root, const Array& output) {
  if (output.size() == 0) return;
  if (!root->evaluations.any.load(std::memory_order_relaxed) && launch_plain(stream, root, output)) {
    root->evaluations.any.store(true, std::memory_order_relaxed);
    return;
  }
  const LoopBody body(stream.device(), {&root, 1}, output.shape(), {&output, 1});
  if (body.reads_elsewhere()) return run_elementwise(stream, Expression(root).evaluate(stream).node(), output);
  if (is_fitting(body)) return launch(stream, body, root.get(), &output);
  const NodePtr smaller = fitted(stream, root, output.shape());
  const LoopBody rest(stream.device(), {&smaller, 1}, output.shape(), {&output, 1});
  launch(stream, rest, nullptr, nullptr);
}

}  // namespace rtcg
