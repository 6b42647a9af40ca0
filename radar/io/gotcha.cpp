#include "radar/io/gotcha.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "radar/io/mat_file.h"
#include "rtcg/error.h"

namespace rtcg::radar {
namespace {

namespace fs = std::filesystem;

// Pulses of several passes interleave in azimuth, so one block may need a file of each pass.
constexpr std::size_t files_kept = 8;

struct Degree {
  std::size_t samples = 0;
  std::vector<Vec3> antenna;
  std::vector<double> reference_range, range_correction, phase_correction;
  double first_frequency = 0, frequency_step = 0;
};

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
  throw InputError(fmt::format("{}: {}", file.string(), what));
}

std::vector<double> per_pulse(const fs::path& path, const MatFile& file, const std::string& field, std::size_t pulses) {
  std::vector<double> values = file.reals(field);
  const auto [rows, columns] = file.shape(field);
  if (values.size() != pulses || (rows != 1 && columns != 1))
    fail(path, fmt::format("'{}' is {} x {}; one value per pulse ({}) is needed", field, rows, columns, pulses));
  for (std::size_t p = 0; p < pulses; ++p)
    if (!std::isfinite(values[p])) fail(path, fmt::format("pulse {}: '{}' is not a finite number", p, field));
  return values;
}

// freq is single precision: its first difference is off by 1e-4, the whole band is not.
void set_band(const fs::path& path, const std::vector<double>& frequencies, Degree& degree) {
  const std::size_t samples = frequencies.size();
  if (samples < 2) fail(path, "'data.freq' has one frequency; at least two are needed to know the step");
  for (double f : frequencies)
    if (!std::isfinite(f) || f <= 0)
      fail(path, fmt::format("'data.freq' holds {}; frequencies must be positive (Hz)", f));
  degree.first_frequency = frequencies.front();
  degree.frequency_step = (frequencies.back() - frequencies.front()) / static_cast<double>(samples - 1);
  if (degree.frequency_step <= 0) fail(path, "'data.freq' does not ascend");
  const double tolerance = 0.01 * degree.frequency_step + 1.2e-7 * frequencies.back();
  for (std::size_t k = 0; k < samples; ++k)
    if (std::abs(frequencies[k] - degree.first_frequency - static_cast<double>(k) * degree.frequency_step) > tolerance)
      fail(path, fmt::format("'data.freq' is not evenly spaced at sample {}; a constant step is needed", k));
}

Degree read_degree(const fs::path& path) {
  const MatFile file(path);
  if (!file.has("data")) fail(path, "no struct 'data'; Gotcha files hold one with fields fp, freq, x, y, z, r0");
  const auto [samples, pulses] = file.shape("data.fp");
  if (samples == 0 || pulses == 0)
    fail(path, fmt::format("'data.fp' is {} x {}; samples by pulses, both at least 1", samples, pulses));
  Degree degree;
  degree.samples = samples;
  const std::vector<double> frequencies = file.reals("data.freq");
  if (frequencies.size() != samples)
    fail(path,
         fmt::format("'data.freq' has {} values and 'data.fp' {} rows; they must agree", frequencies.size(), samples));
  set_band(path, frequencies, degree);
  const auto x = per_pulse(path, file, "data.x", pulses), y = per_pulse(path, file, "data.y", pulses),
             z = per_pulse(path, file, "data.z", pulses);
  degree.reference_range = per_pulse(path, file, "data.r0", pulses);
  for (std::size_t p = 0; p < pulses; ++p) {
    degree.antenna.emplace_back(x[p], y[p], z[p]);
    if (degree.reference_range[p] <= 0)
      fail(path, fmt::format("pulse {}: 'data.r0' is {}; it must be positive", p, degree.reference_range[p]));
  }
  if (file.has("data.af")) {
    degree.range_correction = per_pulse(path, file, "data.af.r_correct", pulses);
    degree.phase_correction = per_pulse(path, file, "data.af.ph_correct", pulses);
  }
  return degree;
}

struct Place {
  std::size_t file = 0, column = 0;
  double azimuth = 0;
};

// Ascending azimuth; where that splits a collection at 0 degrees the start moves behind its widest gap.
void order_by_azimuth(std::vector<Place>& places) {
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) { return a.azimuth < b.azimuth; });
  const double around = places.front().azimuth + 2 * std::numbers::pi - places.back().azimuth;
  std::size_t start = 0;
  double widest = 2 * around;  // a full circle keeps its start at 0
  for (std::size_t i = 1; i < places.size(); ++i)
    if (const double gap = places[i].azimuth - places[i - 1].azimuth; gap > widest) {
      widest = gap;
      start = i;
    }
  std::rotate(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(start), places.end());
}

