// Built with -O3 -march=native -fopenmp.
#include <cmath>

#include "apps/rtcg-bench/kernels.h"

namespace rtcg::bench {

void openmp_backprojection(const PlainProblem& problem, std::vector<std::complex<float>>& image) {
  const auto nx = static_cast<std::ptrdiff_t>(problem.nx), ny = static_cast<std::ptrdiff_t>(problem.ny);
  const int nfft = static_cast<int>(problem.nfft);
#pragma omp parallel for schedule(dynamic)
  for (std::ptrdiff_t iy = 0; iy < ny; ++iy) {
    for (std::ptrdiff_t ix = 0; ix < nx; ++ix) {
      const float x = (static_cast<float>(ix) - 0.5f * static_cast<float>(nx - 1)) * problem.spacing;
      const float y = (static_cast<float>(iy) - 0.5f * static_cast<float>(ny - 1)) * problem.spacing;
      float re = 0, im = 0;
      for (std::size_t p = 0; p < problem.pulses; ++p) {
        const float* a = problem.pulse + 4 * p;
        const float dx = x - a[0], dy = y - a[1], dz = a[2];
        const float difference = std::sqrt(dx * dx + dy * dy + dz * dz) - a[3];
        const float bin = difference * problem.bins_per_metre + 0.5f * static_cast<float>(nfft);
        const int cell = static_cast<int>(std::floor(bin));
        if (cell >= 0 && cell + 1 < nfft) {
          const float w = bin - static_cast<float>(cell);
          const std::complex<float> u = problem.profile[p * problem.nfft + static_cast<std::size_t>(cell)];
          const std::complex<float> v = problem.profile[p * problem.nfft + static_cast<std::size_t>(cell) + 1];
          const float sr = u.real() + w * (v.real() - u.real()), si = u.imag() + w * (v.imag() - u.imag());
          const float s = std::sin(problem.wavenumber * difference), c = std::cos(problem.wavenumber * difference);
          re += sr * c - si * s;
          im += sr * s + si * c;
        }
      }
      image[static_cast<std::size_t>(iy * nx + ix)] = {re, im};
    }
  }
}

}  // namespace rtcg::bench
