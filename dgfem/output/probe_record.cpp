#include "dgfem/output/probe_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"

namespace rtcg::dgfem {

namespace {

constexpr const char* sums_name = "probe fourier sums";

}  // namespace

ProbeRecord::ProbeRecord(const Solver& solver, std::vector<Probe> probes, std::vector<double> frequencies,
                         std::filesystem::path table, const Checkpoint* from)
    : probes_(solver, std::move(probes)),
      sums_(std::move(frequencies), probes_.columns().size()),
      table_(from == nullptr ? TableFile(table, probes_.columns())
                             : TableFile::continued(table, probes_.columns(), from->time)) {
  for (const std::vector<double>& line : table_.earlier()) {
    times_.push_back(line.front());
    values_.emplace_back(line.begin() + 1, line.end());
  }
  if (from == nullptr || sums_.frequencies().empty()) return;
  const auto stored = from->series.find(sums_name);
  if (stored == from->series.end() || !sums_.restore(stored->second))
    throw InputError(
        fmt::format("{}: the checkpoint has no Fourier integrals of these probes at these frequencies, which "
                    "cannot be made up for; go on without frequencies",
                    table.string()));
}

void ProbeRecord::add(const Solver& solver) {
  const double time = solver.time();
  if (!times_.empty() && !(time > times_.back())) return;
  std::vector<double> values = probes_(solver);
  table_.add(time, values);
  if (!sums_.frequencies().empty()) sums_.add(time, values);
  times_.push_back(time);
  values_.push_back(std::move(values));
}

void ProbeRecord::save(Checkpoint& checkpoint) const {
  if (!sums_.frequencies().empty()) checkpoint.series[sums_name] = sums_.state();
}

std::vector<ProbeRecord::Peak> ProbeRecord::resonances(const Stream& stream, std::size_t most) const {
  std::size_t even = std::min<std::size_t>(times_.size(), 2);
  if (even < 2) return {};
  const double spacing = times_[1] - times_[0];
  // The last step of a run may be a shorter one.
  while (even < times_.size() &&
         std::abs(times_[even] - times_[0] - spacing * static_cast<double>(even)) < 1e-6 * spacing)
    ++even;
  if (even < 16) return {};
  double largest = 0;
  std::vector<std::vector<Resonance>> found;
  for (std::size_t c = 0; c < probes_.columns().size(); ++c) {
    std::vector<double> samples;
    for (std::size_t k = 0; k < even; ++k) samples.push_back(values_[k][c]);
    found.push_back(dgfem::resonances(stream, samples, spacing, 1e-3));
    for (const Resonance& one : found.back()) largest = std::max(largest, one.amplitude);
  }
  std::vector<Peak> peaks;
  for (std::size_t c = 0; c < found.size(); ++c) {
    std::vector<Resonance>& own = found[c];
    std::erase_if(own, [&](const Resonance& one) { return one.amplitude < 1e-6 * largest; });
    std::sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a.amplitude > b.amplitude; });
    own.resize(std::min(own.size(), most));
    std::sort(own.begin(), own.end(), [](const auto& a, const auto& b) { return a.frequency < b.frequency; });
    for (const Resonance& one : own) peaks.push_back({probes_.columns()[c], one});
  }
  return peaks;
}

void ProbeRecord::write_fourier(const std::filesystem::path& file) const {
  if (sums_.frequencies().empty()) return;
  std::string text = "frequency";
  for (const std::string& column : probes_.columns()) text += fmt::format(",{0}.re,{0}.im", column);
  text += '\n';
  for (std::size_t f = 0; f < sums_.frequencies().size(); ++f) {
    text += fmt::format("{}", sums_.frequencies()[f]);
    for (std::size_t c = 0; c < probes_.columns().size(); ++c)
      text += fmt::format(",{},{}", sums_(f, c).real(), sums_(f, c).imag());
    text += '\n';
  }
  write_file(file, text);
}

}  // namespace rtcg::dgfem
