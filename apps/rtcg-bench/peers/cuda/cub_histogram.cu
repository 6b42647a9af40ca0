#include <cub/device/device_histogram.cuh>

#include "functions.cuh"
#include "scratch.cuh"

namespace rtcg::bench {

int cub_histogram_bytes(void* stream, const std::uint8_t* x, std::uint32_t* counts, std::size_t n) {
  static Scratch scratch;
  return scratch([=](void* storage, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(storage, bytes, x, counts, 257, 0, 256, static_cast<int>(n),
                                               static_cast<cudaStream_t>(stream));
  });
}

int cub_histogram_floats(void* stream, const float* x, std::uint32_t* counts, float lower, float upper, std::size_t n) {
  static Scratch scratch;
  return scratch([=](void* storage, std::size_t& bytes) {
    return cub::DeviceHistogram::HistogramEven(storage, bytes, x, counts, 257, lower, upper, static_cast<int>(n),
                                               static_cast<cudaStream_t>(stream));
  });
}

}  // namespace rtcg::bench
