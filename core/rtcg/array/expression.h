// Lazy array values. An Expression is a handle on a node of an immutable graph; making one computes nothing. Giving it
// to an Array evaluates it: everything local below it becomes one kernel, every reduction, scan or sort a phase of its
// own (completion rule). It is computed anew each time it is evaluated and reads its arrays as they are then; make it
// an Array to keep the result.
//
// Shapes broadcast and types promote as NumPy's. C++ scalars are weak: x * 2.0 has x's type (NEP 50; see dtype.h).
// Operators and functions throw UsageError at once when shapes or types do not fit.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <vector>

#include "rtcg/array/array.h"
#include "rtcg/array/node.h"

namespace rtcg {

class Expression {
 public:
  Expression(const Array& array);  // NOLINT(google-explicit-constructor)
  template <ScalarValue T>
  Expression(T value)  // NOLINT(google-explicit-constructor)
      : Expression(Scalar(value), true) {}
  /// A scalar whose type takes part in promotion, or a weak one.
  Expression(const Scalar& value, bool weak);
  explicit Expression(NodePtr node) : node_(std::move(node)) {}

  Dtype dtype() const { return node_->dtype; }
  const Shape& shape() const { return node_->shape; }
  std::int64_t size() const { return element_count(shape()); }
  const NodePtr& node() const { return node_; }

  Array evaluate() const;                      ///< on the stream of its first array; UsageError when there is none
  Array evaluate(const Stream& stream) const;  ///< arrays of other streams of the device are waited for
  Expression astype(Dtype type) const { return Expression(make_cast(node_, type)); }
  Expression broadcast_to(const Shape& shape) const;

  /// Phases and kernels of its evaluation, one line each, with what each fuses; nothing runs.
  std::string explain() const;

  /// Evaluates; the only element, converted. Waits. UsageError when there are more.
  template <class T>
  T item() const {
    return evaluate().item<T>();
  }

