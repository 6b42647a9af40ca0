#include "rtcg/array/operations.h"

#include <fmt/format.h>

#include "rtcg/compile/template.h"
#include "rtcg/error.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

enum class Rule : std::uint8_t {
  same,           ///< common -> common
  arithmetic,     ///< the same, bool included where the text has a meaning for it
  number,         ///< the same, but not bool
  ordered,        ///< the same, but not complex
  floats,         ///< floating(common), complex stays
  real_floats,    ///< floating(common), no complex
  true_divide,    ///< integers give float64
  integers,       ///< bool and integers only
  compare,        ///< common -> bool
  compare_order,  ///< the same, but not complex
  logic,          ///< any -> bool
  to_real,        ///< complex -> its real type, others stay
  test_real,      ///< floating(common) -> bool
  angle,          ///< any -> real floating
  pair,           ///< real -> complex
};

/// Texts: $a $b $c the operands, $T their type in a register, $U its unsigned twin (signed integers), $C the complex
/// prefix.
struct Entry {
  Op op;
  OperationInfo info;
  Rule rule;
  const char* text;          ///< for real and integers; nullptr: see operation_text
  const char* complex_text;  ///< nullptr: no meaning
};

constexpr Entry table[] = {
    {Op::negate, {"-", 1}, Rule::number, "-$a", "$C_new(-$a.x, -$a.y)"},
    {Op::positive, {"+", 1}, Rule::same, "$a", "$a"},
    {Op::absolute, {"abs", 1}, Rule::to_real, nullptr, "$C_abs($a)"},
    {Op::sign, {"sign", 1}, Rule::ordered, nullptr, nullptr},
    {Op::square, {"square", 1}, Rule::number, nullptr, "$C_mul($a, $a)"},
    {Op::reciprocal, {"reciprocal", 1}, Rule::floats, "1 / $a", "$C_div($C_new(1, 0), $a)"},
    {Op::logical_not, {"!", 1}, Rule::logic, "(uchar)($a == 0)", "(uchar)($a.x == 0 && $a.y == 0)"},
    {Op::bit_not, {"~", 1}, Rule::integers, "($T)~$a", nullptr},
    {Op::sqrt, {"sqrt", 1}, Rule::floats, "sqrt($a)", "$C_sqrt($a)"},
    {Op::rsqrt, {"rsqrt", 1}, Rule::real_floats, "rsqrt($a)", nullptr},
    {Op::cbrt, {"cbrt", 1}, Rule::real_floats, "cbrt($a)", nullptr},
    {Op::exp, {"exp", 1}, Rule::floats, "exp($a)", "$C_exp($a)"},
    {Op::exp2, {"exp2", 1}, Rule::real_floats, "exp2($a)", nullptr},
    {Op::expm1, {"expm1", 1}, Rule::real_floats, "expm1($a)", nullptr},
    {Op::log, {"log", 1}, Rule::floats, "log($a)", "$C_log($a)"},
    {Op::log2, {"log2", 1}, Rule::real_floats, "log2($a)", nullptr},
    {Op::log10, {"log10", 1}, Rule::real_floats, "log10($a)", nullptr},
    {Op::log1p, {"log1p", 1}, Rule::real_floats, "log1p($a)", nullptr},
    {Op::sin, {"sin", 1}, Rule::floats, "sin($a)", "$C_sin($a)"},
    {Op::cos, {"cos", 1}, Rule::floats, "cos($a)", "$C_cos($a)"},
    {Op::tan, {"tan", 1}, Rule::real_floats, "tan($a)", nullptr},
    {Op::asin, {"asin", 1}, Rule::real_floats, "asin($a)", nullptr},
    {Op::acos, {"acos", 1}, Rule::real_floats, "acos($a)", nullptr},
    {Op::atan, {"atan", 1}, Rule::real_floats, "atan($a)", nullptr},
    {Op::sinh, {"sinh", 1}, Rule::real_floats, "sinh($a)", nullptr},
    {Op::cosh, {"cosh", 1}, Rule::real_floats, "cosh($a)", nullptr},
    {Op::tanh, {"tanh", 1}, Rule::real_floats, "tanh($a)", nullptr},
    {Op::asinh, {"asinh", 1}, Rule::real_floats, "asinh($a)", nullptr},
    {Op::acosh, {"acosh", 1}, Rule::real_floats, "acosh($a)", nullptr},
    {Op::atanh, {"atanh", 1}, Rule::real_floats, "atanh($a)", nullptr},
    {Op::erf, {"erf", 1}, Rule::real_floats, "erf($a)", nullptr},
    {Op::erfc, {"erfc", 1}, Rule::real_floats, "erfc($a)", nullptr},
    {Op::lgamma, {"lgamma", 1}, Rule::real_floats, "lgamma($a)", nullptr},
    {Op::tgamma, {"tgamma", 1}, Rule::real_floats, "tgamma($a)", nullptr},
    {Op::floor, {"floor", 1}, Rule::real_floats, "floor($a)", nullptr},
    {Op::ceil, {"ceil", 1}, Rule::real_floats, "ceil($a)", nullptr},
    {Op::trunc, {"trunc", 1}, Rule::real_floats, "trunc($a)", nullptr},
    {Op::rint, {"rint", 1}, Rule::real_floats, "rint($a)", nullptr},
    {Op::isnan, {"isnan", 1}, Rule::test_real, "(uchar)(isnan($a) != 0)", "(uchar)(isnan($a.x) || isnan($a.y))"},
    {Op::isinf, {"isinf", 1}, Rule::test_real, "(uchar)(isinf($a) != 0)", "(uchar)(isinf($a.x) || isinf($a.y))"},
    {Op::isfinite,
     {"isfinite", 1},
     Rule::test_real,
     "(uchar)(isfinite($a) != 0)",
     "(uchar)(isfinite($a.x) && isfinite($a.y))"},
    {Op::real, {"real", 1}, Rule::to_real, "$a", "$a.x"},
    {Op::imag, {"imag", 1}, Rule::to_real, "($T)0", "$a.y"},
    {Op::conj, {"conj", 1}, Rule::same, "$a", "$C_conj($a)"},
    {Op::arg, {"arg", 1}, Rule::angle, "atan2(($T)0, $a)", "$C_arg($a)"},
    {Op::add, {"+", 2}, Rule::arithmetic, "$a + $b", "$C_add($a, $b)"},
    {Op::subtract, {"-", 2}, Rule::number, "$a - $b", "$C_sub($a, $b)"},
    {Op::multiply, {"*", 2}, Rule::arithmetic, "$a * $b", "$C_mul($a, $b)"},
    {Op::divide, {"/", 2}, Rule::true_divide, "$a / $b", "$C_div($a, $b)"},
    {Op::floor_divide, {"floor_divide", 2}, Rule::ordered, nullptr, nullptr},
    {Op::truncate_divide, {"truncate_divide", 2}, Rule::ordered, nullptr, nullptr},
    {Op::remainder, {"%", 2}, Rule::ordered, nullptr, nullptr},
    {Op::fmod, {"fmod", 2}, Rule::ordered, nullptr, nullptr},
    {Op::power, {"power", 2}, Rule::number, nullptr, "$C_pow($a, $b)"},
    {Op::minimum, {"minimum", 2}, Rule::ordered, nullptr, nullptr},
    {Op::maximum, {"maximum", 2}, Rule::ordered, nullptr, nullptr},
    {Op::fmin, {"fmin", 2}, Rule::ordered, nullptr, nullptr},
    {Op::fmax, {"fmax", 2}, Rule::ordered, nullptr, nullptr},
    {Op::atan2, {"atan2", 2}, Rule::real_floats, "atan2($a, $b)", nullptr},
    {Op::hypot, {"hypot", 2}, Rule::real_floats, "hypot($a, $b)", nullptr},
    {Op::copysign, {"copysign", 2}, Rule::real_floats, "copysign($a, $b)", nullptr},
    {Op::bit_and, {"&", 2}, Rule::integers, "($T)($a & $b)", nullptr},
    {Op::bit_or, {"|", 2}, Rule::integers, "($T)($a | $b)", nullptr},
    {Op::bit_xor, {"^", 2}, Rule::integers, "($T)($a ^ $b)", nullptr},
    {Op::shift_left, {"<<", 2}, Rule::integers, nullptr, nullptr},
    {Op::shift_right, {">>", 2}, Rule::integers, nullptr, nullptr},
    {Op::equal, {"==", 2}, Rule::compare, "(uchar)($a == $b)", "(uchar)($a.x == $b.x && $a.y == $b.y)"},
    {Op::not_equal, {"!=", 2}, Rule::compare, "(uchar)($a != $b)", "(uchar)($a.x != $b.x || $a.y != $b.y)"},
    {Op::less, {"<", 2}, Rule::compare_order, "(uchar)($a < $b)", nullptr},
    {Op::less_equal, {"<=", 2}, Rule::compare_order, "(uchar)($a <= $b)", nullptr},
    {Op::greater, {">", 2}, Rule::compare_order, "(uchar)($a > $b)", nullptr},
    {Op::greater_equal, {">=", 2}, Rule::compare_order, "(uchar)($a >= $b)", nullptr},
    {Op::logical_and, {"&&", 2}, Rule::logic, "(uchar)($a && $b)", nullptr},
    {Op::logical_or, {"||", 2}, Rule::logic, "(uchar)($a || $b)", nullptr},
    {Op::make_complex, {"make_complex", 2}, Rule::pair, "$D_new($a, $b)", nullptr},
    {Op::where, {"where", 3}, Rule::same, "$a ? $b : $c", "$a ? $b : $c"},
    {Op::fma, {"fma", 3}, Rule::number, nullptr, "$C_fma($a, $b, $c)"},
    {Op::clip, {"clip", 3}, Rule::ordered, nullptr, nullptr},
};

