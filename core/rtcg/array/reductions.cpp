#include "rtcg/array/reductions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "rtcg/array/phase.h"
#include "rtcg/array/reduce_axes.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

/// What a reduction does with its operand, but for the axes.
struct Kind {
  const char* name;
  Dtype accumulator, result;
  bool of_nothing = true;    ///< has a value for no elements
  bool keeps_order = false;  ///< the result depends on the order of the elements
  std::function<ReduceText(BodyText&, const std::string&)> text;
};

std::string expression_of(const char* pattern, const std::string& a, const std::string& b) {
  return fmt::format(fmt::runtime(pattern), fmt::arg("a", a), fmt::arg("b", b));
}

/// "a.v = ...;" from the accumulator's v and the element's.
std::string combined(const char* pattern) {
  return fmt::format("a.v = {};", expression_of(pattern, "a.v", "b.v"));
}

/// Integer arithmetic wraps, which in C only unsigned types do.
const char* sum_pattern(Dtype type) {
  return type == Dtype::i64 ? "(long)((ulong){a} + (ulong){b})" : "{a} + {b}";
}
const char* product_pattern(Dtype type) {
  switch (type) {
    case Dtype::i64:
      return "(long)((ulong){a} * (ulong){b})";
    case Dtype::c64:
      return "cfloat_mul({a}, {b})";
    case Dtype::c128:
      return "cdouble_mul({a}, {b})";
    default:
      return "{a} * {b}";
  }
}

std::string constant(Dtype type, double value) {
  if (type == Dtype::c64) return fmt::format("cfloat_new({}, 0)", Source::literal(static_cast<float>(value)));
  if (type == Dtype::c128) return fmt::format("cdouble_new({}, 0)", Source::literal(value));
  return fmt::format("{}", static_cast<int>(value));
}

/// The value that no other of the type is below (or above).
std::string extreme(Dtype type, bool largest) {
  if (is_real(type)) return largest ? "INFINITY" : "-INFINITY";
  switch (type) {
    case Dtype::boolean:
      return largest ? "1" : "0";
    case Dtype::i8:
      return largest ? "127" : "-128";
    case Dtype::u8:
      return largest ? "255" : "0";
    case Dtype::i16:
      return largest ? "32767" : "-32768";
    case Dtype::u16:
      return largest ? "65535" : "0";
    case Dtype::i32:
      return largest ? "INT_MAX" : "INT_MIN";
    case Dtype::u32:
      return largest ? "UINT_MAX" : "0";
    case Dtype::i64:
      return largest ? "LONG_MAX" : "LONG_MIN";
    default:
      return largest ? "ULONG_MAX" : "0";
  }
}

/// Sums and products: what NumPy adds them up in.
Dtype accumulator_of(Dtype type) {
  switch (kind_of(type)) {
    case DtypeKind::boolean:
    case DtypeKind::signed_integer:
      return Dtype::i64;
    case DtypeKind::unsigned_integer:
      return Dtype::u64;
    default:
      return type;
  }
}

ReduceText one_field(Dtype accumulator, const std::string& neutral, const std::string& combine,
                     const std::string& value, Dtype result, const std::string& finish = "a.v") {
  ReduceText text;
  text.fields = {{accumulator, "v", neutral, value}};
  text.combine = combine;
  text.outputs = {{result, finish}};
  return text;
}

void refuse_complex(const Expression& x, const char* name) {
  if (is_complex(x.dtype()))
    throw UsageError(fmt::format("{} of {}: complex numbers have no order", name, dtype_name(x.dtype())));
}

std::string shown(const Axes& axes, int dimensions) {
  const std::vector<bool> reduced = axes.of(dimensions);
  std::vector<int> list;
  for (int d = 0; d < dimensions; ++d)
    if (reduced[static_cast<std::size_t>(d)]) list.push_back(d);
  if (static_cast<int>(list.size()) == dimensions) return "everything";
  return fmt::format("{} {}", list.size() == 1 ? "axis" : "axes", fmt::join(list, ", "));
}

