// A C function of the user's, applied to each element: for what a formula cannot say (loops, several statements).
//
//   Function escape{R"(int escape(float x, float y, int limit) {
//     float u = 0, v = 0;
//     int n = 0;
//     for (; n < limit && u * u + v * v <= 4; ++n) {
//       const float t = u * u - v * v + x;
//       v = 2 * u * v + y, u = t;
//     }
//     return n;
//   })"};
//   Expression turns = escape(x, y, 256);
//
// The text is the kernel language's (docs/kernel-language.md). It may hold helpers; the last function in it is the one
// that is called. Parameters and result are scalars: bool, the integers, float, double, cfloat_t, cdouble_t.
#pragma once

#include <initializer_list>
#include <memory>
#include <span>
#include <string>

#include "rtcg/array/expression.h"

namespace rtcg {

class Function {
 public:
  /// InputError when no function is found in the text or its signature cannot be used.
  Function(std::string text);  // NOLINT(google-explicit-constructor): a text stands where a function is wanted

  const std::string& name() const { return text_->name; }
  std::size_t parameters() const { return text_->parameters.size(); }

  /// Arguments convert to the parameters' types; UsageError for a wrong number of them and for conversions that lose
  /// the kind (real to integer, complex to real).
  Expression apply(std::span<const Expression> arguments) const;
  template <class... Arguments>
  Expression operator()(const Arguments&... arguments) const {
    const std::initializer_list<Expression> list{Expression(arguments)...};
    return apply(std::span(list.begin(), list.size()));
  }

 private:
  std::shared_ptr<const FunctionText> text_;
};

}  // namespace rtcg