const Entry& entry(Op op) {
  for (const Entry& e : table)
    if (e.op == op) return e;
  throw std::logic_error("operation without an entry in the table");
}

[[noreturn]] void no_meaning(Op op, Dtype type) {
  throw UsageError(fmt::format("{} has no meaning for {}", info(op).name, dtype_name(type)));
}

/// Texts that depend on the kind of the operands; nullptr where the table's own serves.
const char* special_text(Op op, Dtype type) {
  const DtypeKind kind = kind_of(type);
  const bool is_signed = kind == DtypeKind::signed_integer, is_bool = kind == DtypeKind::boolean;
  const bool is_whole = kind <= DtypeKind::signed_integer;
  switch (op) {
    case Op::negate:
      return is_whole ? "($T)(($U)0 - ($U)$a)" : nullptr;
    case Op::add:
      return is_bool ? "(uchar)($a | $b)" : is_whole ? "($T)(($U)$a + ($U)$b)" : nullptr;
    case Op::subtract:
      return is_whole ? "($T)(($U)$a - ($U)$b)" : nullptr;
    case Op::multiply:
      return is_bool ? "(uchar)($a & $b)" : is_whole ? "($T)(($U)$a * ($U)$b)" : nullptr;
    case Op::square:
      return is_whole ? "($T)(($U)$a * ($U)$a)" : "$a * $a";
    case Op::fma:
      return is_whole ? "($T)(($U)$a * ($U)$b + ($U)$c)" : "fma($a, $b, $c)";
    case Op::absolute:
      return is_signed ? "($T)($a < 0 ? ($U)0 - ($U)$a : ($U)$a)" : is_whole ? "$a" : "fabs($a)";
    case Op::sign:
      return is_signed ? "($T)(($a > 0) - ($a < 0))" : is_whole ? "($T)($a != 0)" : "rtcg_sign_$F($a)";
    case Op::bit_not:
      return is_bool ? "(uchar)($a == 0)" : nullptr;
    case Op::floor_divide:
      return is_signed  ? "($T)rtcg_floor_divide_$W($a, $b)"
             : is_whole ? "($T)($b == 0 ? 0 : $a / ($b == 0 ? 1 : $b))"
                        : "floor($a / $b)";
    case Op::truncate_divide:
      return is_signed  ? "($T)rtcg_truncate_divide_$W($a, $b)"
             : is_whole ? "($T)($b == 0 ? 0 : $a / ($b == 0 ? 1 : $b))"
                        : "trunc($a / $b)";
    case Op::fmod:
      return is_signed  ? "($T)rtcg_truncate_remainder_$W($a, $b)"
             : is_whole ? "($T)($b == 0 ? 0 : $a % ($b == 0 ? 1 : $b))"
                        : "fmod($a, $b)";
    case Op::remainder:
      return is_signed  ? "($T)rtcg_remainder_$W($a, $b)"
             : is_whole ? "($T)($b == 0 ? 0 : $a % ($b == 0 ? 1 : $b))"
                        : "rtcg_remainder_$F($a, $b)";
    case Op::power:
      return is_whole ? "($T)rtcg_power_$W((ulong)$a, (long)$b)" : "pow($a, $b)";
    case Op::minimum:
      return is_whole ? "($b < $a ? $b : $a)" : "rtcg_minimum_$F($a, $b)";
    case Op::maximum:
      return is_whole ? "($b > $a ? $b : $a)" : "rtcg_maximum_$F($a, $b)";
    case Op::fmin:
      return is_whole ? "($b < $a ? $b : $a)" : "fmin($a, $b)";
    case Op::fmax:
      return is_whole ? "($b > $a ? $b : $a)" : "fmax($a, $b)";
    case Op::clip:
      return is_whole ? "rtcg_clip($a, $b, $c)" : "rtcg_minimum_$F(rtcg_maximum_$F($a, $b), $c)";
    case Op::shift_left:
      return "($T)((ulong)$b < $B ? ($U)$a << $b : 0)";
    case Op::shift_right:
      return is_signed ? "($T)($a >> ((ulong)$b < $B ? $b : $B - 1))" : "($T)((ulong)$b < $B ? $a >> $b : 0)";
    default:
      return nullptr;
  }
}