Expression reduced(const Expression& x, const Axes& axes, Kind kind) {
  const std::vector<bool> over = axes.of(x.shape().size());
  Shape shape;
  std::int64_t length = 1;
  for (int d = 0; d < x.shape().size(); ++d) {
    if (over[static_cast<std::size_t>(d)])
      length *= x.shape()[d];
    else
      shape.push_back(x.shape()[d]);
    if (over[static_cast<std::size_t>(d)] && axes.is_kept()) shape.push_back(1);
  }
  if (length == 0 && !kind.of_nothing && element_count(shape) > 0)
    throw UsageError(fmt::format("{} of no elements over {} of shape {}", kind.name, shown(axes, x.shape().size()),
                                 to_string(x.shape())));
  ReduceOperation operation;
  operation.key = kind.name;
  operation.key.push_back(static_cast<char>('A' + static_cast<int>(kind.accumulator)));
  operation.key.push_back(static_cast<char>('A' + static_cast<int>(kind.result)));
  operation.fields = {kind.accumulator};
  operation.results = {kind.result};
  operation.text = std::move(kind.text);
  if (kind.keeps_order) {
    operation.fields.push_back(Dtype::i64);
    operation.order = ReduceOperation::Order::in_order;
  }
  const Dtype type = kind.result;
  return make_phase(
      std::string(kind.name) + " over " + shown(axes, x.shape().size()),
      {{Expression(make_cast(x.node(), kind.accumulator))}}, type, shape,
      [operation = std::move(operation), over, shape](const Stream& stream, std::span<const Expression> operands) {
        const Array result = reduce_axes(stream, {&operands[0].node(), 1}, operands[0].shape(), over, operation)[0];
        return result.shape() == shape ? result : result.reshape(shape);
      });
}

Expression extremum(const Expression& x, const Axes& axes, bool largest) {
  const char* name = largest ? "max" : "min";
  refuse_complex(x, name);
  const Dtype type = x.dtype();
  // A NaN stays: it is not below, above or equal to anything.
  const std::string test = is_real(type) ? fmt::format("a.v {} b.v || a.v != a.v", largest ? ">=" : "<=")
                                         : fmt::format("a.v {} b.v", largest ? ">=" : "<=");
  return reduced(x, axes, {name, type, type, false, false, [=](BodyText& body, const std::string&) {
                             return one_field(type, extreme(type, !largest), fmt::format("a.v = {} ? a.v : b.v;", test),
                                              body.results[0], type);
                           }});
}

Expression position(const Expression& x, const Axes& axes, bool largest) {
  const char* name = largest ? "argmax" : "argmin";
  refuse_complex(x, name);
  const Dtype type = x.dtype();
  std::string better = fmt::format("b.v {} a.v", largest ? ">" : "<"), equal = "b.v == a.v";
  if (is_real(type)) {
    better += " || (b.v != b.v && a.v == a.v)";
    equal += " || (b.v != b.v && a.v != a.v)";
  }
  return reduced(x, axes, {name, type, Dtype::i64, false, true, [=](BodyText& body, const std::string&) {
                             ReduceText text;
                             // Behind every element's place, so that an element equal to the neutral value wins.
                             text.fields = {{type, "v", extreme(type, !largest), body.results[0]},
                                            {Dtype::i64, "at", "LONG_MAX", "(long)i"}};
                             text.combine = fmt::format(
                                 "const bool take = {} || (({}) && b.at < a.at);\n"
                                 "  a.v = take ? b.v : a.v;\n  a.at = take ? b.at : a.at;",
                                 better, equal);
                             text.outputs = {{Dtype::i64, "a.at / (long)inner % (long)n"}};
                             return text;
                           }});
}

std::string divided(Dtype type, const std::string& value, const std::string& count) {
  switch (type) {
    case Dtype::c64:
      return fmt::format("cfloat_new({0}.x / (float){1}, {0}.y / (float){1})", value, count);
    case Dtype::c128:
      return fmt::format("cdouble_new({0}.x / (double){1}, {0}.y / (double){1})", value, count);
    default:
      return fmt::format("{} / ({}){}", value, compute_name(type), count);
  }
}

}  // namespace

std::vector<bool> Axes::of(int dimensions) const {
  std::vector<bool> reduced(static_cast<std::size_t>(dimensions), all_);
  for (const int axis : list_) {
    const auto d = static_cast<std::size_t>(normalized_axis(axis, dimensions));
    if (reduced[d]) throw UsageError(fmt::format("axis {} is named twice", d));
    reduced[d] = true;
  }
  return reduced;
}