class GotchaPulses : public PulseSource {
 public:
  explicit GotchaPulses(std::span<const fs::path> files) : files_(files.begin(), files.end()) {
    std::vector<Degree> degrees;
    for (const fs::path& file : files_) {
      degrees.push_back(read_degree(file));
      check_agreement(degrees, file);
      for (std::size_t p = 0; p < degrees.back().antenna.size(); ++p) {
        const Vec3& a = degrees.back().antenna[p];
        const double azimuth = std::atan2(a.y(), a.x());
        places_.push_back({degrees.size() - 1, p, azimuth < 0 ? azimuth + 2 * std::numbers::pi : azimuth});
      }
    }
    order_by_azimuth(places_);
    check_unique(degrees);
    collect(degrees);
  }

  const Collection& collection() const override { return collection_; }

  void read(std::size_t first, std::size_t count, std::span<std::complex<float>> samples) override {
    check_block(*this, first, count, samples.size());
    const std::size_t k = collection_.samples;
    for (std::size_t p = 0; p < count; ++p) {
      const Place& place = places_[first + p];
      const std::vector<std::complex<float>>& all = load(place.file);
      std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(place.column * k), k,
                  samples.begin() + static_cast<std::ptrdiff_t>(p * k));
    }
  }

 private:
  void check_agreement(const std::vector<Degree>& degrees, const fs::path& file) const {
    const Degree &a = degrees.front(), &b = degrees.back();
    if (a.samples != b.samples)
      fail(file, fmt::format("{} samples per pulse but {} in {}; files joined must agree", b.samples, a.samples,
                             files_[0].string()));
    const double band = static_cast<double>(a.samples - 1) * std::abs(a.frequency_step - b.frequency_step);
    if (std::abs(a.first_frequency - b.first_frequency) > 0.01 * a.frequency_step || band > 0.01 * a.frequency_step)
      fail(file, fmt::format(
                     "frequencies from {:.0f} Hz in steps of {:.1f} Hz but from {:.0f} in steps of {:.1f} in {}; files "
                     "joined must agree",
                     b.first_frequency, b.frequency_step, a.first_frequency, a.frequency_step, files_[0].string()));
  }

  void check_unique(const std::vector<Degree>& degrees) const {
    for (std::size_t i = 1; i < places_.size(); ++i) {
      const Place &a = places_[i - 1], &b = places_[i];
      if (a.file != b.file && degrees[a.file].antenna[a.column] == degrees[b.file].antenna[b.column])
        fail(files_[b.file], fmt::format("pulse {} is also pulse {} of {}; give every file once", b.column, a.column,
                                         files_[a.file].string()));
    }
  }

  void collect(const std::vector<Degree>& degrees) {
    collection_.samples = degrees.front().samples;
    const auto corrected = static_cast<std::size_t>(
        std::count_if(degrees.begin(), degrees.end(), [](const Degree& d) { return !d.range_correction.empty(); }));
    const bool corrections = corrected == degrees.size();
    if (corrected != 0 && !corrections)
      collection_.remarks.push_back(
          fmt::format("autofocus corrections left out: only {} of {} files have them", corrected, degrees.size()));
    for (const Place& place : places_) {
      const Degree& degree = degrees[place.file];
      collection_.antenna.push_back(degree.antenna[place.column]);
      collection_.reference_range.push_back(degree.reference_range[place.column]);
      collection_.first_frequency.push_back(degree.first_frequency);
      collection_.frequency_step.push_back(degree.frequency_step);
      if (!corrections) continue;
      collection_.range_correction.push_back(degree.range_correction[place.column]);
      collection_.phase_correction.push_back(degree.phase_correction[place.column]);
    }
    collection_.description = fmt::format("Gotcha: {}{}", files_[0].filename().string(),
                                          files_.size() > 1 ? fmt::format(" and {} more", files_.size() - 1) : "");
    if (files_.size() > 1)
      collection_.remarks.push_back(fmt::format("{} files joined in ascending azimuth", files_.size()));
    collection_.check();
  }

  const std::vector<std::complex<float>>& load(std::size_t index) {
    const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& kept) { return kept.first == index; });
    if (found != kept_.end()) {
      std::rotate(kept_.begin(), found, found + 1);
      return kept_.front().second;
    }
    const MatFile file(files_[index]);
    std::vector<std::complex<float>> samples = file.complexes("data.fp");
    const auto pulses = static_cast<std::size_t>(
        std::count_if(places_.begin(), places_.end(), [&](const Place& place) { return place.file == index; }));
    if (samples.size() != pulses * collection_.samples) fail(files_[index], "changed while it was being read");
    check_finite(samples, collection_.samples, 0, files_[index].string());
    if (kept_.size() == files_kept) kept_.pop_back();
    kept_.emplace(kept_.begin(), index, std::move(samples));
    return kept_.front().second;
  }

  std::vector<fs::path> files_;
  std::vector<Place> places_;  // of every pulse, in the collection's order
  std::vector<std::pair<std::size_t, std::vector<std::complex<float>>>> kept_;  // most recent first
  Collection collection_;
};

}  // namespace

std::unique_ptr<PulseSource> open_gotcha(std::span<const std::filesystem::path> files) {
  return std::make_unique<GotchaPulses>(files);
}

}  // namespace rtcg::radar
