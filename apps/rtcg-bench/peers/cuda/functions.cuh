// Declarations of the entries of CudaPeers; cuda_peers.h says what they do.
#pragma once

#include "../cuda_peers.h"

namespace rtcg::bench {

int cub_axpby(void* stream, float a, const float* x, float b, const float* y, float* z, std::size_t n);
int cub_sum(void* stream, const float* x, float* result, std::size_t n);
int cub_dot(void* stream, const float* x, const float* y, float* result, std::size_t n);
int cub_inclusive_sum(void* stream, const float* x, float* y, std::size_t n);
int cub_select_positive(void* stream, const float* x, float* y, std::uint32_t* count, std::size_t n);
int cub_sort_keys(void* stream, const std::uint32_t* keys, std::uint32_t* sorted, std::size_t n);
int cub_sort_pairs(void* stream, const std::uint32_t* keys, std::uint32_t* sorted, const std::uint32_t* values,
                   std::uint32_t* sorted_values, std::size_t n);
int cub_histogram_bytes(void* stream, const std::uint8_t* x, std::uint32_t* counts, std::size_t n);
int cub_histogram_floats(void* stream, const float* x, std::uint32_t* counts, float lower, float upper, std::size_t n);
int copperhead_axpy(void* stream, float a, const float* x, const float* y, float* z, std::size_t n);
int copperhead_black_scholes(void* stream, const float* stock, const float* strike, const float* years, float rate,
                             float volatility, float* call, float* put, std::size_t n);
int copperhead_mandelbrot(void* stream, int* steps, int side, int limit);
int copperhead_laplace(void* stream, float* u, float* scratch, int side, int steps);
int copperhead_radix_sort(void* stream, std::uint32_t* keys, std::uint32_t* scratch, std::uint32_t* ones,
                          std::size_t n);
int copperhead_spmv_scalar(void* stream, const int* starts, const int* columns, const float* values, const float* x,
                           float* y, int rows);
int copperhead_spmv_vector(void* stream, const int* starts, const int* columns, const float* values, const float* x,
                           float* y, int rows);
int copperhead_spmv_ell(void* stream, const int* columns, const float* values, const float* x, float* y, int rows,
                        int width);
int copperhead_flow_cg(void* stream, const float* a, const float* b, const float* c, float w, float* r, float* x,
                       float* p, float* q, int width, int height, int iterations);

}  // namespace rtcg::bench
