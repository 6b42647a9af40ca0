// What plain C++ reaches on the host's cores: built with -O3 -march=native and OpenMP, as a careful user would.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rtcg::bench {

void openmp_axpby(float a, const float* x, float b, const float* y, float* z, std::size_t n);
/// 0.5 sqrt(x x + y y) + max(x - y, 0.25)
void openmp_fused(const float* x, const float* y, float* z, std::size_t n);
float openmp_sum(const float* x, std::size_t n);
float openmp_dot(const float* x, const float* y, std::size_t n);
void openmp_inclusive_sum(const float* x, float* y, std::size_t n);
/// Returns how many were kept, in order.
std::size_t openmp_select_positive(const float* x, float* y, std::size_t n);
/// std::sort with the parallel policy where the library has one (TBB), else the parallel mode of libstdc++.
void parallel_sort(std::uint32_t* keys, std::size_t n);
const char* parallel_sort_name();
void openmp_histogram_bytes(const std::uint8_t* x, std::uint32_t* counts, std::size_t n);
/// 256 bins over [lower, upper); what lies outside is left out.
void openmp_histogram_floats(const float* x, std::uint32_t* counts, float lower, float upper, std::size_t n);
void openmp_spmv(const int* starts, const int* columns, const double* values, const double* x, double* y,
                 std::size_t rows);

}  // namespace rtcg::bench
