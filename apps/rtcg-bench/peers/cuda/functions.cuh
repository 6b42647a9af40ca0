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

}  // namespace rtcg::bench