std::string expand(const char* text, Dtype type, std::span<const std::string> arguments) {
  const bool is_double = type == Dtype::f64 || type == Dtype::c128;
  std::string result;
  for (const char* c = text; *c != 0; ++c) {
    if (*c != '$') {
      result += *c;
      continue;
    }
    switch (*++c) {
      case 'a':
        result += arguments[0];
        break;
      case 'b':
        result += arguments[1];
        break;
      case 'c':
        result += arguments[2];
        break;
      case 'T':
        result += compute_name(type);
        break;
      case 'U':  // narrow types are promoted to int by C: their sums cannot overflow it, their products could
        result += size_of(type) == 8 ? "ulong" : "uint";
        break;
      case 'W':
        result += size_of(type) == 8 ? "long" : "int";
        break;
      case 'B':
        result += std::to_string(8 * size_of(type));
        break;
      case 'F':
        result += is_double ? "double" : "float";
        break;
      case 'C':
        result += is_double ? "cdouble" : "cfloat";
        break;
      case 'D':
        result += type == Dtype::f64 ? "cdouble" : "cfloat";
        break;
      default:
        throw std::logic_error("operation text with an unknown mark");
    }
  }
  return result;
}

}  // namespace

const OperationInfo& info(Op op) {
  return entry(op).info;
}

