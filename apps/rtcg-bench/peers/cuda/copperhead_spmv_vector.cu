// y = A x for a CSR matrix, one warp a row.
#include "functions.cuh"

namespace rtcg::bench {

namespace {

__global__ void spmv(const int* __restrict__ starts, const int* __restrict__ columns, const float* __restrict__ values,
                     const float* __restrict__ x, float* y, int rows) {
  const int row = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32);
  const int lane = static_cast<int>(threadIdx.x % 32);
  if (row >= rows) return;
  float sum = 0.0f;
  const int end = starts[row + 1];
  for (int k = starts[row] + lane; k < end; k += 32) sum += values[k] * x[columns[k]];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane == 0) y[row] = sum;
}

}  // namespace

int copperhead_spmv_vector(void* stream, const int* starts, const int* columns, const float* values, const float* x,
                           float* y, int rows) {
  const int block = 256;
  const int rows_per_block = block / 32;
  const int blocks = (rows + rows_per_block - 1) / rows_per_block;
  spmv<<<blocks, block, 0, static_cast<cudaStream_t>(stream)>>>(starts, columns, values, x, y, rows);
  return cudaGetLastError();
}

}  // namespace rtcg::bench
