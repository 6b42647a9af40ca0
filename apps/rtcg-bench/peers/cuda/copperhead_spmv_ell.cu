// y = A x for an ELLPACK matrix: column k of every row lies together, so that threads of a warp read side by side.
#include "functions.cuh"

namespace rtcg::bench {

namespace {

__global__ void spmv(const int* __restrict__ columns, const float* __restrict__ values, const float* __restrict__ x,
                     float* y, int rows, int width) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = 0; k < width; ++k) {
    const std::size_t at = static_cast<std::size_t>(k) * rows + row;
    sum += values[at] * x[columns[at]];
  }
  y[row] = sum;
}

}  // namespace

int copperhead_spmv_ell(void* stream, const int* columns, const float* values, const float* x, float* y, int rows,
                        int width) {
  const int block = 256;
  const int blocks = (rows + block - 1) / block;
  spmv<<<blocks, block, 0, static_cast<cudaStream_t>(stream)>>>(columns, values, x, y, rows, width);
  return cudaGetLastError();
}

}  // namespace rtcg::bench
