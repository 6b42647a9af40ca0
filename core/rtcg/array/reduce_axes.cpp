#include "rtcg/array/reduce_axes.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "rtcg/array/elementwise_skeleton.h"
#include "rtcg/array/evaluate.h"

namespace rtcg {

namespace {

/// Kept dimensions in `order`, as a permutation that brings them back into their own.
std::vector<int> back_to_order(const std::vector<int>& order, const std::vector<bool>& reduced) {
  std::vector<int> kept;
  for (const int d : order)
    if (!reduced[static_cast<std::size_t>(d)]) kept.push_back(d);
  std::vector<int> places(kept.size());
  std::iota(places.begin(), places.end(), 0);
  std::sort(places.begin(), places.end(),
            [&](int a, int b) { return kept[static_cast<std::size_t>(a)] < kept[static_cast<std::size_t>(b)]; });
  return places;
}

bool is_in_order(const std::vector<int>& order) {
  return std::is_sorted(order.begin(), order.end());
}

/// Do reduced dimensions stand together? Those of extent 1 stand anywhere.
bool stand_together(const Shape& shape, const std::vector<int>& order, const std::vector<bool>& reduced) {
  int changes = 0;
  bool inside = false;
  for (const int d : order) {
    if (shape[d] == 1 || reduced[static_cast<std::size_t>(d)] == inside) continue;
    inside = !inside;
    ++changes;
  }
  return changes <= 2;
}

/// Dimensions by falling strides of the first whole array, if nothing has to be computed to reorder them all.
std::optional<std::vector<int>> memory_order(std::span<const NodePtr> roots, const Shape& shape) {
  const ArrayNode* whole = nullptr;
  for (const NodePtr& root : roots) {
    if (root->op != Op::array && root->op != Op::scalar) return std::nullopt;
    if (whole == nullptr && root->op == Op::array && root->shape == shape)
      whole = &static_cast<const ArrayNode&>(*root);
  }
  if (whole == nullptr) return std::nullopt;
  std::vector<int> order(static_cast<std::size_t>(shape.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return std::abs(whole->strides[a]) > std::abs(whole->strides[b]); });
  return order;
}

/// The value with its dimensions in another order.
NodePtr turned(const Stream& stream, const NodePtr& node, const Shape& shape, const std::vector<int>& order) {
  if (node->op == Op::scalar) return node;
  const Array array = node->op == Op::array ? as_array(node) : evaluate_one(stream, node);
  return Expression(array.broadcast_to(shape).transpose(order)).node();
}

}  // namespace

std::vector<Array> reduce_axes(const Stream& stream, std::span<const NodePtr> roots, const Shape& shape,
                               const std::vector<bool>& reduced, const ReduceOperation& operation) {
  const auto is_reduced = [&](int d) { return reduced[static_cast<std::size_t>(d)]; };
  std::vector<int> order(static_cast<std::size_t>(shape.size()));
  std::iota(order.begin(), order.end(), 0);
  if (const auto found = memory_order(roots, shape)) {
    std::vector<int> axes;
    for (const int d : *found)
      if (is_reduced(d)) axes.push_back(d);
    if (operation.order != ReduceOperation::Order::in_order || is_in_order(axes)) order = *found;
  }
  if (!stand_together(shape, order, reduced)) {
    const bool rows = !order.empty() && is_reduced(order.back());
    std::stable_partition(order.begin(), order.end(), [&](int d) { return is_reduced(d) != rows; });
  }
  const bool is_turned = !is_in_order(order);
  const bool has_index = is_turned && operation.order == ReduceOperation::Order::indexed;
  std::vector<NodePtr> operands(roots.begin(), roots.end());
  Shape loop;
  Strides steps;
  const Strides own = contiguous_strides(shape);
  for (const int d : order) loop.push_back(shape[d]), steps.push_back(own[d]);
  if (is_turned)
    for (NodePtr& operand : operands) operand = turned(stream, operand, shape, order);
  if (has_index) operands.push_back(std::make_shared<IndexNode>(loop, steps));
  if (operands.size() == 1) operands[0] = fitted(stream, operands[0], loop);

  ReduceShape extents{1, 1, 1};
  Shape kept;
  bool after = false;
  for (const int d : order) {
    const auto extent = static_cast<std::size_t>(shape[d]);
    if (is_reduced(d)) {
      extents.length *= extent;
      after = after || extent != 1;
    } else {
      (after ? extents.inner : extents.outer) *= extent;
      kept.push_back(shape[d]);
    }
  }
  std::vector<Array> results = run_reduce(stream, operands, has_index, loop, extents, operation, kept);
  if (const std::vector<int> back = back_to_order(order, reduced); !is_in_order(back))
    for (Array& result : results) result = result.transpose(back);
  return results;
}

}  // namespace rtcg
