// Scans of the user's C expressions:
//
//   Scan sum{{.input = "x[i]", .combine = "a + b", .neutral = "0", .output = "y[i] = item",
//             .arguments = "const T* x, T* y"}};
//   sum(x, y);
//
// `input` is the value of element i, `combine` joins two values, a before b, and `neutral` leaves the other as it is.
// The combination has to be associative; it is applied in order, so it need not be commutative. `output` is run once
// for each element and sees `item` (the combination up to element i), `prev_item` (that of the elements before it) and,
// for the last element, `last_item`. An output to a place that the scan computes makes filters and lists:
//
//   Scan positives{{.value = "int", .input = "x[i] > 0 ? 1 : 0", .combine = "a + b", .neutral = "0",
//                   .output = "if (item != prev_item) kept[prev_item] = x[i]; if (i == n - 1) count[0] = last_item",
//                   .arguments = "const T* x, T* kept, int* count"}};
//
// Rules for arguments, types and texts are those of Elementwise (array/elementwise_kernel.h).
#pragma once

#include <array>
#include <memory>

#include "rtcg/array/user_call.h"

namespace rtcg {

struct ScanDefinition {
  std::string value = "T";      ///< type of the scanned values: one that the arguments name, a scalar or a struct
  std::size_t value_bytes = 0;  ///< sizeof a struct that the preamble defines; 0 for the others
  std::string input, combine, neutral, output, arguments;
  std::string segment_start = {};  ///< condition: nothing before element i is combined with it; `prev_item` is neutral
  bool backward = false;           ///< from the last element to the first, combined in that order
  std::string name = "scan", preamble = {};
};

class Scan {
 public:
  /// UsageError for texts that are empty, write nothing, or have a `return` in the output.
  explicit Scan(const ScanDefinition& definition);

  /// Over all elements in C order, on the stream of the first array.
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
