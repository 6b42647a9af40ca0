#include <cub/device/device_radix_sort.cuh>

#include "functions.cuh"
#include "scratch.cuh"

namespace rtcg::bench {

int cub_sort_keys(void* stream, const std::uint32_t* keys, std::uint32_t* sorted, std::size_t n) {
  static Scratch scratch;
  return scratch([=](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortKeys(storage, bytes, keys, sorted, static_cast<int>(n), 0, 32,
                                          static_cast<cudaStream_t>(stream));
  });
}

int cub_sort_pairs(void* stream, const std::uint32_t* keys, std::uint32_t* sorted, const std::uint32_t* values,
                   std::uint32_t* sorted_values, std::size_t n) {
  static Scratch scratch;
  return scratch([=](void* storage, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, keys, sorted, values, sorted_values, static_cast<int>(n), 0,
                                           32, static_cast<cudaStream_t>(stream));
  });
}

}  // namespace rtcg::bench
