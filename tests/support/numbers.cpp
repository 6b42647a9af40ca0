#include "support/numbers.h"

#include <cmath>
#include <limits>

namespace rtcg::test {

namespace {

using Real = long double;
using Complex = std::complex<Real>;

bool is_whole(Dtype type) {
  return kind_of(type) <= DtypeKind::signed_integer;
}

bool is_single(Dtype type) {
  return type == Dtype::f32 || type == Dtype::f16 || type == Dtype::c64;
}

Wide wrapped(Wide value, Dtype type) {
  if (type == Dtype::boolean) return value != 0;
  const int bits = static_cast<int>(8 * size_of(type));
  const auto low = static_cast<UnsignedWide>(value) & ((static_cast<UnsignedWide>(1) << bits) - 1);
  const bool is_negative = kind_of(type) == DtypeKind::signed_integer && (low >> (bits - 1) & 1) != 0;
  return static_cast<Wide>(low) - (is_negative ? static_cast<Wide>(1) << bits : 0);
}

Number whole(Wide value, Dtype type) {
  Number n;
  n.whole = wrapped(value, type);
  return n;
}
Number truth(bool value) {
  return whole(value, Dtype::boolean);
}
Number unknown() {
  Number n;
  n.unknown = true;
  return n;
}

Wide lowest(Dtype type) {
  return kind_of(type) == DtypeKind::signed_integer ? -(static_cast<Wide>(1) << (8 * size_of(type) - 1)) : 0;
}
Wide highest(Dtype type) {
  if (type == Dtype::boolean) return 1;
  const auto bits = 8 * size_of(type) - (kind_of(type) == DtypeKind::signed_integer ? 1 : 0);
  return (static_cast<Wide>(1) << bits) - 1;
}

Wide floor_divide(Wide a, Wide b) {
  if (b == 0) return 0;
  const Wide q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}
Wide power(Wide base, Wide exponent, Dtype type) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 != 0 ? -1 : 1) : 0;
  Wide result = 1;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = wrapped(result * base, type);
    base = wrapped(base * base, type);
  }
  return result;
}

/// Of a real function with an error in its operand: the spread of its values near by, and its own rounding.
template <class F>
Number real_function(F f, const Number& x, Dtype type, Real steps) {
  const Real at = x.z.real(), value = f(at);
  Number n;
  n.z = value;
  if (!std::isfinite(value)) return unknown();
  if (x.error > 0) {
    const Real above = f(at + x.error), below = f(at - x.error);
    if (!std::isfinite(above) || !std::isfinite(below) || x.error > 0.05L) return unknown();
    n.error = 2 * std::max(std::fabs(above - value), std::fabs(below - value));
  }
  return rounded(n, type, steps);
}

/// Jumps: known where all values within the error agree.
template <class F>
Number step_function(F f, const Number& x) {
  Number n;
  n.z = f(x.z.real());
  if (f(x.z.real() - x.error) != n.z.real() || f(x.z.real() + x.error) != n.z.real()) return unknown();
  return n;
}

template <class F>
Number complex_function(F f, const Number& x, Dtype type) {
  Number n;
  n.z = f(x.z);
  // Branch cuts lie on the axes.
  const Real from_axes = std::min(std::fabs(x.z.real()), std::fabs(x.z.imag()));
  if (from_axes <= 4 * x.error + 1e-6L) return unknown();
  if (x.error > 0)
    n.error = 3 * std::max(std::abs(f(x.z + x.error) - n.z), std::abs(f(x.z + Complex(0, x.error)) - n.z));
  return rounded(n, type, 40 * (1 + std::abs(x.z)));
}