 private:
  NodePtr node_;
};

/// Evaluates several at once: local ones of one shape become one kernel with several results, shared phases run once.
std::vector<Array> evaluate(std::span<const Expression> expressions, const Stream* stream = nullptr);
std::string explain(std::span<const Expression> expressions);
/// The stream of the first array below; nullopt when there is none.
std::optional<Stream> stream_of(std::span<const Expression> expressions);

/// An operation of the table (operations.h) on one to three operands.
Expression apply(Op op, std::initializer_list<const Expression*> operands);

// Operators. `/` is true division; % is NumPy's remainder (sign of the divisor); && and || do not short-cut.
inline Expression operator+(const Expression& a, const Expression& b) {
  return apply(Op::add, {&a, &b});
}
inline Expression operator-(const Expression& a, const Expression& b) {
  return apply(Op::subtract, {&a, &b});
}
inline Expression operator*(const Expression& a, const Expression& b) {
  return apply(Op::multiply, {&a, &b});
}
inline Expression operator/(const Expression& a, const Expression& b) {
  return apply(Op::divide, {&a, &b});
}
inline Expression operator%(const Expression& a, const Expression& b) {
  return apply(Op::remainder, {&a, &b});
}
inline Expression operator&(const Expression& a, const Expression& b) {
  return apply(Op::bit_and, {&a, &b});
}
inline Expression operator|(const Expression& a, const Expression& b) {
  return apply(Op::bit_or, {&a, &b});
}
inline Expression operator^(const Expression& a, const Expression& b) {
  return apply(Op::bit_xor, {&a, &b});
}
inline Expression operator<<(const Expression& a, const Expression& b) {
  return apply(Op::shift_left, {&a, &b});
}
inline Expression operator>>(const Expression& a, const Expression& b) {
  return apply(Op::shift_right, {&a, &b});
}
inline Expression operator==(const Expression& a, const Expression& b) {
  return apply(Op::equal, {&a, &b});
}
inline Expression operator!=(const Expression& a, const Expression& b) {
  return apply(Op::not_equal, {&a, &b});
}
inline Expression operator<(const Expression& a, const Expression& b) {
  return apply(Op::less, {&a, &b});
}
inline Expression operator<=(const Expression& a, const Expression& b) {
  return apply(Op::less_equal, {&a, &b});
}
inline Expression operator>(const Expression& a, const Expression& b) {
  return apply(Op::greater, {&a, &b});
}
inline Expression operator>=(const Expression& a, const Expression& b) {
  return apply(Op::greater_equal, {&a, &b});
}
inline Expression operator&&(const Expression& a, const Expression& b) {
  return apply(Op::logical_and, {&a, &b});
}
inline Expression operator||(const Expression& a, const Expression& b) {
  return apply(Op::logical_or, {&a, &b});
}
inline Expression operator-(const Expression& a) {
  return apply(Op::negate, {&a});
}
inline Expression operator+(const Expression& a) {
  return a;
}
inline Expression operator!(const Expression& a) {
  return apply(Op::logical_not, {&a});
}
inline Expression operator~(const Expression& a) {
  return apply(Op::bit_not, {&a});
}

// Functions of one value, NumPy's of the same name (lgamma, tgamma, rint: C's).
#define RTCG_UNARY_FUNCTION(name)               \
  inline Expression name(const Expression& x) { \
    return apply(Op::name, {&x});               \
  }
RTCG_UNARY_FUNCTION(sign)
RTCG_UNARY_FUNCTION(square)
RTCG_UNARY_FUNCTION(reciprocal)
RTCG_UNARY_FUNCTION(sqrt)
RTCG_UNARY_FUNCTION(rsqrt)
RTCG_UNARY_FUNCTION(cbrt)
RTCG_UNARY_FUNCTION(exp)
RTCG_UNARY_FUNCTION(exp2)
RTCG_UNARY_FUNCTION(expm1)
RTCG_UNARY_FUNCTION(log)
RTCG_UNARY_FUNCTION(log2)
RTCG_UNARY_FUNCTION(log10)
RTCG_UNARY_FUNCTION(log1p)
RTCG_UNARY_FUNCTION(sin)
RTCG_UNARY_FUNCTION(cos)
RTCG_UNARY_FUNCTION(tan)
RTCG_UNARY_FUNCTION(asin)
RTCG_UNARY_FUNCTION(acos)
RTCG_UNARY_FUNCTION(atan)
RTCG_UNARY_FUNCTION(sinh)
RTCG_UNARY_FUNCTION(cosh)
RTCG_UNARY_FUNCTION(tanh)
RTCG_UNARY_FUNCTION(asinh)
RTCG_UNARY_FUNCTION(acosh)
RTCG_UNARY_FUNCTION(atanh)
RTCG_UNARY_FUNCTION(erf)
RTCG_UNARY_FUNCTION(erfc)
RTCG_UNARY_FUNCTION(lgamma)
RTCG_UNARY_FUNCTION(tgamma)
RTCG_UNARY_FUNCTION(floor)
RTCG_UNARY_FUNCTION(ceil)
RTCG_UNARY_FUNCTION(trunc)
RTCG_UNARY_FUNCTION(rint)
RTCG_UNARY_FUNCTION(isnan)
RTCG_UNARY_FUNCTION(isinf)
RTCG_UNARY_FUNCTION(isfinite)
RTCG_UNARY_FUNCTION(real)
RTCG_UNARY_FUNCTION(imag)
RTCG_UNARY_FUNCTION(conj)
RTCG_UNARY_FUNCTION(arg)
#undef RTCG_UNARY_FUNCTION
inline Expression abs(const Expression& x) {
  return apply(Op::absolute, {&x});
}

#define RTCG_BINARY_FUNCTION(name)                                   \
  inline Expression name(const Expression& a, const Expression& b) { \
    return apply(Op::name, {&a, &b});                                \
  }
RTCG_BINARY_FUNCTION(floor_divide)
RTCG_BINARY_FUNCTION(power)
RTCG_BINARY_FUNCTION(minimum)  // NaN when either is
RTCG_BINARY_FUNCTION(maximum)
RTCG_BINARY_FUNCTION(fmin)  // the other when one is NaN
RTCG_BINARY_FUNCTION(fmax)
RTCG_BINARY_FUNCTION(atan2)
RTCG_BINARY_FUNCTION(hypot)
RTCG_BINARY_FUNCTION(copysign)
#undef RTCG_BINARY_FUNCTION
/// re + i im.
inline Expression make_complex(const Expression& re, const Expression& im) {
  return apply(Op::make_complex, {&re, &im});
}
/// condition ? a : b; the condition's type is tested against zero.
inline Expression where(const Expression& condition, const Expression& a, const Expression& b) {
  return apply(Op::where, {&condition, &a, &b});
}
inline Expression fma(const Expression& a, const Expression& b, const Expression& c) {
  return apply(Op::fma, {&a, &b, &c});
}
inline Expression clip(const Expression& x, const Expression& low, const Expression& high) {
  return apply(Op::clip, {&x, &low, &high});
}

/// int64 positions 0 ... size - 1 in C order; no storage.
Expression indices(const Shape& shape);
/// int64 index along one axis.
Expression index_along(const Shape& shape, int axis);
/// The value everywhere; no storage.
Expression replicate(const Expression& value, const Shape& shape);
/// source[i], elementwise over the integers `index`, from the flattened source; -n ... n-1. The source is materialised,
/// the result stays lazy. Indices outside give what lies at the clamped index, or a UsageError naming the first
/// offender in checked mode (set_checked).
Expression take(const Expression& source, const Expression& index);

/// Checked mode costs one pass over the indices and a wait for each take, put and scatter. Off unless set; per process.
void set_checked(bool on);
bool is_checked();

}  // namespace rtcg
