#include "dgfem/output/spectrum.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "rtcg/array/array.h"
#include "rtcg/array/fourier.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

namespace {

constexpr double turn = 2 * std::numbers::pi;

struct Windowed {
  std::vector<double> values;
  double weight = 0;  ///< sum of the window
};

Windowed windowed(std::span<const double> samples) {
  const std::size_t n = samples.size();
  Windowed result{std::vector<double>(n), 0};
  double mean = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double at = turn * (static_cast<double>(k) + 0.5) / static_cast<double>(n);
    const double window = 0.35875 - 0.48829 * std::cos(at) + 0.14128 * std::cos(2 * at) - 0.01168 * std::cos(3 * at);
    result.values[k] = window;
    result.weight += window;
    mean += window * samples[k];
  }
  mean /= result.weight;
  for (std::size_t k = 0; k < n; ++k) result.values[k] *= samples[k] - mean;
  return result;
}

/// The amplitude at any frequency, in cycles per sample.
double amplitude_at(const Windowed& samples, double frequency) {
  std::complex<double> total = 0;
  for (std::size_t k = 0; k < samples.values.size(); ++k)
    total += std::polar(samples.values[k], -turn * frequency * static_cast<double>(k));
  return 2 * std::abs(total) / samples.weight;
}

/// Where the one maximum between two frequencies is (golden section).
double highest_between(const Windowed& samples, double low, double high) {
  constexpr double ratio = 0.6180339887498949;
  double a = high - ratio * (high - low), b = low + ratio * (high - low);
  double at_a = amplitude_at(samples, a), at_b = amplitude_at(samples, b);
  for (int step = 0; step < 36; ++step) {
    if (at_a < at_b) {
      low = a, a = b, at_a = at_b;
      at_b = amplitude_at(samples, b = low + ratio * (high - low));
    } else {
      high = b, b = a, at_b = at_a;
      at_a = amplitude_at(samples, a = high - ratio * (high - low));
    }
  }
  return (low + high) / 2;
}

Spectrum spectrum_of(const Stream& stream, const Windowed& samples, double spacing) {
  const std::size_t length = std::bit_ceil(2 * samples.values.size());
  const auto transform = rfft(Array::from(stream, samples.values), -1, static_cast<std::int64_t>(length))
                             .to_vector<std::complex<double>>();
  Spectrum result{1 / (static_cast<double>(length) * spacing), {}};
  for (const std::complex<double>& value : transform) result.amplitude.push_back(2 * std::abs(value) / samples.weight);
  return result;
}

void check(std::span<const double> samples, double spacing) {
  if (samples.size() < 16) throw UsageError(fmt::format("{} samples make no spectrum; 16 do", samples.size()));
  if (!(spacing > 0)) throw UsageError(fmt::format("samples {} apart make no spectrum", spacing));
}

}  // namespace

FourierSums::FourierSums(std::vector<double> frequencies, std::size_t channels)
    : frequencies_(std::move(frequencies)),
      channels_(channels),
      sums_(frequencies_.size() * channels),
      last_values_(channels, 0.0) {}

void FourierSums::add(double time, std::span<const double> values) {
  if (values.size() != channels_)
    throw UsageError(fmt::format("{} values given for {} channels", values.size(), channels_));
  if (count_ == 0) {
    first_time_ = time;
  } else {
    if (!(time > last_time_)) throw UsageError(fmt::format("time {} does not follow {}", time, last_time_));
    for (std::size_t f = 0; f < frequencies_.size(); ++f) {
      const std::complex<double> before = std::polar((time - last_time_) / 2, -turn * frequencies_[f] * last_time_),
                                 now = std::polar((time - last_time_) / 2, -turn * frequencies_[f] * time);
      for (std::size_t c = 0; c < channels_; ++c)
        sums_[f * channels_ + c] += before * last_values_[c] + now * values[c];
    }
  }
  last_values_.assign(values.begin(), values.end());
  last_time_ = time;
  ++count_;
}

std::vector<double> FourierSums::state() const {
  std::vector<double> state{static_cast<double>(channels_), static_cast<double>(frequencies_.size())};
  state.insert(state.end(), frequencies_.begin(), frequencies_.end());
  state.insert(state.end(), {count_, first_time_, last_time_});
  state.insert(state.end(), last_values_.begin(), last_values_.end());
  for (const std::complex<double>& sum : sums_) state.insert(state.end(), {sum.real(), sum.imag()});
  return state;
}

bool FourierSums::restore(std::span<const double> state) {
  const std::size_t known = frequencies_.size();
  if (state.size() != 5 + known + channels_ + 2 * known * channels_ || state[0] != static_cast<double>(channels_) ||
      state[1] != static_cast<double>(known) ||
      !std::equal(frequencies_.begin(), frequencies_.end(), state.begin() + 2))
    return false;
  auto at = state.begin() + 2 + static_cast<std::ptrdiff_t>(known);
  count_ = *at++;
  first_time_ = *at++;
  last_time_ = *at++;
  for (double& value : last_values_) value = *at++;
  for (std::complex<double>& sum : sums_) {
    const double real = *at++;
    sum = {real, *at++};
  }
  return true;
}

Spectrum spectrum(const Stream& stream, std::span<const double> samples, double spacing) {
  check(samples, spacing);
  return spectrum_of(stream, windowed(samples), spacing);
}

std::vector<Resonance> resonances(const Stream& stream, std::span<const double> samples, double spacing,
                                  double threshold) {
  check(samples, spacing);
  const Windowed record = windowed(samples);
  const Spectrum coarse = spectrum_of(stream, record, spacing);
  const std::vector<double>& a = coarse.amplitude;
  const double least = threshold * *std::max_element(a.begin(), a.end());
  std::vector<Resonance> found;
  for (std::size_t k = 1; k + 1 < a.size(); ++k) {
    if (!(a[k] > 0 && a[k] >= least && a[k] > a[k - 1] && a[k] >= a[k + 1])) continue;
    const double step = coarse.step * spacing, at = static_cast<double>(k) * step;
    const double frequency = highest_between(record, at - step, at + step);
    found.push_back({frequency / spacing, amplitude_at(record, frequency)});
  }
  return found;
}

double even_spacing(std::span<const double> times) {
  if (times.size() < 2) throw UsageError(fmt::format("{} times have no distance", times.size()));
  const double spacing = (times.back() - times.front()) / static_cast<double>(times.size() - 1);
  for (std::size_t k = 1; k < times.size(); ++k)
    if (!(std::abs(times[k] - times.front() - spacing * static_cast<double>(k)) <= 1e-6 * spacing))
      throw UsageError(fmt::format("times are not evenly spaced: number {} is {}", k + 1, times[k]));
  return spacing;
}

}  // namespace rtcg::dgfem
