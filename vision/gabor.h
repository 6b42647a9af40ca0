// Banks of Gabor filters as V1S publishes them: a cosine wave under a Gaussian, less its mean, of unit length,
//
//   exp(-((x - c)^2 + (y - c)^2) / (2 sigma^2)) cos(2 pi f (x cos t + y sin t) + phase),   c = size / 2 (whole)
//
// with x and y counted from the corner, so that the wave's phase at the centre depends on f and t.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rtcg/array/array.h"

namespace rtcg::vision {

struct GaborBank {
  std::size_t size = 43;                                                                    ///< pixels along each edge
  std::size_t orientations = 16;                                                            ///< t = k pi / orientations
  std::vector<double> frequencies{1.0 / 2, 1.0 / 3, 1.0 / 4, 1.0 / 6, 1.0 / 11, 1.0 / 18};  ///< cycles a pixel
  std::vector<double> phases{0};                                                            ///< radians
  double sigma = 0;                                                                         ///< pixels; 0 is size / 5

  std::size_t filters() const { return orientations * frequencies.size() * phases.size(); }
  bool operator==(const GaborBank&) const = default;
};

/// "gabor" alone is V1S's bank; else "gabor:" and any of size=43, orientations=16, frequencies=1/2;1/3;0.25,
/// phases=0;1.57 and sigma=8.6, with commas between. UsageError saying what of the text is wrong.
GaborBank parse_gabor(std::string_view text);
/// The text that parse_gabor reads back to the same bank.
std::string to_text(const GaborBank& bank);

/// One after the other as [filter, y, x]: the orientations and, within them, the phases of each frequency. UsageError
/// where a filter is constant, so that nothing is left without its mean.
std::vector<float> gabor_filters(const GaborBank& bank);
/// [filter, y, x, 1].
Array gabor_bank(const Stream& stream, const GaborBank& bank);

}  // namespace rtcg::vision
