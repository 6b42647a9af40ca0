// The nodes of the expression graph: immutable, shared, types and shapes checked when they are made. Private to the
// array directory; users hold Expressions.
//
// A node is local (its element i depends on element i of its operands, or on any element of an array: take) or total
// (Op::total: the result of a phase of its own). Local nodes fuse into whatever consumes them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rtcg/array/dtype.h"
#include "rtcg/array/operations.h"
#include "rtcg/array/shape.h"
#include "rtcg/device/buffer.h"

namespace rtcg {

class Array;
class Expression;
class PreparedLaunch;
/// What earlier evaluations of a node leave with it (array/prepared_launch.h). A copy of the node starts without.
struct Evaluations {
  std::atomic<const PreparedLaunch*> prepared{nullptr};  ///< owned; set at most once
  std::atomic<bool> any{false};

  Evaluations() = default;
  Evaluations(const Evaluations&) {}
  Evaluations& operator=(const Evaluations&) = delete;
  ~Evaluations();
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;

inline constexpr Handle mixed_streams = ~Handle{0};

struct Node {
  Op op;
  Dtype dtype;
  bool is_weak = false;                 ///< a C++ scalar: takes the type of what it meets
  bool has_phases = false;              ///< something below has to be materialised before this can be fused
  int depth = 0;                        ///< operations below, along the longest path
  Handle stream = 0;                    ///< of the arrays below; 0: none, mixed_streams: several
  Dtype operand_type = Dtype::unknown;  ///< of the operations table: what its operands are converted to
  Shape shape;
  std::array<NodePtr, 3> operands;  ///< those of the operations table, cast and take (source, index)
  mutable Evaluations evaluations;

  void set_operand(std::size_t k, NodePtr operand) {
    note_operand(*operand);
    operands[k] = std::move(operand);
  }

  Node(Op operation, Dtype type, const Shape& extents) : op(operation), dtype(type), shape(extents) {}
  Node(const Node&) = default;
  virtual ~Node() = default;

 protected:
  void note_operand(const Node& operand) {
    has_phases = has_phases || operand.has_phases;
    depth = std::max(depth, operand.depth + 1);
    if (operand.stream != 0 && operand.stream != stream) stream = stream == 0 ? operand.stream : mixed_streams;
  }
};

/// What an Array is a handle on.
struct ArrayNode : Node {
  Buffer buffer;  ///< none when there are no elements
  Stream on;
  Strides strides;
  std::int64_t offset = 0, size = 0;
  bool is_contiguous = false;

  /// UsageError for a shape of more than 2^63 - 1 elements.
  ArrayNode(Buffer memory, const Stream& s, Dtype type, const Shape& extents, const Strides& steps, std::int64_t first);
};

struct ScalarNode : Node {
  Scalar value;
  ScalarNode(const Scalar& v, bool weak) : Node(Op::scalar, v.dtype(), {}), value(v) { is_weak = weak; }
};

/// Sum over d of (index along d) * strides[d], an int64: the position in the array, or the index along one axis.
struct IndexNode : Node {
  Strides strides;
  IndexNode(const Shape& extents, const Strides& steps) : Node(Op::index, Dtype::i64, extents), strides(steps) {}
};

/// A C function of the user's. Its text stands in front of the kernel once.
struct FunctionText {
  std::string name, text;
  std::vector<Dtype> parameters;
  Dtype result = Dtype::unknown;
};
struct CallNode : Node {
  std::shared_ptr<const FunctionText> function;
  std::vector<NodePtr> arguments;  ///< converted to the parameters' types, shapes broadcast together
  CallNode(std::shared_ptr<const FunctionText> f, std::vector<NodePtr> values, const Shape& extents)
      : Node(Op::call, f->result, extents), function(std::move(f)), arguments(std::move(values)) {
    for (const NodePtr& argument : arguments) note_operand(*argument);
  }
};

/// A phase: what reduces, scans, sorts. Its operands arrive free of totals (those are evaluated before it); an operand
/// that it demands whole arrives as an array, the others may be lazy and are fused by `run`.
struct Phase {
  std::string name;  ///< for explain(): "sum over axis 1"
  std::vector<NodePtr> operands;
  std::vector<bool> demands_array;  ///< per operand
  /// Runs on the stream; one array per part.
  std::function<std::vector<Array>(const Stream&, std::span<const Expression>)> run;
};
/// One result of a phase; a phase with several (values and indices) has several of these.
struct TotalNode : Node {
  std::shared_ptr<const Phase> phase;
  unsigned part;
  TotalNode(std::shared_ptr<const Phase> p, unsigned which, Dtype type, const Shape& extents)
      : Node(Op::total, type, extents), phase(std::move(p)), part(which) {
    for (const NodePtr& operand : phase->operands) note_operand(*operand);
    has_phases = true;
  }
};

/// Calls f for each direct operand.
template <class F>
void for_each_operand(const Node& node, F&& f) {
  if (node.op == Op::call) {
    for (const NodePtr& a : static_cast<const CallNode&>(node).arguments) f(a);
  } else if (node.op == Op::total) {
    for (const NodePtr& a : static_cast<const TotalNode&>(node).phase->operands) f(a);
  } else {
    for (const NodePtr& a : node.operands)
      if (a) f(a);
  }
}

/// Longest chain of operations that is kept lazy; what lies below is made an Array (deep recursion, huge kernels).
inline constexpr int most_depth = 400;

/// The same operation, to be given other operands.
std::shared_ptr<Node> without_operands(const Node& node);
/// The node itself when it has the type already.
NodePtr make_cast(const NodePtr& node, Dtype type);
/// Applies the table's typing rules, weak scalars included, converts and broadcasts. UsageError.
NodePtr make_operation(Op op, std::span<const NodePtr* const> operands);

}  // namespace rtcg
