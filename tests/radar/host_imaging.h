// Independent answers for radar tests: the definitions of radar/pulses.h and radar/backprojection.h as plain sums in
// double precision on the host, without any range bins.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "radar/image.h"
#include "radar/pulses.h"
#include "radar/simulate.h"
#include "radar/window.h"

namespace rtcg::radar::test {

using Complex = std::complex<double>;

inline double phase_per_metre(const Collection& c, std::size_t pulse, std::size_t sample) {
  const double frequency = c.first_frequency[pulse] + static_cast<double>(sample) * c.frequency_step[pulse];
  return 4 * std::numbers::pi * frequency / speed_of_light;
}

/// [pulse][sample]
inline std::vector<Complex> host_history(const Collection& c, const std::vector<PointTarget>& targets) {
  std::vector<Complex> history(c.pulses() * c.samples);
  for (std::size_t p = 0; p < c.pulses(); ++p)
    for (std::size_t k = 0; k < c.samples; ++k)
      for (const PointTarget& target : targets) {
        const double range = (c.antenna[p] - target.position).norm() - c.reference_range[p];
        history[p * c.samples + k] += target.amplitude * std::polar(1.0, -phase_per_metre(c, p, k) * range);
      }
  return history;
}

struct HostOptions {
  Window range_window, azimuth_window;
  bool ramp = false, autofocus = true;
};

/// The matched filter at one place: what backprojection tends to with ever finer range bins.
inline Complex matched_filter(PulseSource& source, const Vec3& place, const HostOptions& options = {}) {
  const Collection& c = source.collection();
  const auto range_weights = weights(options.range_window, c.samples),
             azimuth_weights = weights(options.azimuth_window, c.pulses());
  std::vector<std::complex<float>> samples(c.samples);
  Complex sum = 0;
  for (std::size_t p = 0; p < c.pulses(); ++p) {
    source.read(p, 1, samples);
    double range = (c.antenna[p] - place).norm() - c.reference_range[p], phase = 0;
    if (options.autofocus && !c.range_correction.empty()) range -= c.range_correction[p];
    if (options.autofocus && !c.phase_correction.empty()) phase = c.phase_correction[p];
    const double middle =
        phase_per_metre(c, p, 0) + 0.5 * (phase_per_metre(c, p, c.samples - 1) - phase_per_metre(c, p, 0));
    for (std::size_t k = 0; k < c.samples; ++k) {
      const double weight =
          range_weights[k] * azimuth_weights[p] * (options.ramp ? phase_per_metre(c, p, k) / middle : 1);
      sum += weight * Complex(samples[k]) * std::polar(1.0, phase_per_metre(c, p, k) * range + phase);
    }
  }
  return sum;
}

inline Image host_image(PulseSource& source, const ImageGrid& grid, const HostOptions& options = {}) {
  Image image{grid, {}};
  for (std::size_t k = 0; k < grid.nz; ++k)
    for (std::size_t j = 0; j < grid.ny; ++j)
      for (std::size_t i = 0; i < grid.nx; ++i)
        image.pixels.push_back(matched_filter(source, grid.position(i, j, k), options));
  return image;
}

}  // namespace rtcg::radar::test
