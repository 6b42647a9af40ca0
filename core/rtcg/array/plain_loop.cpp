#include "rtcg/array/plain_loop.h"

#include <limits>

#include "rtcg/array/elementwise_skeleton.h"
#include "rtcg/array/kernel_table.h"
#include "rtcg/array/loop_shape.h"

namespace rtcg {

namespace {

class PlainLoop {
 public:
  PlainLoop(const Stream& stream, const NodePtr& root, const Array& target) : root_(root), target_(target) {
    const Device& device = stream.device();
    is_cuda_ = device.properties().backend == Backend::cuda;
    is_cpu_ = loop_shape(device) == LoopShape::cpu;
    const std::int64_t count = target.size();
    is_plain_ = count > 1 && count < std::numeric_limits<std::int32_t>::max() / 2 && target.is_contiguous() &&
                is_whole(target.buffer(), target.offset(), target.dtype()) && root->stream == stream.native();
    if (!is_plain_) return;
    put(is_cpu_ ? 1 : 0);
    put(static_cast<unsigned>(target.dtype()));
    is_plain_ = visit(*root, root->dtype) && array_count_ > 0;
  }

  bool is_plain() const { return is_plain_; }

  void launch(const Stream& stream) const {
    const Device& device = stream.device();
    const Kernel& kernel = cached_kernel(device, "plain", std::string_view(key_.data(), key_length_), [&] {
      const LoopBody body(device, {&root_, 1}, target_.shape(), {&target_, 1});
      return std::pair(elementwise_source(device, body, body.text()), std::string("evaluate"));
    });
    ArgumentList list;
    for (std::size_t k = 0; k < array_count_; ++k) list.buffer(arrays_[k]->buffer, arrays_[k]->dtype);
    list.buffer(target_.buffer(), target_.dtype());
    for (std::size_t k = 0; k < scalar_count_; ++k) append_scalar(list, *scalars_[k].value, scalars_[k].type);
    list.value(static_cast<std::uint64_t>(target_.size()));
    kernel.launch(stream, elementwise_grid(device, target_.size(), is_cpu_ ? 1 : run_lanes(widest_)), list.arguments());
  }

 private:
  static constexpr std::size_t most_nodes = 24, most_arrays = 8;

  /// The whole of the buffer's start, aligned for wide accesses.
  bool is_whole(const Buffer& buffer, std::int64_t offset, Dtype type) {
    widest_ = std::max(widest_, size_of(type));
    return offset == 0 && (!is_cuda_ || buffer.native() % 16 == 0);
  }

  void put(unsigned byte) { key_[key_length_++] = static_cast<char>(byte); }

  /// In the order in which LoopBody meets arrays and scalars, which is that of the kernel's parameters.
  bool visit(const Node& node, Dtype wanted) {
    const Dtype type = node.is_weak && node.op == Op::scalar ? wanted : node.dtype;
    for (std::size_t k = 0; k < node_count_; ++k)
      if (nodes_[k].node == &node && nodes_[k].type == type) {
        if (key_length_ + 8 > key_.size()) return false;
        put(255);
        put(static_cast<unsigned>(k));
        return true;
      }
    if (node_count_ == most_nodes || key_length_ + 8 > key_.size()) return false;
    put(static_cast<unsigned>(node.op));
    put(static_cast<unsigned>(type));
    switch (node.op) {
      case Op::array:
        if (!add_array(static_cast<const ArrayNode&>(node))) return false;
        break;
      case Op::scalar:
        if (scalar_count_ == LoopBody::most_single_scalars) return false;
        scalars_[scalar_count_++] = {&static_cast<const ScalarNode&>(node).value, type};
        break;
      case Op::index:
      case Op::take:
      case Op::call:
      case Op::total:
        return false;
      default:
        put(static_cast<unsigned>(node.operand_type));
        for (std::size_t k = 0; k < 3 && node.operands[k]; ++k)
          if (!visit(*node.operands[k], node.operand_type)) return false;
    }
    if (node_count_ == most_nodes) return false;
    nodes_[node_count_++] = {&node, type};
    return true;
  }

  bool add_array(const ArrayNode& array) {
    const Handle memory = array.buffer.native();
    if (!array.is_contiguous || !(array.shape == target_.shape()) || array.buffer.overlaps(target_.buffer()) ||
        !is_whole(array.buffer, array.offset, array.dtype))
      return false;
    std::size_t k = 0;
    while (k < array_count_ && !(arrays_[k]->buffer.native() == memory && arrays_[k]->dtype == array.dtype)) ++k;
    if (k == most_arrays) return false;
    if (k == array_count_) arrays_[array_count_++] = &array;
    put(static_cast<unsigned>(k));
    return true;
  }

  struct Visited {
    const Node* node;
    Dtype type;
  };
  struct ScalarUse {
    const Scalar* value;
    Dtype type;
  };

  const NodePtr& root_;
  const Array& target_;
  bool is_plain_ = false, is_cuda_ = false, is_cpu_ = false;
  std::size_t node_count_ = 0, array_count_ = 0, scalar_count_ = 0, key_length_ = 0, widest_ = 1;
  std::array<Visited, most_nodes> nodes_;
  std::array<const ArrayNode*, most_arrays> arrays_;
  std::array<ScalarUse, LoopBody::most_single_scalars> scalars_;
  std::array<char, 256> key_;
};

}  // namespace

bool launch_plain(const Stream& stream, const NodePtr& root, const Array& target) {
  const PlainLoop loop(stream, root, target);
  if (loop.is_plain()) loop.launch(stream);
  return loop.is_plain();
}

}  // namespace rtcg
