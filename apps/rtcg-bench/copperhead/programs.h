// Copperhead's sample programs in this suite's words, one file each so that their lines can be counted; the
// hand-written CUDA that each is held against is peers/cuda/copperhead_NAME.cu and computes the same from the same
// inputs.
#pragma once

#include <cstdint>
#include <vector>

#include "rtcg/array/array.h"

namespace rtcg::bench {

/// a x + y.
Array axpy(float a, const Array& x, const Array& y);

/// European call and put prices; the normal distribution by the polynomial 26.2.17 of Abramowitz and Stegun.
std::vector<Array> black_scholes(const Array& stock, const Array& strike, const Array& years, float rate,
                                 float volatility);

/// Jacobi steps for Laplace's equation on a square with fixed edges; the result is in `u` after an even number of
/// them. `scratch` has the same edges.
void laplace(const Array& u, const Array& scratch, int steps);

}  // namespace rtcg::bench
