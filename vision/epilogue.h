// What happens to a response before it is stored, fused into the kernel that computes it: bias, threshold, clipping,
// and an expression of the user's.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rtcg::vision {

/// Each step is left out where its value is absent; they apply in this order. A NaN stays one.
struct Epilogue {
  std::vector<float> bias = {};                     ///< one for each filter, added; empty: none
  std::optional<float> threshold = {};              ///< responses below it become 0
  std::optional<float> minimum = {}, maximum = {};  ///< clipped to these
  /// A formula (rtcg/array/formula.h) in x, the response so far, and n, the index of the filter: "x / (1 + abs(x))".
  std::string expression = {};

  bool empty() const { return bias.empty() && !threshold && !minimum && !maximum && expression.empty(); }
  /// What its code depends on, numbers and formula included, bias values excluded: "bias clip 0 inf x * x".
  std::string text() const;
  /// UsageError for a bias of another number than `filters`, a bound that is NaN or minimum above maximum; InputError
  /// with a caret for an expression that cannot be read or has other names.
  void check(std::size_t filters) const;
  /// "static inline float finish(float x, int n, global const float* bias) { ... }" with what it calls.
  std::string function() const;
};

}  // namespace rtcg::vision
