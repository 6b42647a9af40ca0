// Scans of array expressions: cumulative sums, products, extremes, and any associative operation given as C text.
// Each is a phase of its own with the expression below it fused in. Elements are combined in order, so the operation
// need not be commutative; sums of floating-point numbers are bracketed as a tree, the same way every time.
#pragma once

#include <optional>
#include <string>

#include "rtcg/array/expression.h"

namespace rtcg {

/// Combines two values `a` and `b`, a before b. Texts are C expressions; half values are computed as float.
struct ScanOperation {
  std::string combine;         ///< "a + b"
  std::string neutral;         ///< "0"; combining with it changes nothing
  std::string functions = {};  ///< helpers in front of the kernel
  std::string name = "scan";   ///< for explain()
};

/// Sums, products and extremes as NumPy accumulates them: booleans and integers below 64 bits are added and multiplied
/// as int64 or uint64, half as float; the extremes keep the type, and a NaN stays from where it comes on.
ScanOperation sum_operation(Dtype type);
ScanOperation product_operation(Dtype type);
ScanOperation minimum_operation(Dtype type);
ScanOperation maximum_operation(Dtype type);

struct ScanOptions {
  std::optional<int> axis = {};  ///< none: over all elements in C order, and the result has one dimension
  bool exclusive = false;        ///< element i combines those before i; the first is the initial value or the neutral
  bool backward = false;         ///< from the last to the first, combined in that order
  std::optional<Scalar> initial = {};  ///< stands in front of every element; converted to x's type
};

/// The result has x's type. UsageError for an axis that x does not have.
Expression scan(const Expression& x, const ScanOperation& operation, const ScanOptions& options = {});

Expression cumsum(const Expression& x, std::optional<int> axis = {});
Expression cumprod(const Expression& x, std::optional<int> axis = {});
Expression cummin(const Expression& x, std::optional<int> axis = {});  ///< minimum.accumulate
Expression cummax(const Expression& x, std::optional<int> axis = {});

}  // namespace rtcg
