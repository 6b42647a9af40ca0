// z = a x + y, four elements a thread.
#include "functions.cuh"

namespace rtcg::bench {

namespace {

__global__ void axpy(float a, const float* x, const float* y, float* z, std::size_t n) {
  const std::size_t quad = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (4 * quad + 3 < n) {
    const float4 u = reinterpret_cast<const float4*>(x)[quad];
    const float4 v = reinterpret_cast<const float4*>(y)[quad];
    reinterpret_cast<float4*>(z)[quad] = make_float4(a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w);
  } else {
    for (std::size_t i = 4 * quad; i < n; ++i) z[i] = a * x[i] + y[i];
  }
}

}  // namespace

int copperhead_axpy(void* stream, float a, const float* x, const float* y, float* z, std::size_t n) {
  const int block = 256;
  const std::size_t quads = (n + 3) / 4;
  const auto blocks = static_cast<unsigned>((quads + block - 1) / block);
  axpy<<<blocks, block, 0, static_cast<cudaStream_t>(stream)>>>(a, x, y, z, n);
  return cudaGetLastError();
}

}  // namespace rtcg::bench
