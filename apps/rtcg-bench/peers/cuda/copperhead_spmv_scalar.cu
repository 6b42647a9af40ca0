// y = A x for a CSR matrix, one thread a row.
#include "functions.cuh"

namespace rtcg::bench {

namespace {

__global__ void spmv(const int* __restrict__ starts, const int* __restrict__ columns, const float* __restrict__ values,
                     const float* __restrict__ x, float* y, int rows) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  float sum = 0.0f;
  const int end = starts[row + 1];
  for (int k = starts[row]; k < end; ++k) sum += values[k] * x[columns[k]];
  y[row] = sum;
}

}  // namespace

int copperhead_spmv_scalar(void* stream, const int* starts, const int* columns, const float* values, const float* x,
                           float* y, int rows) {
  const int block = 256;
  const int blocks = (rows + block - 1) / block;
  spmv<<<blocks, block, 0, static_cast<cudaStream_t>(stream)>>>(starts, columns, values, x, y, rows);
  return cudaGetLastError();
}

}  // namespace rtcg::bench
