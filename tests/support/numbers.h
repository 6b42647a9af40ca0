// What a device computes, on the host: integers exactly, real and complex numbers in long double together with a bound
// of what a device may differ by. Where rounding decides (a comparison too close to call, a floor at an integer, a
// domain error) a number is unknown.
#pragma once

#include <complex>
#include <vector>

#include "rtcg/array/operations.h"

namespace rtcg::test {

/// Holds the product of any two elements.
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

struct Number {
  Wide whole = 0;                   ///< of bool and integers
  std::complex<long double> z = 0;  ///< of the others
  long double error = 0;            ///< bound of |device's - z|
  bool unknown = false;
};
using Numbers = std::vector<Number>;

/// Rounds to what a register of this type holds, with its error.
Number rounded(Number x, Dtype type, long double steps = 1);
Number operate(Op op, Dtype operand, Dtype result, const Number* x);
Number converted(const Number& x, Dtype from, Dtype to);

}  // namespace rtcg::test
