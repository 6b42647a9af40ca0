#include "vision/epilogue.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

#include "rtcg/array/formula.h"
#include "rtcg/compile/source.h"
#include "rtcg/error.h"

namespace rtcg::vision {

namespace {

std::shared_ptr<const FunctionText> response_function(const std::string& expression) {
  constexpr std::array types{Dtype::f32, Dtype::i32};
  return Formula(expression, {"x", "n"}).function("expression", types, Dtype::f32);
}

}  // namespace

std::string Epilogue::text() const {
  std::string text;
  const auto add = [&](std::string_view word, const std::optional<float>& value) {
    if (value) text += fmt::format("{} {} ", word, *value);
  };
  if (!bias.empty()) text += "bias ";
  add("threshold", threshold);
  add("minimum", minimum);
  add("maximum", maximum);
  return text + expression;
}

void Epilogue::check(std::size_t filters) const {
  if (!bias.empty() && bias.size() != filters)
    throw UsageError(fmt::format("epilogue: {} bias values for {} filters; give one for each", bias.size(), filters));
  for (std::size_t n = 0; n < bias.size(); ++n)
    if (std::isnan(bias[n])) throw InputError(fmt::format("epilogue: the bias of filter {} is NaN", n));
  for (const auto& bound : {threshold, minimum, maximum})
    if (bound && std::isnan(*bound)) throw UsageError("epilogue: a threshold or bound is NaN");
  if (minimum && maximum && *minimum > *maximum)
    throw UsageError(fmt::format("epilogue: the minimum {} is above the maximum {}", *minimum, *maximum));
  if (!expression.empty()) response_function(expression);
}

std::string Epilogue::function() const {
  std::string text;
  if (!expression.empty()) {
    const auto call = response_function(expression);
    text = operation_helpers(call->text) + call->text + "\n";
  }
  text += "static inline float finish(float x, int n, global const float* bias) {\n";
  if (!bias.empty()) text += "  x += bias[n];\n";
  // Comparisons rather than fmin and fmax, which would turn a NaN into a bound.
  if (threshold) text += fmt::format("  x = x < {} ? 0.0f : x;\n", Source::literal(*threshold));
  if (minimum) text += fmt::format("  x = x < {0} ? {0} : x;\n", Source::literal(*minimum));
  if (maximum) text += fmt::format("  x = x > {0} ? {0} : x;\n", Source::literal(*maximum));
  return text + (expression.empty() ? "  return x;\n}\n" : "  return expression(x, n);\n}\n");
}

}  // namespace rtcg::vision