Number whole_operation(Op op, Dtype type, const Number* x) {
  const Wide a = x[0].whole, b = x[1].whole, c = x[2].whole;
  const int bits = static_cast<int>(8 * size_of(type));
  const bool is_bool = type == Dtype::boolean;
  const auto give = [&](Wide value) { return whole(value, type); };
  switch (op) {
    case Op::negate:
      return give(-a);
    case Op::positive:
    case Op::real:
    case Op::conj:
      return give(a);
    case Op::imag:
      return give(0);
    case Op::absolute:
      return give(a < 0 ? -a : a);
    case Op::sign:
      return give((a > 0) - (a < 0));
    case Op::square:
      return give(wrapped(a * a, type));
    case Op::bit_not:
      return give(is_bool ? a == 0 : ~a);
    case Op::logical_not:
      return truth(a == 0);
    case Op::add:
      return give(is_bool ? a | b : a + b);
    case Op::subtract:
      return give(a - b);
    case Op::multiply:
      return give(a * b);
    case Op::fma:
      return give(wrapped(a * b, type) + c);
    case Op::floor_divide:
      return give(floor_divide(a, b));
    case Op::remainder:
      return give(b == 0 ? 0 : a - floor_divide(a, b) * b);
    case Op::truncate_divide:
      return give(b == 0 ? 0 : a / b);
    case Op::fmod:
      return give(b == 0 ? 0 : a % b);
    case Op::power:
      return give(power(a, b, type));
    case Op::minimum:
    case Op::fmin:
      return give(std::min(a, b));
    case Op::maximum:
    case Op::fmax:
      return give(std::max(a, b));
    case Op::clip:
      return give(std::min(std::max(a, b), c));
    case Op::bit_and:
      return give(a & b);
    case Op::bit_or:
      return give(a | b);
    case Op::bit_xor:
      return give(a ^ b);
    case Op::shift_left:
      return give(b >= 0 && b < bits ? a << b : 0);
    case Op::shift_right:
      return give(b >= 0 && b < bits ? a >> b : a < 0 ? -1 : 0);
    case Op::equal:
      return truth(a == b);
    case Op::not_equal:
      return truth(a != b);
    case Op::less:
      return truth(a < b);
    case Op::less_equal:
      return truth(a <= b);
    case Op::greater:
      return truth(a > b);
    case Op::greater_equal:
      return truth(a >= b);
    case Op::logical_and:
      return truth(a != 0 && b != 0);
    case Op::logical_or:
      return truth(a != 0 || b != 0);
    default:
      throw std::logic_error(std::string("interpreter: no integer operation ") + info(op).name);
  }
}

Number product(const Number& a, const Number& b, Dtype type) {
  Number n;
  n.z = a.z * b.z;
  n.error = std::abs(a.z) * b.error + std::abs(b.z) * a.error + a.error * b.error;
  return rounded(n, type, is_complex(type) ? 4 : 1);
}

Number compare(Op op, const Number& a, const Number& b) {
  const Real difference = a.z.real() - b.z.real();
  const bool exact = a.error + b.error == 0;
  if (!exact && std::abs(a.z - b.z) <= a.error + b.error) return unknown();
  switch (op) {
    case Op::equal:
      return truth(a.z == b.z);
    case Op::not_equal:
      return truth(a.z != b.z);
    case Op::less:
      return truth(difference < 0);
    case Op::less_equal:
      return truth(difference <= 0);
    case Op::greater:
      return truth(difference > 0);
    default:
      return truth(difference >= 0);
  }
}

