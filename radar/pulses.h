// What a radar collected, in the form imaging needs: phase history after motion compensation.
//
// Pulse p holds samples k = 0 .. K-1 at frequencies f_k = first_frequency[p] + k * frequency_step[p]; a unit point at x
// contributes exp(-i 4 pi f_k dR / c) with dR = |antenna[p] - x| - reference_range[p] (Gorham & Moore 2010).
// Positions are in metres in a local frame whose origin is the scene centre and whose z axis points up.
// Samples are read in blocks, so data larger than memory works.
#pragma once

#include <complex>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "radar/vector.h"

namespace rtcg::radar {

/// Everything of a collection but its samples; vectors have one element per pulse, in pulse order.
struct Collection {
  std::size_t samples = 0;               ///< K, per pulse
  std::vector<Vec3> antenna;             ///< m, phase centre (mean of transmitter and receiver)
  std::vector<double> reference_range;   ///< m, r0
  std::vector<double> first_frequency;   ///< Hz
  std::vector<double> frequency_step;    ///< Hz, > 0, from the whole band
  std::vector<double> range_correction;  ///< m, autofocus, to be added to r0; empty when the data has none
  std::vector<double> phase_correction;  ///< rad, autofocus: multiply by exp(i phase); empty when the data has none
  std::string description;               ///< format and files, for humans
  std::vector<std::string> remarks;      ///< what a reader should be told: pulses left out, fields ignored

  std::size_t pulses() const { return antenna.size(); }
  /// The sample that range compression makes frequency zero, and the wavenumber 4 pi f / c of pulse p there, rad/m.
  std::size_t carrier_sample() const { return samples / 2; }
  double carrier_wavenumber(std::size_t p) const;
  double centre_frequency() const;  ///< Hz, mean over pulses
  double bandwidth() const;         ///< Hz, K steps, mean over pulses
  double swath() const;             ///< m of slant range without ambiguity, c / (2 step): the smallest over pulses
  /// Throws InputError naming the pulse and the field unless all is finite, positive where it must be, and of one
  /// length.
  void check() const;
};

/// A readable collection. read() may be called in any order, from one thread.
class PulseSource {
 public:
  virtual ~PulseSource() = default;
  virtual const Collection& collection() const = 0;
  /// Samples of pulses [first, first + count), [pulse][sample], as stored (no correction applied).
  /// Throws InputError naming file and pulse for a truncated file or a sample that is not finite.
  virtual void read(std::size_t first, std::size_t count, std::span<std::complex<float>> samples) = 0;
};

/// For implementations of read(): UsageError unless the block lies inside the collection and fits `room` samples
/// exactly.
void check_block(const PulseSource& source, std::size_t first, std::size_t count, std::size_t room);
/// InputError naming `where`, the pulse (counted from `first`) and the sample of the first value that is not finite.
void check_finite(std::span<const std::complex<float>> samples, std::size_t samples_per_pulse, std::size_t first,
                  std::string_view where);

/// In memory: simulation, tests.
class StoredPulses : public PulseSource {
 public:
  StoredPulses(Collection collection, std::vector<std::complex<float>> samples);
  const Collection& collection() const override { return collection_; }
  void read(std::size_t first, std::size_t count, std::span<std::complex<float>> samples) override;

 private:
  Collection collection_;
  std::vector<std::complex<float>> samples_;
};

/// Opens files by content, not by name: Gotcha .mat, CPHD, the suite's HDF5. Several files are joined in pulse order
/// (by azimuth for Gotcha files, else as given), must be of one format and agree in sample count. InputError otherwise.
/// "file.cphd#NAME" opens the channel of that identifier; without it the first channel is read.
std::unique_ptr<PulseSource> open_pulses(std::span<const std::filesystem::path> files);

}  // namespace rtcg::radar
