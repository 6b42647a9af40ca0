#include "rtcg/array/reduce_axes.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

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

}  // namespace

std::vector<Array> reduce_axes(const Stream& stream, const Expression& x, const std::vector<bool>& reduced,
                               const ReduceOperation& operation, bool any_order) {
  const int dimensions = x.shape().size();
  const auto is_reduced = [&](int d) { return reduced[static_cast<std::size_t>(d)]; };
  const bool reduces_all = std::all_of(reduced.begin(), reduced.end(), [](bool r) { return r; });
  NodePtr node = x.node();
  std::vector<int> order(static_cast<std::size_t>(dimensions));
  std::iota(order.begin(), order.end(), 0);
  if (node->op == Op::array && (any_order || !reduces_all)) {
    // Along memory: reduced dimensions may be walked in any order, the kept ones are put back below.
    const Strides& strides = static_cast<const ArrayNode&>(*node).array.strides();
    const std::vector<int> original = order;
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return std::abs(strides[a]) > std::abs(strides[b]) && strides[b] != 0; });
    if (!any_order) {
      std::vector<int> axes;
      for (const int d : order)
        if (is_reduced(d)) axes.push_back(d);
      if (!is_in_order(axes)) order = original;
    }
  }
  if (!stand_together(x.shape(), order, reduced)) {
    const bool rows = !order.empty() && is_reduced(order.back());
    std::stable_partition(order.begin(), order.end(), [&](int d) { return is_reduced(d) != rows; });
  }
  Shape loop = x.shape();
  if (!is_in_order(order)) {
    if (node->op != Op::array) node = std::make_shared<ArrayNode>(x.evaluate(stream));
    const Array turned = static_cast<const ArrayNode&>(*node).array.transpose(order);
    loop = turned.shape();
    node = std::make_shared<ArrayNode>(turned);
  }

  ReduceShape shape{1, 1, 1};
  Shape kept;
  bool after = false;
  for (const int d : order) {
    const auto extent = static_cast<std::size_t>(x.shape()[d]);
    if (is_reduced(d)) {
      shape.length *= extent;
      after = after || extent != 1;
    } else {
      (after ? shape.inner : shape.outer) *= extent;
      kept.push_back(x.shape()[d]);
    }
  }
  const NodePtr roots[] = {fitted(stream, node, loop)};
  std::vector<Array> results = run_reduce(stream, roots, loop, shape, operation, kept);
  if (const std::vector<int> back = back_to_order(order, reduced); !is_in_order(back))
    for (Array& result : results) result = result.transpose(back);
  return results;
}

}  // namespace rtcg
