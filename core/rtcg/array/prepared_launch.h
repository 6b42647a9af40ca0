// What the kernel of an expression is launched with, kept with the expression from its second evaluation on, so that a
// loop that evaluates it again pays for little more than the launch: the graph and the arrays in it never change, so
// the kernel and all of its arguments but the result's memory stay the same. Private to the array directory.
#pragma once

#include <vector>

#include "rtcg/array/array.h"
#include "rtcg/array/loop_body.h"

namespace rtcg {

class PreparedLaunch {
 public:
  /// `body` has the one output `target`, and no value that it reads changes with it.
  PreparedLaunch(const LoopBody& body, const Kernel& kernel, const Grid& grid, const ArgumentList& arguments,
                 const Array& target);

  /// Does the same kernel write this target too? Memory that the expression reads is another matter than memory apart.
  bool serves(const Array& target) const;
  void operator()(const Array& target) const;

 private:
  bool reads(const Buffer& memory) const;

  const Kernel* kernel_;
  Grid grid_;
  std::vector<Argument> arguments_;
  std::vector<std::byte> storage_;  ///< of the values among them
  std::vector<Buffer> inputs_;
  std::size_t output_ = 0;  ///< among the arguments
  Handle stream_, memory_;
  bool is_aliased_ = false, is_aligned_ = false;
  Dtype type_;
  Shape shape_;
  Strides strides_;
  std::int64_t offset_;
};

}  // namespace rtcg
