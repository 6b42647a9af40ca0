// What probes say about frequencies: Fourier integrals summed up while the run goes, and resonances found in a record
// once it is over.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "rtcg/device/stream.h"

namespace rtcg::dgfem {

/// int v(t) exp(-2 pi i f t) dt of several channels at given frequencies, sample by sample.
class FourierSums {
 public:
  FourierSums(std::vector<double> frequencies, std::size_t channels);
  const std::vector<double>& frequencies() const { return frequencies_; }

  /// By the trapezoidal rule since the sample before, whose time must be earlier (UsageError): [channel].
  void add(double time, std::span<const double> values);
  std::complex<double> operator()(std::size_t frequency, std::size_t channel) const {
    return sums_[frequency * channels_ + channel];
  }
  /// How long the samples span: 2 / duration times a sum is the amplitude of a long oscillation.
  double duration() const { return count_ > 0 ? last_time_ - first_time_ : 0; }

  /// All there is, for a checkpoint; and back: false when it is of other frequencies or channels.
  std::vector<double> state() const;
  bool restore(std::span<const double> state);

 private:
  std::vector<double> frequencies_;
  std::size_t channels_;
  std::vector<std::complex<double>> sums_;  // [frequency][channel]
  std::vector<double> last_values_;
  double first_time_ = 0, last_time_ = 0;
  double count_ = 0;
};

/// Of samples `spacing` apart, less their mean, under Harris's four-term window (Proc. IEEE 66, 1978): the amplitude of
/// an oscillation of each frequency. Side lobes are below 3e-5; oscillations are apart from 8 / duration on.
struct Spectrum {
  double step = 0;  ///< frequencies are 0, step, 2 step, ...
  std::vector<double> amplitude;
};
Spectrum spectrum(const Stream& stream, std::span<const double> samples, double spacing);

struct Resonance {
  double frequency = 0, amplitude = 0;
};
/// Peaks of the spectrum that reach `threshold` times the highest, ascending in frequency; each is the maximum of the
/// windowed transform as a function of frequency, not of its samples. UsageError for fewer than 16 samples.
std::vector<Resonance> resonances(const Stream& stream, std::span<const double> samples, double spacing,
                                  double threshold = 1e-3);

/// The distance of evenly spaced times; UsageError naming the first that is off by more than a millionth of it.
double even_spacing(std::span<const double> times);

}  // namespace rtcg::dgfem
