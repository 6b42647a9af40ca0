// Competitors that need nvcc: CUB and hand-written CUDA, in a shared library of their own beside the program, so that
// the suite itself neither needs nvcc nor links the CUDA runtime. Every function queues onto a CUstream, takes device
// addresses and returns a cudaError_t; scratch memory is kept from call to call.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rtcg::bench {

struct CudaPeers {
  // CUB
  int (*axpby)(void* stream, float a, const float* x, float b, const float* y, float* z, std::size_t n);
  int (*sum)(void* stream, const float* x, float* result, std::size_t n);
  int (*dot)(void* stream, const float* x, const float* y, float* result, std::size_t n);
  int (*inclusive_sum)(void* stream, const float* x, float* y, std::size_t n);
  int (*select_positive)(void* stream, const float* x, float* y, std::uint32_t* count, std::size_t n);
  int (*sort_keys)(void* stream, const std::uint32_t* keys, std::uint32_t* sorted, std::size_t n);
  int (*sort_pairs)(void* stream, const std::uint32_t* keys, std::uint32_t* sorted, const std::uint32_t* values,
                    std::uint32_t* sorted_values, std::size_t n);
  int (*histogram_bytes)(void* stream, const std::uint8_t* x, std::uint32_t* counts, std::size_t n);
  /// 256 bins over [lower, upper).
  int (*histogram_floats)(void* stream, const float* x, std::uint32_t* counts, float lower, float upper, std::size_t n);
  // Copperhead's programs by hand; the files of cuda/ say what each computes.
  int (*axpy)(void* stream, float a, const float* x, const float* y, float* z, std::size_t n);
  int (*black_scholes)(void* stream, const float* stock, const float* strike, const float* years, float rate,
                       float volatility, float* call, float* put, std::size_t n);
  int (*mandelbrot)(void* stream, int* steps, int side, int limit);
  int (*laplace)(void* stream, float* u, float* scratch, int side, int steps);
  int (*radix_sort)(void* stream, std::uint32_t* keys, std::uint32_t* scratch, std::uint32_t* ones, std::size_t n);
  int (*spmv_scalar)(void* stream, const int* starts, const int* columns, const float* values, const float* x, float* y,
                     int rows);
  int (*spmv_vector)(void* stream, const int* starts, const int* columns, const float* values, const float* x, float* y,
                     int rows);
  int (*spmv_ell)(void* stream, const int* columns, const float* values, const float* x, float* y, int rows, int width);
  int (*flow_cg)(void* stream, const float* a, const float* b, const float* c, float w, float* r, float* x, float* p,
                 float* q, int width, int height, int iterations);
};

}  // namespace rtcg::bench

#ifndef __CUDACC__
#include <string>
#include <type_traits>

#include "rtcg/device/buffer.h"

namespace rtcg::bench {

/// nullptr where the device is not CUDA's or the build had no nvcc (RTCG_WITH_CUDA_PEERS).
const CudaPeers* cuda_peers(const Device& device);

template <class Parameter, class Value>
Parameter peer_argument(const Value& value) {
  if constexpr (std::is_same_v<Value, Buffer>)
    return reinterpret_cast<Parameter>(value.native());
  else
    return static_cast<Parameter>(value);
}

/// Calls a competitor; Buffers become device addresses. Throws DeviceError when it fails.
template <class... Parameters, class... Values>
void call_peer(int (*peer)(void*, Parameters...), const Stream& stream, const Values&... values) {
  const int status = peer(reinterpret_cast<void*>(stream.native()), peer_argument<Parameters>(values)...);
  if (status != 0) throw DeviceError("a CUDA peer failed with CUDA error " + std::to_string(status));
}

}  // namespace rtcg::bench
#endif
