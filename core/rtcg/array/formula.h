// Formulas: a C expression as text ("a * b + sqrt(c)", "x < 0 ? -x : x") that becomes part of an expression graph, so
// that names and types are checked before anything is compiled and it fuses with whatever consumes it.
//
//   Formula hypotenuse{"sqrt(a * a + b * b)"};              // names a, b, c ... in the order of the operands
//   Formula blend{"(x, y, t) -> x + t * (y - x)"};          // names of its own
//   Expression z = blend({x, y, 0.5f});
//
// It reads: names; numbers as C writes them (7, 7u, 0x1f, 2.0f, 1e-3, 0x1p-3), true, false, pi, M_PI and its kin,
// INFINITY, NAN; + - * / % << >> & | ^ ~ ! < <= > >= == != && || ?: with C's precedence; casts (float)i and float(i);
// calls of the functions of the operations table (sqrt, atan2, where, fma, clip ...) and C's pow, fabs, abs, min, max.
//
// It means what C means with these differences, which are those of Array arithmetic: numbers are weak (x * 2.0 keeps
// x's type when that is real); types meet by NumPy's promotion, so int8 + int8 stays int8, but arithmetic of two bools
// is done in int; nothing is undefined (integer division by zero gives 0, signed integers wrap). `/` and `%` of
// integers truncate as C's: -7 / 2 is -3 and -7 % 2 is -1, where Array operators give -3.5 and 1. Both values of ?: and
// both sides of && and || are computed.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rtcg/array/expression.h"
#include "rtcg/array/formula_tree.h"

namespace rtcg {

class Formula {
 public:
  /// InputError that shows the text with a caret when it cannot be read.
  Formula(std::string text);  // NOLINT(google-explicit-constructor): a text stands where a formula is wanted
  Formula(const char* text) : Formula(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  /// The only names there are; "->" in the text is refused.
  Formula(std::string text, std::vector<std::string> parameters);

  const std::string& text() const { return tree_->text; }
  const FormulaTree& tree() const { return *tree_; }
  /// Empty when its names are a, b, c ...
  const std::vector<std::string>& parameters() const { return tree_->parameters; }
  bool uses(std::string_view name) const;

  /// UsageError for a wrong number of operands; InputError with a caret for unknown names and types that do not fit.
  Expression operator()(std::span<const Expression> operands) const;
  Expression operator()(std::initializer_list<Expression> operands) const {
    return (*this)(std::span(operands.begin(), operands.size()));
  }
  /// By name, for formulas without parameters of their own: {{"x", x}, {"y", y}, {"t", 0.5}}.
  using Named = std::pair<std::string_view, Expression>;
  Expression with(std::span<const Named> values) const;
  Expression with(std::initializer_list<Named> values) const { return with(std::span(values.begin(), values.size())); }

  /// "static inline float name(float a, float b) { return ...; }" for kernels: the value for scalars of these types,
  /// computed as operator() does. `result`: converted to it, else whatever the formula gives.
  std::shared_ptr<const FunctionText> function(std::string name, std::span<const Dtype> parameters,
                                               Dtype result = Dtype::unknown) const;

 private:
  std::vector<std::string> names_for(std::size_t operands) const;
  std::shared_ptr<const FormulaTree> tree_;
};

}  // namespace rtcg