Op operation_named(std::string_view function) {
  for (const Entry& e : table)
    if (function == e.info.name && std::isalpha(static_cast<unsigned char>(e.info.name[0])) != 0) return e.op;
  if (function == "min") return Op::fmin;
  if (function == "max") return Op::fmax;
  if (function == "pow") return Op::power;
  if (function == "fabs") return Op::absolute;
  return Op::call;
}

OperationTypes operation_types(Op op, Dtype common) {
  const DtypeKind kind = kind_of(common);
  const bool complex = kind == DtypeKind::complex, boolean = kind == DtypeKind::boolean;
  const Entry& e = entry(op);
  const auto complex_or_refuse = [&] {
    if (complex && e.complex_text == nullptr) no_meaning(op, common);
  };
  complex_or_refuse();
  switch (e.rule) {
    case Rule::same:
    case Rule::arithmetic:
      return {common, common};
    case Rule::number:
      if (boolean) no_meaning(op, common);
      return {common, common};
    case Rule::ordered:
      return {common, common};
    case Rule::floats:
    case Rule::real_floats:
      return {floating(common), floating(common)};
    case Rule::true_divide: {
      const Dtype type = kind < DtypeKind::real ? Dtype::f64 : common;
      return {type, type};
    }
    case Rule::integers:
      if (kind >= DtypeKind::real) no_meaning(op, common);
      // Of bools as NumPy: a bool cannot hold 1 << 1.
      if (boolean && (op == Op::shift_left || op == Op::shift_right)) return {Dtype::i8, Dtype::i8};
      return {common, common};
    case Rule::compare:
    case Rule::compare_order:
      return {common, Dtype::boolean};
    case Rule::logic:
      // Both are tested against zero; of complex values either part.
      return {op == Op::logical_not ? common : Dtype::boolean, Dtype::boolean};
    case Rule::to_real:
      return {common, real_of(common)};
    case Rule::test_real:
      return {floating(common), Dtype::boolean};
    case Rule::angle:
      return {floating(common), real_of(floating(common))};
    case Rule::pair: {
      const Dtype real = complex_of(common) == Dtype::c128 ? Dtype::f64 : Dtype::f32;
      return {real, complex_of(real)};
    }
  }
  no_meaning(op, common);
}

