// A fused loop: the local part of an expression graph, linearised over a loop shape whose dimensions are merged as far
// as every operand allows. The key names the code it needs, so a kernel is looked up before any text is made; the text
// comes as fragments for a skeleton (kernels/elementwise.cl, reduce.cl, scan.cl ...).
//
// Fragments (V lanes; `i` is a linear position in C order of the loop shape, of type index_t):
//   parameters     start of the kernel's parameter list, no comma at the end; never empty ("" is not possible)
//   functions      text in front of the kernel: typedefs index_t and stride_t, helpers, users' functions
//   declare_lanes  "float x0[V];" and values that do not change in the loop; at the top of the kernel
//   load_run       V elements starting at position `i` into the lanes; i is a multiple of V and the run is whole
//   load_one       element `i` into lane `k`
//   compute        from lane `k` of element `i`: the statements before the results; declares local names
//   results        C expressions of the results, valid after `compute`
//   store_run, store_one   results from lanes y0[V], y1[V] ... to the outputs (declared by declare_lanes), as load_*
#pragma once

#include <string>
#include <vector>

#include "rtcg/array/node.h"
#include "rtcg/compile/kernel.h"

namespace rtcg {

struct BodyText {
  std::string parameters, functions, declare_lanes, load_run, load_one, compute, store_run, store_one;
  std::vector<std::string> results;
  std::vector<Dtype> result_types;
};

/// Arguments of one launch. Values passed by `value` are copied; buffers must outlive the launch call.
class ArgumentList {
 public:
  void buffer(const Buffer& buffer);
  void bytes(const void* data, std::size_t bytes, ScalarType type);  ///< refers to data, does not copy
  template <class T>
  void value(const T& value) {
    bytes(store(&value, sizeof(T)), sizeof(T), scalar_type<T>());
  }
  std::span<const Argument> arguments() const { return {list_.data(), count_}; }

 private:
  const void* store(const void* data, std::size_t bytes);
  std::array<Argument, Kernel::most_arguments> list_;
  std::array<std::byte, 512> storage_;
  std::size_t count_ = 0, used_ = 0;
};

class LoopBody {
 public:
  /// Roots free of totals, each broadcastable to `shape`; `outputs` (may be empty) of that shape, one per root.
  /// `split`: dimensions [0, split) and [split, ...) are not merged with each other. `lanes`: V on a CPU; on a GPU
  /// V is what makes the widest element's load 16 bytes, at most 16 lanes.
  LoopBody(const Device& device, std::span<const NodePtr> roots, const Shape& shape,
           std::span<const Array> outputs = {}, int split = 0, unsigned cpu_lanes = 1);

  /// False when it takes more parameters than a kernel may have: materialise operands and try again.
  bool fits() const { return fits_; }
  std::int64_t count() const { return count_; }
  unsigned lanes() const { return lanes_; }
  /// Merged extents before and after the split.
  const Dims& outer() const { return outer_; }
  const Dims& inner() const { return inner_; }
  const std::string& key() const { return key_; }
  std::size_t operations() const { return nodes_.size(); }  ///< nodes, leaves included
  std::span<const NodePtr> roots() const { return roots_; }

  void append_arguments(ArgumentList& list) const;
  BodyText text() const;

 private:
  friend class LoopText;
  struct Operand {
    const Array* array = nullptr;  ///< nullptr: the offset itself is the value (Op::index)
    Strides strides;               ///< per merged dimension
    std::int64_t offset = 0;
    Dtype type = Dtype::unknown;
    bool is_output = false, is_aligned = false;
    int first_word = -1;  ///< of offset and strides in the walk structure, -1: none needed
  };
  struct Linear {
    const Node* node;
    std::array<std::uint16_t, 3> operands{};
    std::vector<std::uint16_t> arguments;  ///< of Op::call
    int operand = -1;                      ///< index into operands_ or scalars_
  };

  std::uint16_t add(const NodePtr& node, const Shape& shape);
  void merge(const Shape& shape, int split);
  void decide_walks(const Device& device);
  void form_key();
  bool is_uniform(const Operand& operand) const;

  std::vector<NodePtr> roots_;
  std::vector<std::uint16_t> root_slots_;
  std::vector<Linear> nodes_;
  std::vector<Operand> operands_;
  std::vector<const Scalar*> scalars_;
  Dims outer_, inner_, extents_;
  std::int64_t count_ = 0;
  unsigned lanes_ = 1;
  bool wide_index_ = false, whole_rows_ = false, aliased_ = false, fits_ = true;
  std::vector<std::int64_t> walk_;  ///< extents, offsets, strides
  std::vector<std::int32_t> walk_narrow_;
  std::string key_;
};

}  // namespace rtcg
