// Built with -O3 -march=native -fopenmp.
#include "apps/rtcg-bench/peers/openmp_peers.h"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace rtcg::bench {

namespace {

struct Part {
  std::size_t first, last;
};

/// This thread's contiguous part of n.
Part own_part(std::size_t n) {
  const auto thread = static_cast<std::size_t>(omp_get_thread_num());
  const auto threads = static_cast<std::size_t>(omp_get_num_threads());
  return {n * thread / threads, n * (thread + 1) / threads};
}

/// `count(i)` gives the bin of element i, 256 for none; every thread counts for itself.
template <class Bin>
void histogram(std::size_t n, std::uint32_t* counts, Bin bin) {
  std::fill(counts, counts + 256, 0u);
#pragma omp parallel
  {
    std::uint32_t own[257] = {};
    const Part part = own_part(n);
    for (std::size_t i = part.first; i < part.last; ++i) ++own[bin(i)];
#pragma omp critical
    for (int b = 0; b < 256; ++b) counts[b] += own[b];
  }
}

}  // namespace

void openmp_axpby(float a, const float* x, float b, const float* y, float* z, std::size_t n) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < n; ++i) z[i] = a * x[i] + b * y[i];
}

void openmp_fused(const float* x, const float* y, float* z, std::size_t n) {
#pragma omp parallel for simd schedule(static)
  for (std::size_t i = 0; i < n; ++i) z[i] = 0.5f * std::sqrt(x[i] * x[i] + y[i] * y[i]) + std::max(x[i] - y[i], 0.25f);
}

float openmp_sum(const float* x, std::size_t n) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

float openmp_dot(const float* x, const float* y, std::size_t n) {
  float sum = 0;
#pragma omp parallel for simd reduction(+ : sum) schedule(static)
  for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

void openmp_inclusive_sum(const float* x, float* y, std::size_t n) {
  std::vector<float> sums(static_cast<std::size_t>(omp_get_max_threads()) + 1);
#pragma omp parallel
  {
    const Part part = own_part(n);
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    float sum = 0;
    // The last part's sum is not needed.
    if (part.last < n) {
#pragma omp simd reduction(+ : sum)
      for (std::size_t i = part.first; i < part.last; ++i) sum += x[i];
    }
    sums[thread + 1] = sum;
#pragma omp barrier
    float carry = 0;
    for (std::size_t t = 0; t <= thread; ++t) carry += sums[t];
    for (std::size_t i = part.first; i < part.last; ++i) y[i] = carry += x[i];
  }
}

std::size_t openmp_select_positive(const float* x, float* y, std::size_t n) {
  std::vector<std::size_t> counts(static_cast<std::size_t>(omp_get_max_threads()) + 1);
  std::size_t total = 0;
#pragma omp parallel
  {
    const Part part = own_part(n);
    const auto thread = static_cast<std::size_t>(omp_get_thread_num());
    std::size_t count = 0;
    for (std::size_t i = part.first; i < part.last; ++i) count += x[i] > 0;
    counts[thread + 1] = count;
#pragma omp barrier
    std::size_t at = 0;
    for (std::size_t t = 0; t <= thread; ++t) at += counts[t];
    for (std::size_t i = part.first; i < part.last; ++i)
      if (x[i] > 0) y[at++] = x[i];
    if (part.last == n) total = at;
  }
  return total;
}

void openmp_histogram_bytes(const std::uint8_t* x, std::uint32_t* counts, std::size_t n) {
  histogram(n, counts, [=](std::size_t i) { return static_cast<unsigned>(x[i]); });
}

void openmp_histogram_floats(const float* x, std::uint32_t* counts, float lower, float upper, std::size_t n) {
  const float scale = 256 / (upper - lower);
  histogram(n, counts, [=](std::size_t i) {
    const float place = (x[i] - lower) * scale;
    return place >= 0 && x[i] < upper ? std::min(static_cast<unsigned>(place), 255u) : 256u;
  });
}

void openmp_spmv(const int* starts, const int* columns, const double* values, const double* x, double* y,
                 std::size_t rows) {
#pragma omp parallel for schedule(static)
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; ++k) sum += values[k] * x[columns[k]];
    y[row] = sum;
  }
}

}  // namespace rtcg::bench
