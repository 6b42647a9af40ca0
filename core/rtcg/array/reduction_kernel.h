// Reductions of the user's C expressions:
//
//   Reduction dot{{.result = "T", .neutral = "0", .combine = "a + b", .map = "x[i] * y[i]",
//                  .arguments = "const T* x, const T* y"}};
//   float d = dot(x, y).item<float>();
//
// `map` is the value of element i, `combine` joins two accumulators a and b, `neutral` leaves the other as it is, and
// `finish` makes the result of the accumulator `a` and the number `n` of elements. The combination has to be
// associative and commutative; its order is fixed, so the same input gives the same bits. Rules for arguments, types
// and texts are those of Elementwise (array/elementwise_kernel.h); nothing is written but the results. Several results
// of one pass:
//
//   Reduction extrema{{.neutral = "INFINITY", .combine = "fmin(a, b)", .map = "x[i]", .arguments = "const T* x",
//                      .others = {{.neutral = "-INFINITY", .combine = "fmax(a, b)", .map = "x[i]"}}}};
//   std::vector<Array> found = extrema.all(x);
#pragma once

#include <array>
#include <memory>

#include "rtcg/array/reductions.h"
#include "rtcg/array/user_call.h"

namespace rtcg {

/// One more result.
struct ReductionResult {
  std::string result = "T", neutral, combine, map;
  std::string finish = "a";
  std::string accumulator = {};  ///< type in which it is combined; that of the result (float for half) when empty
};

struct ReductionText {
  std::string result = "T", neutral, combine, map, arguments;
  std::string finish = "a";
  std::string accumulator = {};
  std::vector<ReductionResult> others = {};
  std::string name = "reduction", preamble = {};
};

class Reduction {
 public:
  explicit Reduction(const ReductionText& text);

  /// Over all elements; the result has no dimensions. UsageError when there are several results: use all().
  template <class... Arguments>
  Array operator()(const Arguments&... arguments) const {
    const std::array<UserArgument, sizeof...(Arguments)> list{UserArgument(arguments)...};
    return only(run(list, {}));
  }
  template <class... Arguments>
  std::vector<Array> all(const Arguments&... arguments) const {
    const std::array<UserArgument, sizeof...(Arguments)> list{UserArgument(arguments)...};
    return run(list, {});
  }
  /// Over some axes of the broadcast shape; `i` stays the index in its C order.
  template <class... Arguments>
  Array over(const Axes& axes, const Arguments&... arguments) const {
    const std::array<UserArgument, sizeof...(Arguments)> list{UserArgument(arguments)...};
    return only(run(list, axes));
  }
  std::vector<Array> run(std::span<const UserArgument> arguments, const Axes& axes) const;

 private:
  Array only(std::vector<Array> results) const;
  struct State;
  std::shared_ptr<const State> state_;
};

}  // namespace rtcg