Number real_operation(Op op, Dtype type, Dtype result, const Number* x) {
  const Number &a = x[0], &b = x[1], &c = x[2];
  Number n;
  const auto f1 = [&](auto f, Real steps) { return real_function(f, a, type, steps); };
  if (is_complex(type)) switch (op) {
      case Op::sqrt:
        return complex_function([](Complex v) { return std::sqrt(v); }, a, type);
      case Op::exp:
        return complex_function([](Complex v) { return std::exp(v); }, a, type);
      case Op::log:
        return complex_function([](Complex v) { return std::log(v); }, a, type);
      case Op::sin:
        return complex_function([](Complex v) { return std::sin(v); }, a, type);
      case Op::cos:
        return complex_function([](Complex v) { return std::cos(v); }, a, type);
      case Op::power:
        return unknown();
      default:
        break;
    }
  switch (op) {
    case Op::negate:
      n = a, n.z = -a.z;
      return n;
    case Op::positive:
      return a;
    case Op::absolute:
      n = a, n.z = std::abs(a.z);
      return is_complex(type) ? rounded(n, result, 8) : n;
    case Op::real:
      n = a, n.z = a.z.real();
      return n;
    case Op::imag:
      n = a, n.z = a.z.imag();
      return n;
    case Op::conj:
      n = a, n.z = std::conj(a.z);
      return n;
    case Op::sign:
      return step_function([](Real v) { return Real((v > 0) - (v < 0)); }, a);
    case Op::square:
      return product(a, a, type);
    case Op::reciprocal: {
      Number one;
      one.z = 1;
      const Number pair[] = {one, a, a};
      return real_operation(Op::divide, type, result, pair);
    }
    case Op::logical_not:
      if (a.error > 0 && std::abs(a.z) <= a.error) return unknown();
      return truth(a.z == Complex(0));
    case Op::add:
    case Op::subtract:
      n.z = op == Op::add ? a.z + b.z : a.z - b.z;
      n.error = a.error + b.error;
      return rounded(n, type);
    case Op::multiply:
      return product(a, b, type);
    case Op::divide: {
      const Real size = std::abs(b.z);
      if (size == 0 || b.error > size / 4) return unknown();
      n.z = a.z / b.z;
      n.error = (a.error + std::abs(n.z) * b.error) / (size - b.error);
      return rounded(n, type, is_complex(type) ? 16 : 3);
    }
    case Op::floor_divide:
    case Op::truncate_divide:
    case Op::remainder:
    case Op::fmod: {
      const Real size = std::abs(b.z);
      if (size == 0 || b.error > size / 4) return unknown();
      Number quotient;
      quotient.z = a.z / b.z;
      if (std::abs(quotient.z) > 1e6L) return unknown();
      quotient.error = (a.error + std::abs(quotient.z) * b.error) / (size - b.error);
      // Where the quotient is exact, its rounding is exact too.
      const bool exact = quotient.error == 0;
      if (!exact || op == Op::floor_divide || op == Op::truncate_divide ||
          quotient.z.real() != std::floor(quotient.z.real()))
        quotient = rounded(quotient, type, 3);
      const Number steps = step_function(
          [&](Real v) { return op == Op::fmod || op == Op::truncate_divide ? std::trunc(v) : std::floor(v); },
          quotient);
      if (steps.unknown) return unknown();
      if (op == Op::floor_divide || op == Op::truncate_divide) return steps;
      n.z = a.z.real() - steps.z.real() * b.z.real();
      n.error = a.error + std::abs(steps.z) * b.error;
      return rounded(n, type, 4);
    }
    case Op::power: {
      if (a.z.real() <= a.error || std::fabs(b.z.real()) > 20 || b.error > 0.05L || a.error > 0.05L * a.z.real())
        return unknown();
      n.z = std::pow(a.z.real(), b.z.real());
      const Real relative =
          std::fabs(b.z.real()) * a.error / (a.z.real() - a.error) + std::fabs(std::log(a.z.real())) * b.error;
      n.error = 2 * std::abs(n.z) * relative;
      return rounded(n, type, 40);
    }
    case Op::minimum:
    case Op::fmin:
    case Op::maximum:
    case Op::fmax: {
      const bool least = op == Op::minimum || op == Op::fmin;
      n.z = least ? std::min(a.z.real(), b.z.real()) : std::max(a.z.real(), b.z.real());
      n.error = std::max(a.error, b.error);
      return n;
    }
    case Op::clip:
      n.z = std::min(std::max(a.z.real(), b.z.real()), c.z.real());
      n.error = std::max({a.error, b.error, c.error});
      return n;
    case Op::fma: {
      Number p = product(a, b, type);
      n.z = p.z + c.z;
      n.error = p.error + c.error;
      return rounded(n, type);
    }
    case Op::atan2: {
      const Real size = std::hypot(a.z.real(), b.z.real());
      if (size <= 4 * (a.error + b.error) || (b.z.real() <= b.error && std::fabs(a.z.real()) <= a.error + 1e-30L))
        return unknown();
      n.z = std::atan2(a.z.real(), b.z.real());
      n.error = 2 * (a.error + b.error) / size;
      return rounded(n, type, 12);
    }
    case Op::hypot:
      n.z = std::hypot(a.z.real(), b.z.real());
      n.error = a.error + b.error;
      return rounded(n, type, 8);
    case Op::copysign:
      if (std::fabs(b.z.real()) <= b.error || b.z.real() == 0) return unknown();
      n = a, n.z = std::copysign(std::fabs(a.z.real()), b.z.real());
      return n;
    case Op::make_complex:
      n.z = Complex(a.z.real(), b.z.real());
      n.error = a.error + b.error;
      return n;
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return compare(op, a, b);
    case Op::isnan:
    case Op::isinf:
      return truth(false);
    case Op::isfinite:
      return truth(true);
    case Op::floor:
      return step_function([](Real v) { return std::floor(v); }, a);
    case Op::ceil:
      return step_function([](Real v) { return std::ceil(v); }, a);
    case Op::trunc:
      return step_function([](Real v) { return std::trunc(v); }, a);
    case Op::rint:
      return step_function([](Real v) { return std::rint(v); }, a);
    case Op::sqrt:
      return f1([](Real v) { return std::sqrt(v); }, 4);
    case Op::rsqrt:
      return f1([](Real v) { return 1 / std::sqrt(v); }, 6);
    case Op::cbrt:
      return f1([](Real v) { return std::cbrt(v); }, 6);
    case Op::exp:
      return f1([](Real v) { return std::exp(v); }, 8);
    case Op::exp2:
      return f1([](Real v) { return std::exp2(v); }, 8);
    case Op::expm1:
      return f1([](Real v) { return std::expm1(v); }, 8);
    case Op::log:
      return f1([](Real v) { return std::log(v); }, 8);
    case Op::log2:
      return f1([](Real v) { return std::log2(v); }, 8);
    case Op::log10:
      return f1([](Real v) { return std::log10(v); }, 8);
    case Op::log1p:
      return f1([](Real v) { return std::log1p(v); }, 8);
    case Op::sin:
      return f1([](Real v) { return std::sin(v); }, 12);
    case Op::cos:
      return f1([](Real v) { return std::cos(v); }, 12);
    case Op::atan:
      return f1([](Real v) { return std::atan(v); }, 12);
    case Op::tanh:
      return f1([](Real v) { return std::tanh(v); }, 12);
    case Op::sinh:
      return f1([](Real v) { return std::sinh(v); }, 12);
    case Op::cosh:
      return f1([](Real v) { return std::cosh(v); }, 12);
    case Op::asinh:
      return f1([](Real v) { return std::asinh(v); }, 12);
    case Op::erf:
      return f1([](Real v) { return std::erf(v); }, 32);
    default:
      throw std::logic_error(std::string("interpreter: no real operation ") + info(op).name);
  }
}

}  // namespace

