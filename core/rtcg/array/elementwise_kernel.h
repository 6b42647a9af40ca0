// Kernels of the user's C statements, one execution for each element:
//
//   Elementwise saxpy{"T* z, T a, const T* x, const T* y", "z[i] = a * x[i] + y[i]"};
//   saxpy(z, 2.0f, x, y);
//
// `x[i]` is the element of an array of any strides, broadcast against the others (array/user_call.h has the rules for
// other uses of a pointer); pointers without const are written, and may be the same arrays as others as long as element
// i is computed from elements i. `i` is the index in C order of the broadcast shape and `n` the number of elements,
// both signed. Names of types that C does not know (T) are bound by the arrays of a call; scalars are converted. The
// text may use every word of docs/kernel-language.md; half arrives as float, and complex numbers are float2 and
// double2, so that products of two of them are cfloat_mul(a, b). A text has one path: no `return`.
//
// Compiled once for each combination of types and memory layouts; calling again costs little more than a launch.
// CompileErrors point into the text; UsageErrors of a call name the parameter.
#pragma once

#include <array>
#include <memory>

#include "rtcg/array/user_call.h"

namespace rtcg {

class Elementwise {
 public:
  /// `preamble` stands in front of the kernel, where it sees the bound types; `name` stands in messages.
  Elementwise(const std::string& arguments, const std::string& operation, const std::string& name = "elementwise",
              const std::string& preamble = {});

  /// Runs on the stream of the first array.
  template <class... Arguments>
  void operator()(const Arguments&... arguments) const {
    const std::array<UserArgument, sizeof...(Arguments)> list{UserArgument(arguments)...};
    run(list);
  }
  void run(std::span<const UserArgument> arguments) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace rtcg
