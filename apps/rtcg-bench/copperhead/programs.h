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

/// How many steps z = z z + c stays within |z| <= 2, at most `limit`, over [-2, 1] x [-1.5, 1.5]; int32 (side, side).
Array mandelbrot(const Stream& stream, int side, int limit);

/// A x for a CSR matrix. Held against one thread a row (scalar CSR) and one warp a row (vector CSR).
Array spmv_csr(const Array& starts, const Array& columns, const Array& values, const Array& x);

/// A x for an ELLPACK matrix: columns and values are (entries of a row, rows), padded with zeros.
Array spmv_ell(const Array& columns, const Array& values, const Array& x);

/// Ascending, by 32 stable passes of one bit: a scan gives every key its place, then the keys move. uint32.
Array radix_sort(Array keys);

/// Preconditioned conjugate gradients for optical flow (Horn and Schunck): per pixel a symmetric 2 x 2 block [a b; b c]
/// on the diagonal and -w towards its four neighbours, zero outside; the preconditioner inverts the blocks. a, b, c:
/// (height, width); `right` and the result: (2, height, width), u then v.
Array flow_cg(const Array& a, const Array& b, const Array& c, float w, const Array& right, int iterations);

}  // namespace rtcg::bench
