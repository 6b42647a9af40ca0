// A small collection whose every value is known: what the tests of the file formats write and expect back.
#pragma once

#include <cmath>
#include <numbers>

#include "radar/pulses.h"

namespace rtcg::radar {

/// The phase history of unit points at `targets` exactly as radar/pulses.h defines it.
inline std::vector<std::complex<float>> phase_history(const Collection& c, const std::vector<Vec3>& targets) {
  std::vector<std::complex<float>> samples;
  for (std::size_t p = 0; p < c.pulses(); ++p)
    for (std::size_t k = 0; k < c.samples; ++k) {
      const double f = c.first_frequency[p] + static_cast<double>(k) * c.frequency_step[p];
      std::complex<double> sum = 0;
      for (const Vec3& target : targets)
        sum += std::polar(
            1.0, -4 * std::numbers::pi * f * ((c.antenna[p] - target).norm() - c.reference_range[p]) / speed_of_light);
      samples.emplace_back(sum);
    }
  return samples;
}

/// An arc of `pulses` about the z axis, `samples` frequencies about 10 GHz; slightly different band from pulse to
/// pulse.
inline Collection example_collection(std::size_t pulses = 7, std::size_t samples = 9) {
  Collection c;
  c.samples = samples;
  for (std::size_t p = 0; p < pulses; ++p) {
    const double azimuth = 0.3 + 0.001 * static_cast<double>(p);
    c.antenna.emplace_back(7000 * std::cos(azimuth), 7000 * std::sin(azimuth), 7100);
    c.reference_range.push_back(c.antenna.back().norm());
    c.first_frequency.push_back(9.9e9 + 10.0 * static_cast<double>(p));
    c.frequency_step.push_back(1.5e6);
  }
  c.description = "example";
  return c;
}

inline StoredPulses example_pulses(std::size_t pulses = 7, std::size_t samples = 9) {
  Collection c = example_collection(pulses, samples);
  std::vector<std::complex<float>> history = phase_history(c, {{3, -2, 0}, {0, 5, 1}});
  return {std::move(c), std::move(history)};
}

inline std::vector<std::complex<float>> read_all(PulseSource& source) {
  std::vector<std::complex<float>> samples(source.collection().pulses() * source.collection().samples);
  source.read(0, source.collection().pulses(), samples);
  return samples;
}

}  // namespace rtcg::radar
