// How many steps z = z z + c stays within |z| <= 2, at most `limit`, over [-2, 1] x [-1.5, 1.5].
#include "functions.cuh"

namespace rtcg::bench {

namespace {

__global__ void mandelbrot(int* steps, int side, int limit) {
  const int column = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int row = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (column >= side || row >= side) return;
  const float spacing = 3.0f / static_cast<float>(side);
  const float re = -2.0f + spacing * static_cast<float>(column);
  const float im = -1.5f + spacing * static_cast<float>(row);
  float x = 0.0f, y = 0.0f;
  int step = 0;
  for (; step < limit; ++step) {
    const float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f) break;
    y = 2.0f * x * y + im;
    x = xx - yy + re;
  }
  steps[static_cast<std::size_t>(row) * side + column] = step;
}

}  // namespace

int copperhead_mandelbrot(void* stream, int* steps, int side, int limit) {
  const dim3 block(32, 4);
  const dim3 blocks((side + block.x - 1) / block.x, (side + block.y - 1) / block.y);
  mandelbrot<<<blocks, block, 0, static_cast<cudaStream_t>(stream)>>>(steps, side, limit);
  return cudaGetLastError();
}

}  // namespace rtcg::bench
