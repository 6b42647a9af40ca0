#include "apps/rtcg-radar/pulse_range.h"

namespace rtcg::app {

PulseRange::PulseRange(std::unique_ptr<radar::PulseSource> source, const Interval& interval)
    : source_(std::move(source)), first_(interval.first), collection_(source_->collection()) {
  const auto keep = [&](auto& values) {
    if (values.empty()) return;
    values.erase(values.begin() + static_cast<std::ptrdiff_t>(interval.last), values.end());
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(interval.first));
  };
  keep(collection_.antenna);
  keep(collection_.reference_range), keep(collection_.first_frequency), keep(collection_.frequency_step);
  keep(collection_.range_correction), keep(collection_.phase_correction);
}

void PulseRange::read(std::size_t first, std::size_t count, std::span<std::complex<float>> samples) {
  radar::check_block(*this, first, count, samples.size());
  source_->read(first_ + first, count, samples);
}

}  // namespace rtcg::app
