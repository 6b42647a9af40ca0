// Reductions of primitives.h.
#include <fmt/format.h>

#include "rtcg/array/function_text.h"
#include "rtcg/array/phase.h"
#include "rtcg/array/primitives.h"
#include "rtcg/array/reduce_axes.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

/// The accumulator: the value, and without a neutral element whether there is one yet.
ReduceText reduce_text(const Operator::Combination& combination, Dtype type, const std::string& value) {
  ReduceText text;
  text.functions = operation_helpers(combination.function->text) + combination.function->text;
  const std::string combine = fmt::format("a.v = {}(a.v, b.v);", combination.function->name);
  if (combination.neutral) {
    text.fields = {{type, "v", literal_text(*combination.neutral), value}};
    text.combine = combine;
  } else {
    text.fields = {{type, "v", literal_text(Scalar(0).as(type)), value}, {Dtype::u8, "is_set", "0", "1"}};
    text.combine = fmt::format("if (a.is_set && b.is_set) {{ {} }} else if (b.is_set) a = b;", combine);
  }
  text.outputs = {{type, "a.v"}};
  return text;
}

Expression reduce_some(const Operator& f, const Expression& x) {
  const Dtype type = x.dtype();
  const Operator::Combination combination = f.combination(type);
  ReduceOperation operation;
  operation.key = fmt::format("primitive {} {}", static_cast<int>(type), combination.function->text);
  if (combination.neutral) operation.key += literal_text(*combination.neutral);
  operation.fields = {type};
  if (!combination.neutral) operation.fields.push_back(Dtype::u8);
  operation.results = {type};
  operation.text = [combination, type](BodyText& body, const std::string&) {
    return reduce_text(combination, type, body.results[0]);
  };
  const std::vector<bool> all(static_cast<std::size_t>(x.shape().size()), true);
  return make_phase(fmt::format("reduce {}", combination.name), {{x}}, type, {},
                    [operation, all](const Stream& stream, std::span<const Expression> values) {
                      const NodePtr root[] = {values[0].node()};
                      return reduce_axes(stream, root, values[0].shape(), all, operation)[0].reshape({});
                    });
}

}  // namespace

Expression reduce(const Operator& f, const Expression& x) {
  if (x.size() > 0) return reduce_some(f, x);
  const Operator::Combination combination = f.combination(x.dtype());
  if (!combination.neutral)
    throw UsageError(
        fmt::format("reduce: nothing to reduce by \"{}\", which has no neutral element that is known; "
                    "give a first value",
                    combination.name));
  return {*combination.neutral, false};
}

Expression reduce(const Operator& f, const Expression& x, const Expression& first) {
  if (!first.shape().empty())
    throw UsageError(fmt::format("reduce: the first value is a single one, given {}", to_string(first.shape())));
  const Expression start = first.astype(x.dtype());
  return x.size() == 0 ? start : f(start, reduce_some(f, x)).astype(x.dtype());
}

}  // namespace rtcg
