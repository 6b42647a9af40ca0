// Filtered backprojection on a device (notes and formulas: docs/developer/radar.md).
//
//   rc_p = Nfft ifft(w_k |f_k / f_c| phase_history, zero-padded to Nfft);   I(x) = sum_p rc_p(dR) exp(+i 4 pi f_0 dR / c)
//
// so that a unit point reaches K Np. Pulses come in blocks of any size: an image is the sum over blocks, always added
// in pulse order into the same accumulator, so the bits do not depend on the blocking.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "radar/image.h"
#include "radar/pulses.h"
#include "radar/window.h"
#include "rtcg/device/stream.h"

namespace rtcg::radar {

enum class Precision {
  reference,  ///< "double": everything in double, the path others are measured against
  accurate,   ///< fp32 arithmetic on ranges expanded about the centre of each tile of the image, with a stated error bound
};

struct Interpolation {
  enum class Kind { linear, sinc };
  Kind kind = Kind::linear;
  int taps = 8;  ///< of the windowed sinc, even, 4 .. 16
  static Interpolation parse(std::string_view text);  ///< "linear", "sinc", "sinc:TAPS"
};

struct ImagingOptions {
  Window range_window, azimuth_window;
  bool ramp = false;                 ///< |f| / f_c of filtered backprojection
  bool autofocus = true;             ///< apply the collection's corrections where it has them
  std::size_t nfft = 0;              ///< range bins; 0: eight times the next power of two of K
  Interpolation interpolation;
  Precision precision = Precision::accurate;
  std::size_t block_pulses = 0;      ///< 0: as many as fit comfortably
};

struct ImagingReport {
  std::size_t nfft = 0, pulses = 0, block_pulses = 0;
  std::string kernel;                ///< form of the range computation, tile, pixels per item
  double phase_error_bound = 0;      ///< rad, worst over image and pulses, of the precision chosen (not of the interpolation)
  double ser_estimate_db = 0;        ///< -20 log10(bound)
  double compression_seconds = 0, backprojection_seconds = 0;  ///< device time
  double backprojections = 0;        ///< pixels times pulses
};

/// Called after every block with the fraction done.
using Progress = std::function<void(double)>;

Image form_image(const Stream& stream, PulseSource& pulses, const ImageGrid& grid, const ImagingOptions& options,
                 ImagingReport* report = nullptr, const Progress& progress = {});

}  // namespace rtcg::radar
