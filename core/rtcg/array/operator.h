// An associative operation of two values, for reductions, scans and combining scatters: a text in a and b, a C++
// callable over Expressions, or one of those named here.
//
//   reduce(plus, x)    scan("a * b", x)    scan(maximum, x)    reduce("a < b ? a : b", x, INFINITY)
//
// What it does is read from the graph it builds, so "a + b", plus and a lambda that adds are the same and have the same
// neutral element. Reductions do without one (at the cost of a flag beside each value), scans need one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "rtcg/array/expression.h"
#include "rtcg/array/formula.h"

namespace rtcg {

class Operator {
 public:
  Operator(Formula formula);                               // NOLINT(google-explicit-constructor)
  Operator(const char* text) : Operator(Formula(text)) {}  // NOLINT(google-explicit-constructor)
  template <class F>
  requires std::is_invocable_r_v<Expression, const F&, const Expression&, const Expression&> Operator(F function)
      : function_(std::move(function)) {}  // NOLINT(google-explicit-constructor)

  Expression operator()(const Expression& a, const Expression& b) const { return function_(a, b); }

  /// The same operation, said to have this neutral element.
  Operator with_neutral(const Scalar& neutral) const;

  /// As kernels use it on two values of one type. The result is converted back to the type; InputError or UsageError
  /// when the operation has no meaning for it.
  struct Combination {
    std::shared_ptr<const FunctionText> function;
    std::optional<Op> op;           ///< when it is just this operation of a and b
    std::optional<Scalar> neutral;  ///< combining with it changes nothing
    std::string name;               ///< for explain(): "+", "maximum", or the text
  };
  Combination combination(Dtype type, const std::string& function_name = "combine_") const;

 private:
  std::function<Expression(const Expression&, const Expression&)> function_;
  std::string text_ = "a function";
  std::optional<Scalar> neutral_;
};

struct Plus {
  Expression operator()(const Expression& a, const Expression& b) const { return a + b; }
};
struct Times {
  Expression operator()(const Expression& a, const Expression& b) const { return a * b; }
};
struct LogicalAnd {
  Expression operator()(const Expression& a, const Expression& b) const { return a && b; }
};
struct LogicalOr {
  Expression operator()(const Expression& a, const Expression& b) const { return a || b; }
};
inline constexpr Plus plus{};
inline constexpr Times times{};
inline constexpr LogicalAnd logical_and{};
inline constexpr LogicalOr logical_or{};

}  // namespace rtcg