std::string operation_text(Op op, Dtype operand, std::span<const std::string> arguments) {
  const Entry& e = entry(op);
  if (is_complex(operand)) return expand(e.complex_text, operand, arguments);
  const char* special = special_text(op, operand);
  return expand(special != nullptr ? special : e.text, operand, arguments);
}

std::string cast_text(Dtype from, Dtype to, const std::string& value) {
  if (from == to) return value;
  if (is_complex(from)) {
    if (is_complex(to))
      return fmt::format("{}_new({}.x, {}.y)", to == Dtype::c128 ? "cdouble" : "cfloat", value, value);
    if (to == Dtype::boolean) return fmt::format("(uchar)({}.x != 0 || {}.y != 0)", value, value);
    return cast_text(real_of(from), to, value + ".x");
  }
  if (is_complex(to)) return fmt::format("{}_new({}, 0)", to == Dtype::c128 ? "cdouble" : "cfloat", value);
  if (to == Dtype::boolean) return fmt::format("(uchar)({} != 0)", value);
  if (is_real(from) && is_integer(to))
    return size_of(to) == 8
               ? fmt::format("rtcg_to_{}_{}({})", compute_name(to), from == Dtype::f64 ? "double" : "float", value)
               : fmt::format("rtcg_to_{}({})", compute_name(to), value);
  return fmt::format("({}){}", compute_name(to), value);
}

std::string operation_helpers(std::string_view text) {
  const auto calls = [&](std::string_view name) { return text.find(name) != std::string_view::npos; };
  std::string result;
  if (calls("rtcg_")) result += kernels::operation_helpers_cl;
  for (const std::string real : {"float", "double"}) {
    if (calls("_" + real + "(")) result += substitute(kernels::operation_helpers_real_cl, {{"real", real}});
    const std::string complex = real == "float" ? "cfloat" : "cdouble";
    for (const char* function : {"_sqrt(", "_log(", "_sin(", "_cos(", "_pow("})
      if (calls(complex + function)) {
        result += substitute(kernels::complex_functions_cl, {{"complex", complex}, {"real", real}});
        break;
      }
  }
  return result;
}

}  // namespace rtcg
