// Jacobi steps for Laplace's equation on a square with fixed edges; a thread takes several rows of a column and has all
// that it reads in flight at once.
#include "functions.cuh"

namespace rtcg::bench {

namespace {

constexpr int block_width = 128;

template <int Rows>
__global__ void jacobi_step(const float* u, float* next, int side) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) + 1;
  const int first = static_cast<int>(blockIdx.y) * Rows + 1;
  if (column >= side - 1) return;
  const float* at = u + static_cast<std::size_t>(first) * side + column;
  float* to = next + static_cast<std::size_t>(first) * side + column;
  float middle[Rows + 2], left[Rows], right[Rows];
#pragma unroll
  for (int row = 0; row < Rows + 2; ++row)
    if (first + row <= side) middle[row] = at[(row - 1) * side];
#pragma unroll
  for (int row = 0; row < Rows; ++row)
    if (first + row < side - 1) left[row] = at[row * side - 1], right[row] = at[row * side + 1];
#pragma unroll
  for (int row = 0; row < Rows; ++row)
    if (first + row < side - 1) to[row * side] = 0.25f * (middle[row] + middle[row + 2] + left[row] + right[row]);
}

}  // namespace

// The result is in `u` after an even number of steps; `scratch` has the same edges.
int copperhead_laplace(void* stream, float* u, float* scratch, int side, int steps) {
  const int columns = (side - 2 + block_width - 1) / block_width;
  for (int step = 0; step < steps; ++step) {
    if (side < 1024) {
      const dim3 blocks(columns, side - 2);
      jacobi_step<1><<<blocks, block_width, 0, static_cast<cudaStream_t>(stream)>>>(u, scratch, side);
    } else {
      const dim3 blocks(columns, (side - 2 + 7) / 8);
      jacobi_step<8><<<blocks, block_width, 0, static_cast<cudaStream_t>(stream)>>>(u, scratch, side);
    }
    float* const swapped = u;
    u = scratch;
    scratch = swapped;
  }
  return cudaGetLastError();
}

}  // namespace rtcg::bench
