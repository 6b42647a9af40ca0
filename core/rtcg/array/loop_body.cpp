#include "rtcg/array/loop_body.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "rtcg/error.h"

namespace rtcg {

namespace {

/// A half travels as the float it is computed in.
Dtype travelling_type(Dtype type) {
  return type == Dtype::f16 ? Dtype::f32 : type;
}

}  // namespace

unsigned run_lanes(std::size_t widest) {
  return static_cast<unsigned>(std::clamp<std::size_t>(16 / widest, 1, 16));
}

void append_scalar(ArgumentList& list, const Scalar& value, Dtype type) {
  if (value.dtype() == type && type != Dtype::f16)
    list.bytes(value.data(), size_of(type), type);
  else
    list.copy(value.as(travelling_type(type)));
}

void ArgumentList::buffer(const Buffer& buffer, Dtype type) {
  // A boolean's byte is a uchar to the kernel.
  list_[count_++] = {buffer.argument(), {type == Dtype::boolean ? Dtype::u8 : type, 1, ArgumentSpace::buffer, 0}};
}

void ArgumentList::bytes(const void* data, std::size_t bytes, ScalarType type) {
  if (type == ScalarType::boolean) type = ScalarType::u8;
  list_[count_++] = {data,
                     {type, static_cast<std::uint8_t>(type == ScalarType::unknown ? 0 : 1), ArgumentSpace::value,
                      static_cast<std::uint8_t>(bytes)}};
}

void ArgumentList::copy(const Scalar& scalar) {
  const std::size_t size = size_of(scalar.dtype());
  bytes(store(scalar.data(), size), size, scalar.dtype());
}

void ArgumentList::add(const Argument& argument) {
  if (count_ == list_.size()) throw UsageError(fmt::format("a kernel of more than {} arguments", list_.size()));
  list_[count_++] = argument;
}

const void* ArgumentList::store(const void* data, std::size_t bytes) {
  used_ = (used_ + 15) / 16 * 16;
  if (used_ + bytes > storage_.size()) throw std::logic_error("ArgumentList: more values than it holds");
  std::byte* place = storage_.data() + used_;
  std::memcpy(place, data, bytes);
  used_ += bytes;
  return place;
}

namespace {

bool is_same(const ArrayNode& a, const ArrayNode& b) {
  return a.buffer.native() == b.buffer.native() && a.offset == b.offset && a.dtype == b.dtype && a.shape == b.shape &&
         a.strides == b.strides;
}

}  // namespace

LoopBody::LoopBody(const Device& device, std::span<const NodePtr> roots, const Shape& shape,
                   std::span<const Array> outputs, int split, unsigned cpu_lanes)
    : output_count_(outputs.size()) {
  nodes_.reserve(24);
  operands_.reserve(8);
  count_ = element_count(shape);
  for (const NodePtr& root : roots) {
    root_slots_.push_back(add(root, shape, root->dtype));
    root_types_.push_back(root->dtype);
  }
  for (const Array& output : outputs) {
    for (const Operand& operand : operands_) {
      if (operand.array == nullptr || !operand.array->buffer.overlaps(output.buffer())) continue;
      aliased_ = true;
      reads_elsewhere_ = reads_elsewhere_ || operand.role == Role::source ||
                         operand.array->buffer.native() != output.buffer().native() ||
                         operand.offset != output.offset() || operand.strides != output.strides() ||
                         operand.type != output.dtype();
    }
    Operand operand;
    operand.array = output.node().get();
    operand.offset = output.offset();
    is_whole_ = is_whole_ && output.is_contiguous();
    operand.type = output.dtype();
    operand.role = Role::output;
    operands_.push_back(operand);
  }
  merge(shape, split);
  decide_lanes(device, cpu_lanes);
  decide_walks(device);
  decide_down(device);
  form_key();
}

std::uint16_t LoopBody::add(const NodePtr& pointer, const Shape& shape, Dtype wanted) {
  const Node* node = pointer.get();
  const Dtype type = node->is_weak && node->op == Op::scalar ? wanted : node->dtype;
  // What has one owner is reached once.
  for (std::size_t k = 0; pointer.use_count() > 1 && k < nodes_.size(); ++k)
    if (nodes_[k].node == node && nodes_[k].type == type) return static_cast<std::uint16_t>(k);
  Linear linear;
  linear.node = node;
  linear.type = type;
  switch (node->op) {
    case Op::array:
    case Op::index:
      linear.place = add_operand(*node, shape);
      break;
    case Op::scalar:
      linear.place = static_cast<int>(scalars_.size());
      scalars_.push_back({&static_cast<const ScalarNode*>(node)->value, type});
      break;
    case Op::take: {
      linear.operands[1] = add(node->operands[1], shape, node->operands[1]->dtype);
      const auto& source = static_cast<const ArrayNode&>(*node->operands[0]);
      Operand operand;
      operand.array = &source;
      operand.offset = source.offset;
      operand.source_size = source.size;
      operand.type = source.dtype;
      operand.role = Role::source;
      linear.place = static_cast<int>(operands_.size());
      operands_.push_back(operand);
      break;
    }
    case Op::call: {
      const auto& arguments = static_cast<const CallNode*>(node)->arguments;
      std::pmr::vector<std::uint16_t> slots(&resource_);
      for (const NodePtr& argument : arguments) slots.push_back(add(argument, shape, argument->dtype));
      linear.operands = {static_cast<std::uint16_t>(call_slots_.size()), static_cast<std::uint16_t>(slots.size()), 0};
      call_slots_.insert(call_slots_.end(), slots.begin(), slots.end());
      break;
    }
    case Op::total:
      throw std::logic_error("LoopBody: a total node reached a fused loop");
    default:
      for (std::size_t k = 0; k < 3 && node->operands[k]; ++k)
        linear.operands[k] = add(node->operands[k], shape, node->operand_type);
  }
  if (nodes_.size() >= UINT16_MAX)
    throw UsageError("an expression of more than 65534 operations; make a part of it an Array");
  nodes_.push_back(linear);
  return static_cast<std::uint16_t>(nodes_.size() - 1);
}

int LoopBody::add_operand(const Node& node, const Shape& shape) {
  Operand operand;
  operand.type = node.dtype;
  if (node.op == Op::index) {
    operand.role = Role::index;
    operand.index = static_cast<const IndexNode*>(&node);
    is_whole_ = false;
  } else {
    const auto& array = static_cast<const ArrayNode&>(node);
    for (std::size_t k = 0; k < operands_.size(); ++k) {  // the same elements are loaded once
      const Operand& other = operands_[k];
      if (other.role == Role::input && (other.array == &array || is_same(*other.array, array)))
        return static_cast<int>(k);
    }
    operand.array = &array;
    operand.offset = array.offset;
    operand.walk = array.size == 1 ? Walk::uniform : Walk::linear;
    is_whole_ = is_whole_ && (array.size == 1 || (array.is_contiguous && array.shape == shape));
  }
  operands_.push_back(operand);
  return static_cast<int>(operands_.size() - 1);
}

/// In the loop's shape.
Strides LoopBody::strides_of(const Operand& operand, const Shape& shape) {
  const Node* node = operand.array;
  if (operand.role == Role::index) node = operand.index;
  const Strides& strides = operand.role == Role::index ? operand.index->strides : operand.array->strides;
  return node->shape == shape ? strides : broadcast_strides(node->shape, strides, shape);
}

void LoopBody::merge(const Shape& shape, int split) {
  fits_ = operands_.size() <= most_operands && scalar_bytes() <= most_scalar_bytes;
  if (!fits_) return;
  is_whole_ = is_whole_ && split == 0 && count_ > 1;
  if (is_whole_) {  // the usual case: every operand is contiguous in the loop's shape or one element
    extents_.push_back(count_);
    inner_.push_back(count_);
    for (Operand& operand : operands_)
      operand.strides.push_back(operand.role == Role::source || operand.walk == Walk::uniform ? 0 : 1);
    return;
  }
  for (Operand& operand : operands_)
    if (operand.role != Role::source) operand.strides = strides_of(operand, shape);
  // Built from the last dimension to the first: `extents` and each operand's strides, reversed.
  Dims extents;
  const std::size_t operands = operands_.size();
  std::array<Strides, most_operands + 1> strides;
  int inner_dims = 0;
  for (int d = shape.size() - 1; d >= 0; --d) {
    const std::int64_t extent = shape[d];
    if (extent == 1) continue;
    const bool may_merge = !extents.empty() && (d >= split || inner_dims < extents.size());
    bool merges = may_merge;
    for (std::size_t k = 0; k < operands && merges; ++k)
      if (operands_[k].role != Role::source) merges = operands_[k].strides[d] == strides[k].back() * extents.back();
    if (merges) {
      extents[extents.size() - 1] *= extent;
    } else {
      extents.push_back(extent);
      for (std::size_t k = 0; k < operands; ++k)
        strides[k].push_back(operands_[k].role == Role::source ? 0 : operands_[k].strides[d]);
    }
    if (d >= split) inner_dims = extents.size();
  }
  const auto reversed = [](const Dims& dims, int from, int to) {
    Dims result;
    for (int d = to - 1; d >= from; --d) result.push_back(dims[d]);
    return result;
  };
  extents_ = reversed(extents, 0, extents.size());
  inner_ = reversed(extents, 0, inner_dims);
  outer_ = reversed(extents, inner_dims, extents.size());
  for (std::size_t k = 0; k < operands; ++k) operands_[k].strides = reversed(strides[k], 0, strides[k].size());
}

void LoopBody::form_key() {
  if (!fits_) return;
  key_.reserve(256);
  const auto put = [&](std::size_t value) {
    key_.push_back(static_cast<char>(value & 255));
    key_.push_back(static_cast<char>(value >> 8));
  };
  key_.push_back(static_cast<char>(lanes_));
  key_.push_back(static_cast<char>(wide_ | whole_rows_ << 1 | aliased_ << 2 | (output_count_ > 0) << 3 | cpu_ << 4 |
                                   (divisors_ >= 0 ? 32 : 0) | walks_down_ << 6));
  key_.push_back(static_cast<char>(extents_.size()));
  key_.push_back(static_cast<char>(outer_.size()));
  key_.push_back(static_cast<char>(operands_.size()));
  for (const Operand& operand : operands_) {
    key_.push_back(static_cast<char>(operand.type));
    key_.push_back(static_cast<char>(static_cast<int>(operand.walk) | static_cast<int>(operand.role) << 3 |
                                     (operand.is_aligned ? 32 : 0) | (operand.word >= 0 ? 64 : 0)));
  }
  for (const Linear& linear : nodes_) {
    key_.push_back(static_cast<char>(linear.node->op));
    key_.push_back(static_cast<char>(linear.type));
    switch (linear.node->op) {
      case Op::array:
      case Op::index:
      case Op::scalar:
        put(static_cast<std::size_t>(linear.place));
        break;
      case Op::call: {
        const FunctionText& function = *static_cast<const CallNode*>(linear.node)->function;
        put(function.text.size());
        key_ += function.text;
        put(linear.operands[1]);
        for (std::size_t k = 0; k < linear.operands[1]; ++k) put(call_slots_[linear.operands[0] + k]);
        break;
      }
      default:
        if (linear.node->op == Op::take) put(static_cast<std::size_t>(linear.place));
        for (std::size_t k = 0; k < 3 && linear.node->operands[k]; ++k) put(linear.operands[k]);
    }
  }
  for (const std::uint16_t slot : root_slots_) put(slot);
}

std::vector<Buffer> LoopBody::inputs() const {
  std::vector<Buffer> buffers;
  for (const Operand& operand : operands_)
    if (operand.array != nullptr && operand.role != Role::output) buffers.push_back(operand.array->buffer);
  return buffers;
}

void LoopBody::append_arguments(ArgumentList& list) const {
  for (const Operand& operand : operands_)
    if (operand.array != nullptr) list.buffer(operand.array->buffer, operand.type);
  if (wide_ && !walk_.empty())
    list.bytes(walk_.data(), walk_.size() * 8, ScalarType::unknown);
  else if (!walk_.empty())
    list.bytes(walk_narrow_.data(), walk_narrow_.size() * 4, ScalarType::unknown);
  if (packs_scalars()) {
    alignas(16) std::array<std::byte, most_scalar_bytes + 16> packed{};
    std::size_t bytes = 0;
    for (const std::size_t k : scalar_order()) {
      const Scalar value = scalars_[k].value->as(travelling_type(scalars_[k].type));
      std::memcpy(packed.data() + bytes, value.data(), size_of(value.dtype()));
      bytes += size_of(value.dtype());
    }
    const std::size_t widest = size_of(travelling_type(scalars_[scalar_order().front()].type));
    return list.structure(packed.data(), (bytes + widest - 1) / widest * widest);
  }
  for (const ScalarUse& use : scalars_) append_scalar(list, *use.value, use.type);
}

std::size_t LoopBody::scalar_bytes() const {
  std::size_t bytes = 0;
  for (const ScalarUse& use : scalars_) bytes += size_of(travelling_type(use.type));
  return bytes;
}

std::vector<std::size_t> LoopBody::scalar_order() const {
  std::vector<std::size_t> order(scalars_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return size_of(travelling_type(scalars_[a].type)) > size_of(travelling_type(scalars_[b].type));
  });
  return order;
}

}  // namespace rtcg
