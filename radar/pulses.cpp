#include "radar/pulses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "rtcg/error.h"

namespace rtcg::radar {
namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

enum class Sign { any, positive };

void check_field(const std::vector<double>& values, std::size_t pulses, const char* name, Sign sign, double most) {
  if (values.size() != pulses)
    throw InputError(
        fmt::format("{} has {} values for {} pulses; one per pulse is needed", name, values.size(), pulses));
  for (std::size_t p = 0; p < pulses; ++p) {
    if (!std::isfinite(values[p]))
      throw InputError(fmt::format("pulse {}: {} is {}; it must be finite", p, name, values[p]));
    if (sign == Sign::positive && !(values[p] > 0))
      throw InputError(fmt::format("pulse {}: {} is {}; it must be positive", p, name, values[p]));
    if (std::abs(values[p]) > most)
      throw InputError(fmt::format("pulse {}: {} is {:g}; at most {:g} is possible", p, name, values[p], most));
  }
}

}  // namespace

double Collection::carrier_wavenumber(std::size_t p) const {
  const double frequency = first_frequency[p] + static_cast<double>(carrier_sample()) * frequency_step[p];
  return 4 * std::numbers::pi * frequency / speed_of_light;
}

double Collection::centre_frequency() const {
  return mean(first_frequency) + 0.5 * (static_cast<double>(samples) - 1) * mean(frequency_step);
}

double Collection::bandwidth() const {
  return static_cast<double>(samples) * mean(frequency_step);
}

double Collection::swath() const {
  return speed_of_light / (2 * *std::max_element(frequency_step.begin(), frequency_step.end()));
}

void Collection::check() const {
  if (antenna.empty()) throw InputError("no pulses: at least one is needed to form an image");
  if (samples == 0) throw InputError("pulses without samples: at least one per pulse is needed");
  if (samples > SIZE_MAX / sizeof(std::complex<float>) / pulses())
    throw InputError(fmt::format("{} pulses of {} samples do not fit the address space", pulses(), samples));
  for (std::size_t p = 0; p < pulses(); ++p)
    if (!antenna[p].allFinite())
      throw InputError(fmt::format("pulse {}: the antenna position is not finite", p));
    else if (antenna[p].cwiseAbs().maxCoeff() > length_limit)
      throw InputError(fmt::format("pulse {}: the antenna is farther than {:g} m away", p, length_limit));
  check_field(reference_range, pulses(), "reference range", Sign::positive, length_limit);
  check_field(first_frequency, pulses(), "first frequency", Sign::positive, frequency_limit);
  check_field(frequency_step, pulses(), "frequency step", Sign::positive, frequency_limit);
  if (!range_correction.empty()) check_field(range_correction, pulses(), "range correction", Sign::any, length_limit);
  if (!phase_correction.empty()) check_field(phase_correction, pulses(), "phase correction", Sign::any, 1e12);
}

void check_block(const PulseSource& source, std::size_t first, std::size_t count, std::size_t room) {
  const Collection& collection = source.collection();
  if (first > collection.pulses() || count > collection.pulses() - first)
    throw UsageError(fmt::format("pulses {} to {} asked for of {}", first, first + count, collection.pulses()));
  if (room != count * collection.samples)
    throw UsageError(fmt::format("room for {} samples given for {} pulses of {}", room, count, collection.samples));
}

void check_finite(std::span<const std::complex<float>> samples, std::size_t samples_per_pulse, std::size_t first,
                  std::string_view where) {
  for (std::size_t i = 0; i < samples.size(); ++i)
    if (!std::isfinite(samples[i].real()) || !std::isfinite(samples[i].imag()))
      throw InputError(fmt::format("{}: pulse {}, sample {} is not a finite number; repair or leave out that pulse",
                                   where, first + i / samples_per_pulse, i % samples_per_pulse));
}

StoredPulses::StoredPulses(Collection collection, std::vector<std::complex<float>> samples)
    : collection_(std::move(collection)), samples_(std::move(samples)) {
  collection_.check();
  if (samples_.size() != collection_.pulses() * collection_.samples)
    throw InputError(fmt::format("{} samples given for {} pulses of {}", samples_.size(), collection_.pulses(),
                                 collection_.samples));
  check_finite(samples_, collection_.samples, 0, collection_.description.empty() ? "pulses" : collection_.description);
}

void StoredPulses::read(std::size_t first, std::size_t count, std::span<std::complex<float>> samples) {
  check_block(*this, first, count, samples.size());
  std::copy_n(samples_.begin() + static_cast<std::ptrdiff_t>(first * collection_.samples), samples.size(),
              samples.begin());
}

}  // namespace rtcg::radar
