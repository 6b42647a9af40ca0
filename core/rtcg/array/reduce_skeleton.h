// Reductions of values computed where they are needed: plan, kernel text and launch of kernels/reduce.cl. Whoever
// reduces (sums over axes, the user's Reduction) brings a LoopBody that computes the elements and a ReduceOperation
// that says how they combine; several outputs are several fields of one accumulator and cost one pass.
//
// The order of combination depends only on device, shape and operation, so the same input gives the same bits. It is
// not the order of the indices: combinations have to be associative and commutative.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rtcg/array/loop_body.h"
#include "rtcg/array/loop_shape.h"
#include "rtcg/compile/compiler.h"

namespace rtcg {

/// Element (o, r, c) of [outer][length][inner] has the index (o length + r) inner + c in the body's loop; r is reduced
/// and the results are [outer][inner], contiguous. Rows: inner = 1.
struct ReduceShape {
  std::size_t outer = 1, length = 0, inner = 1;
};

/// A member of the accumulator.
struct ReduceField {
  Dtype type = Dtype::unknown;
  std::string name;
  std::string neutral;  ///< expression
  std::string value;    ///< expression of an element, after the body's `compute`; may use `i`
};

struct ReduceOutput {
  Dtype type = Dtype::unknown;
  std::string value;  ///< of the accumulator `a` ("a.sum"), `n` = length, and `inner`
};

struct ReduceText {
  std::string functions;  ///< in front of the kernel
  std::vector<ReduceField> fields;
  std::string combine;  ///< statements that combine `b` into `a`: "a.sum = a.sum + b.sum;"
  std::vector<ReduceOutput> outputs;
};

/// What a caller keeps of its reduction: enough to launch it; the text is asked for when a kernel has to be made.
struct ReduceOperation {
  /// free: of the order and the index of elements; indexed: of the order; in_order: not even of that, `i` counts rows.
  enum class Order : std::uint8_t { free, indexed, in_order };

  std::string key;  ///< differs where the texts do, and does not end where another one goes on
  std::vector<Dtype> fields, results;
  /// May add parameters to the body; `index` is the expression of the element's index in C order.
  std::function<ReduceText(BodyText& body, const std::string& index)> text;
  Order order = Order::free;
  std::function<void(ArgumentList&)> append_arguments = {};        ///< for the parameters it adds
  std::function<void(const Device&, const Source&)> compile = {};  ///< to show errors as it likes
};

/// Reduces values of the shape `loop`, whose C order is that of `shape`. Gives one array of shape `result` (outer x
/// inner elements) for each result. `roots` are free of phases and fit into one kernel (UsageError). `has_index`: the
/// last root is the elements' index in another order than that of the loop.
std::vector<Array> run_reduce(const Stream& stream, std::span<const NodePtr> roots, bool has_index, const Shape& loop,
                              const ReduceShape& shape, const ReduceOperation& operation, const Shape& result);

/// Which loop and how many groups. What is compiled depends on the first block alone.
struct ReducePlan {
  bool cpu = false, columns = false, split = false;
  unsigned lanes = 1;            ///< GPU: elements of a run; CPU: accumulators that advance side by side
  unsigned unroll = 1;           ///< runs in flight
  unsigned group = 1, team = 1;  ///< items of a group, and of those that share a row
  unsigned slot_steps = 0;       ///< columns on a GPU: halvings that combine the rows of a group

  std::size_t groups = 1;
  std::size_t parts = 1, share = 0;         ///< groups to a row or tile, and elements or rows for each
  std::size_t tile_columns = 1, slots = 1;  ///< columns: items side by side, rows at once
  std::size_t partials = 0;                 ///< accumulators left in between

  void append_key(std::string& key) const;
};
/// What may be tuned; 0: the rule's own choice.
struct ReduceTuning {
  unsigned groups_per_unit = 0;  ///< groups that a long reduction is split into, for each compute unit
  unsigned unroll = 0;           ///< GPU: runs in flight
  unsigned team = 0;             ///< GPU, rows
  unsigned columns = 0;          ///< GPU: runs side by side
  unsigned lanes = 0;            ///< CPU: accumulators
};

/// `body_lanes`: elements that the body loads at once. `accumulator_bytes`: its size in memory.
ReducePlan plan_reduce(LoopShape loops, unsigned compute_units, const ReduceShape& shape, unsigned body_lanes,
                       std::size_t accumulator_bytes, const ReduceTuning& tuning = {});

/// Of a structure of these members.
std::size_t accumulator_bytes(std::span<const Dtype> fields);

Source reduce_source(const ReducePlan& plan, const BodyText& body, const ReduceText& text);

/// Does the plan take a second kernel on this device, "join" of the same program?
bool has_join(const Device& device, const ReducePlan& plan);
/// `outputs`: buffers that hold outer x inner results each, in the order of ReduceText::outputs. `join` is null where
/// there is none.
void launch_reduce(const Stream& stream, const Kernel& kernel, const Kernel* join, const ReducePlan& plan,
                   const ReduceShape& shape, std::size_t accumulator_bytes, std::span<const Argument> body_arguments,
                   std::span<const Buffer> outputs);

}  // namespace rtcg
