// 32 stable passes of one bit: a scan of the bit gives every key its place, then the keys move.
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include "functions.cuh"
#include "scratch.cuh"

namespace rtcg::bench {

namespace {

struct Bit {
  int place;
  __device__ std::uint32_t operator()(std::uint32_t key) const { return key >> place & 1; }
};

__global__ void permute(const std::uint32_t* keys, const std::uint32_t* ones, std::uint32_t* moved, int place,
                        std::uint32_t n) {
  const std::uint32_t first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first >= n) return;
  const std::uint32_t zeros = n - ones[n - 1];
  std::uint32_t key[4], one[4];
  const std::uint32_t count = min(4u, n - first);
  if (count == 4) {
    *reinterpret_cast<uint4*>(key) = *reinterpret_cast<const uint4*>(keys + first);
    *reinterpret_cast<uint4*>(one) = *reinterpret_cast<const uint4*>(ones + first);
  } else {
    for (std::uint32_t k = 0; k < count; ++k) key[k] = keys[first + k], one[k] = ones[first + k];
  }
#pragma unroll
  for (std::uint32_t k = 0; k < 4; ++k)
    if (k < count) moved[key[k] >> place & 1 ? zeros + one[k] - 1 : first + k - one[k]] = key[k];
}

}  // namespace

int copperhead_radix_sort(void* stream, std::uint32_t* keys, std::uint32_t* scratch, std::uint32_t* ones,
                          std::size_t n) {
  static Scratch storage;
  const int block = 256;
  const auto blocks = static_cast<unsigned>(((n + 3) / 4 + block - 1) / block);
  for (int place = 0; place < 32; ++place) {
    const auto bits = thrust::make_transform_iterator(keys, Bit{place});
    const int status = storage([=](void* temporary, std::size_t& bytes) {
      return cub::DeviceScan::InclusiveSum(temporary, bytes, bits, ones, static_cast<int>(n),
                                           static_cast<cudaStream_t>(stream));
    });
    if (status != 0) return status;
    permute<<<blocks, block, 0, static_cast<cudaStream_t>(stream)>>>(keys, ones, scratch, place,
                                                                     static_cast<std::uint32_t>(n));
    std::uint32_t* const swapped = keys;
    keys = scratch;
    scratch = swapped;
  }
  return cudaGetLastError();
}

}  // namespace rtcg::bench