Number rounded(Number x, Dtype type, Real steps) {
  const Real size = std::abs(x.z);
  // One more unit and an absolute one: a device may or may not round in between (contraction) and flush to zero.
  const Real unit = is_single(type) ? 0x1p-23L : 0x1p-52L, tiny = is_single(type) ? 0x1p-120L : 0x1p-1000L;
  x.error += steps * unit * size + tiny;
  if (!(size < (is_single(type) ? 1e30L : 1e250L)) || !std::isfinite(x.error)) return unknown();
  return x;
}

Number operate(Op op, Dtype operand, Dtype result, const Number* x) {
  const int count = info(op).operands;
  for (int k = 0; k < count; ++k)
    if (x[k].unknown) return unknown();
  if (op == Op::where) return x[0].whole != 0 ? x[1] : x[2];
  return is_whole(operand) ? whole_operation(op, operand, x) : real_operation(op, operand, result, x);
}

Number converted(const Number& x, Dtype from, Dtype to) {
  if (x.unknown || from == to) return x;
  Number n;
  if (is_whole(from)) {
    if (to == Dtype::boolean) return truth(x.whole != 0);
    if (is_whole(to)) return whole(x.whole, to);
    n.z = static_cast<Real>(x.whole);
    const Real exact = is_single(to) ? 0x1p24L : 0x1p53L;
    return std::abs(n.z) <= exact ? n : rounded(n, to);
  }
  if (to == Dtype::boolean) {
    if (x.error > 0 && std::abs(x.z) <= x.error) return unknown();
    return truth(x.z != Complex(0));
  }
  if (is_whole(to)) {
    Number real = x;
    real.z = x.z.real();
    const Number steps = step_function([](Real v) { return std::trunc(v); }, real);
    if (steps.unknown) return unknown();
    const Real low = static_cast<Real>(lowest(to)), high = static_cast<Real>(highest(to)), v = steps.z.real();
    n.whole = v <= low ? lowest(to) : v >= high ? highest(to) : static_cast<Wide>(v);
    return n;
  }
  n = x;
  if (is_complex(from) && !is_complex(to)) n.z = x.z.real();
  // Reals that are held exactly by the smaller type stay exact.
  if (is_single(to) && !is_single(from)) {
    const bool exact = x.error == 0 && static_cast<Real>(static_cast<float>(n.z.real())) == n.z.real() &&
                       static_cast<Real>(static_cast<float>(n.z.imag())) == n.z.imag();
    return exact ? n : rounded(n, to);
  }
  return n;
}

}  // namespace rtcg::test