Expression sum(const Expression& x, const Axes& axes) {
  const Dtype type = accumulator_of(x.dtype());
  return reduced(x, axes, {"sum", type, type, true, false, [type](BodyText& body, const std::string&) {
                             return one_field(type, constant(type, 0), combined(sum_pattern(type)), body.results[0],
                                              type);
                           }});
}

Expression prod(const Expression& x, const Axes& axes) {
  const Dtype type = accumulator_of(x.dtype());
  return reduced(x, axes, {"product", type, type, true, false, [type](BodyText& body, const std::string&) {
                             return one_field(type, constant(type, 1), combined(product_pattern(type)), body.results[0],
                                              type);
                           }});
}

Expression mean(const Expression& x, const Axes& axes) {
  const Dtype type = is_real(x.dtype()) || is_complex(x.dtype()) ? x.dtype() : Dtype::f64;
  return reduced(x, axes, {"mean", type, type, true, false, [type](BodyText& body, const std::string&) {
                             return one_field(type, constant(type, 0), combined("{a} + {b}"), body.results[0], type,
                                              divided(type, "a.v", "n"));
                           }});
}

Expression var(const Expression& x, const Axes& axes, std::int64_t degrees) {
  const Dtype type = is_real(x.dtype()) || is_complex(x.dtype()) ? x.dtype() : Dtype::f64;
  const Expression values = x.astype(type);
  const std::vector<bool> over = axes.of(x.shape().size());
  std::int64_t n = 1;
  for (int d = 0; d < x.shape().size(); ++d)
    if (over[static_cast<std::size_t>(d)]) n *= x.shape()[d];
  const Expression distance = abs(values - mean(values, axes.kept()));
  return sum(square(distance), axes) / static_cast<double>(std::max<std::int64_t>(n - degrees, 0));
}

Expression stddev(const Expression& x, const Axes& axes, std::int64_t degrees) {
  return sqrt(var(x, axes, degrees));
}

Expression min(const Expression& x, const Axes& axes) {
  return extremum(x, axes, false);
}
Expression max(const Expression& x, const Axes& axes) {
  return extremum(x, axes, true);
}
Expression argmin(const Expression& x) {
  return position(x, {}, false);
}
Expression argmin(const Expression& x, int axis) {
  return position(x, axis, false);
}
Expression argmax(const Expression& x) {
  return position(x, {}, true);
}
Expression argmax(const Expression& x, int axis) {
  return position(x, axis, true);
}

Expression any(const Expression& x, const Axes& axes) {
  return reduced(x, axes, {"any", Dtype::boolean, Dtype::boolean, true, false, [](BodyText& body, const std::string&) {
                             return one_field(Dtype::boolean, "0", "a.v = a.v | b.v;", body.results[0], Dtype::boolean);
                           }});
}
Expression all(const Expression& x, const Axes& axes) {
  return reduced(x, axes, {"all", Dtype::boolean, Dtype::boolean, true, false, [](BodyText& body, const std::string&) {
                             return one_field(Dtype::boolean, "1", "a.v = a.v & b.v;", body.results[0], Dtype::boolean);
                           }});
}
Expression count_nonzero(const Expression& x, const Axes& axes) {
  return sum(x.astype(Dtype::boolean), axes);
}

Expression norm(const Expression& x, const Axes& axes) {
  const Dtype type = floating(x.dtype()), real = real_of(type);
  const Expression values = x.astype(type);
  const Expression squares = is_complex(type) ? square(rtcg::real(values)) + square(imag(values)) : square(values);
  return reduced(squares, axes, {"norm", real, real, true, false, [real](BodyText& body, const std::string&) {
                                   return one_field(real, "0", combined("{a} + {b}"), body.results[0], real,
                                                    "sqrt(a.v)");
                                 }});
}

Expression dot(const Expression& a, const Expression& b) {
  if (a.shape().size() != 1 || !(a.shape() == b.shape()))
    throw UsageError(fmt::format("dot of shapes {} and {}; it takes two vectors of one length", to_string(a.shape()),
                                 to_string(b.shape())));
  return sum(a * b);
}

}  // namespace rtcg
