#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <cub/device/device_transform.cuh>
#include <cuda/std/tuple>

#include "functions.cuh"
#include "scratch.cuh"

namespace rtcg::bench {

namespace {

struct Axpby {
  float a, b;
  __device__ float operator()(float x, float y) const { return a * x + b * y; }
};

struct Product {
  const float *x, *y;
  __device__ float operator()(int i) const { return x[i] * y[i]; }
};

struct Positive {
  __device__ bool operator()(float x) const { return x > 0.0f; }
};

}  // namespace

int cub_axpby(void* stream, float a, const float* x, float b, const float* y, float* z, std::size_t n) {
  return cub::DeviceTransform::Transform(cuda::std::make_tuple(x, y), z, static_cast<int>(n), Axpby{a, b},
                                         static_cast<cudaStream_t>(stream));
}

int cub_sum(void* stream, const float* x, float* result, std::size_t n) {
  static Scratch scratch;
  return scratch([=](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(storage, bytes, x, result, static_cast<int>(n), static_cast<cudaStream_t>(stream));
  });
}

int cub_dot(void* stream, const float* x, const float* y, float* result, std::size_t n) {
  static Scratch scratch;
  const auto products = thrust::make_transform_iterator(thrust::counting_iterator<int>(0), Product{x, y});
  return scratch([=](void* storage, std::size_t& bytes) {
    return cub::DeviceReduce::Sum(storage, bytes, products, result, static_cast<int>(n),
                                  static_cast<cudaStream_t>(stream));
  });
}

int cub_inclusive_sum(void* stream, const float* x, float* y, std::size_t n) {
  static Scratch scratch;
  return scratch([=](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(storage, bytes, x, y, static_cast<int>(n), static_cast<cudaStream_t>(stream));
  });
}

int cub_select_positive(void* stream, const float* x, float* y, std::uint32_t* count, std::size_t n) {
  static Scratch scratch;
  return scratch([=](void* storage, std::size_t& bytes) {
    return cub::DeviceSelect::If(storage, bytes, x, y, count, static_cast<int>(n), Positive{},
                                 static_cast<cudaStream_t>(stream));
  });
}

}  // namespace rtcg::bench
