// Hand-written competitors, as one would write them without a generator.
#pragma once

#include <complex>
#include <vector>

namespace rtcg::bench {

/// The textbook kernel: one pixel per work-item, straight sqrt, sincos, linear interpolation, all in single precision.
/// profile[p][nfft]; pulse[p] = {antenna x, y, z, r0}.
inline constexpr const char* plain_backprojection = R"(
kernel void plain_backprojection(global const float2* profile, global const float4* pulse, global float2* image, int pulses, int nfft, int nx, int ny,
                                 float spacing, float bins_per_metre, float wavenumber) {
  const int ix = (int)get_global_id(0), iy = (int)get_global_id(1);
  if (ix >= nx || iy >= ny) return;
  const float x = ((float)ix - 0.5f * (float)(nx - 1)) * spacing, y = ((float)iy - 0.5f * (float)(ny - 1)) * spacing;
  float re = 0.0f, im = 0.0f;
  for (int p = 0; p < pulses; ++p) {
    const float4 a = pulse[p];
    const float dx = x - a.x, dy = y - a.y, dz = a.z;
    const float difference = sqrt(dx * dx + dy * dy + dz * dz) - a.w;
    const float bin = difference * bins_per_metre + 0.5f * (float)nfft;
    const int cell = (int)floor(bin);
    if (cell >= 0 && cell + 1 < nfft) {
      const float w = bin - (float)cell;
      const float2 u = profile[(size_t)p * nfft + cell], v = profile[(size_t)p * nfft + cell + 1];
      const float sr = u.x + w * (v.x - u.x), si = u.y + w * (v.y - u.y);
      float s, c;
      rtcg_sincos(wavenumber * difference, &s, &c);
      re += sr * c - si * s;
      im += sr * s + si * c;
    }
  }
  image[(size_t)iy * nx + ix] = make_float2(re, im);
}
)";

struct PlainProblem {
  std::size_t pulses, nfft, nx, ny;
  float spacing, bins_per_metre, wavenumber;
  const std::complex<float>* profile;  ///< [pulses][nfft]
  const float* pulse;                  ///< [pulses][4]: antenna x, y, z, r0
};

/// The same in C++, all cores: what -O3 -march=native makes of it.
void openmp_backprojection(const PlainProblem& problem, std::vector<std::complex<float>>& image);

}  // namespace rtcg::bench
