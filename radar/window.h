// Sidelobe control: weights over the band (range) and over the pulses (azimuth).
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace rtcg::radar {

struct Window {
  enum class Kind { none, hamming, taylor };
  Kind kind = Kind::none;
  int nbar = 4;              ///< Taylor: number of nearly constant sidelobes, >= 1
  double sidelobe_db = -35;  ///< Taylor: their level, < 0

  /// "none", "hamming", "taylor", "taylor:NBAR,SLL"; UsageError otherwise.
  static Window parse(std::string_view text);
};

/// n symmetric weights with mean 1, so that a window does not change the amplitude of a focused point.
std::vector<double> weights(const Window& window, std::size_t n);

}  // namespace rtcg::radar
