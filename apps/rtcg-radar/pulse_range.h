// A run of another source's pulses, for --pulses.
#pragma once

#include <memory>

#include "apps/rtcg-radar/values.h"
#include "radar/pulses.h"

namespace rtcg::app {

class PulseRange : public radar::PulseSource {
 public:
  /// The interval must lie within the source's pulses.
  PulseRange(std::unique_ptr<radar::PulseSource> source, const Interval& interval);
  const radar::Collection& collection() const override { return collection_; }
  void read(std::size_t first, std::size_t count, std::span<std::complex<float>> samples) override;

 private:
  std::unique_ptr<radar::PulseSource> source_;
  std::size_t first_;
  radar::Collection collection_;
};

}  // namespace rtcg::app
