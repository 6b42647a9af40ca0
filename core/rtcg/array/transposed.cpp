#include "rtcg/array/transposed.h"

#include <unordered_map>

#include "rtcg/array/array.h"

namespace rtcg {

namespace {

class Transposer {
 public:
  Transposer(const Shape& shape, std::span<const int> axes) : shape_(shape), axes_(axes) {
    for (const int axis : axes) permuted_.push_back(shape[axis]);
  }

  NodePtr of(const NodePtr& node) {
    if (node->op == Op::scalar) return node;
    if (const auto found = done_.find(node.get()); found != done_.end()) return found->second;
    return done_.emplace(node.get(), make(node)).first->second;
  }

 private:
  NodePtr make(const NodePtr& pointer) {
    const Node& node = *pointer;
    switch (node.op) {
      case Op::array:
        return as_array(pointer).broadcast_to(shape_).transpose(axes_).node();
      case Op::index: {
        const Strides all = broadcast_strides(node.shape, static_cast<const IndexNode&>(node).strides, shape_);
        Strides strides;
        for (const int axis : axes_) strides.push_back(all[axis]);
        return std::make_shared<IndexNode>(permuted_, strides);
      }
      case Op::call: {
        const auto& call = static_cast<const CallNode&>(node);
        std::vector<NodePtr> arguments;
        for (const NodePtr& argument : call.arguments) arguments.push_back(of(argument));
        return std::make_shared<CallNode>(call.function, std::move(arguments), permuted_);
      }
      default: {
        auto copy = without_operands(node);
        copy->shape = permuted_;
        for (std::size_t k = 0; k < 3 && node.operands[k]; ++k)
          copy->set_operand(k, node.op == Op::take && k == 0 ? node.operands[k] : of(node.operands[k]));
        return copy;
      }
    }
  }

  const Shape& shape_;
  std::span<const int> axes_;
  Shape permuted_;
  std::unordered_map<const Node*, NodePtr> done_;
};

}  // namespace

NodePtr transposed(const NodePtr& node, const Shape& shape, std::span<const int> axes) {
  return Transposer(shape, axes).of(node);
}

}  // namespace rtcg
