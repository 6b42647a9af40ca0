// Filtered backprojection on a device (the method: docs/backprojection.md).
//
//   rc_p = Nfft ifft(w_k |f_k / f_c| phase_history, zero-padded to Nfft);   I(x) = sum_p rc_p(dR) exp(+i 4 pi f_r dR /
//   c)
//
// with f_r the middle frequency: profiles are centred in frequency, which quarters the error of linear interpolation
// against one referred to the lowest frequency. A unit point reaches K Np. Pulses come in blocks of any size: an image
// is the sum over blocks, always added in pulse order into the same accumulator, so the bits do not depend on the
// blocking.
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
  accurate,   ///< fp32 arithmetic on ranges expanded about the centre of each tile of the image, with a stated error
              ///< bound
};

struct Interpolation {
  enum class Kind { linear, sinc };
  Kind kind = Kind::linear;
  int taps = 8;                                       ///< of the windowed sinc, even, 4 .. 16
  static Interpolation parse(std::string_view text);  ///< "linear", "sinc", "sinc:TAPS"
};

/// Pixels [first_x, first_x + count_x) x [first_y, first_y + count_y) of a grid, all of z; a count of 0 means to the
/// end.
struct PixelRegion {
  std::size_t first_x = 0, first_y = 0, count_x = 0, count_y = 0;
};

struct ImagingOptions {
  Window range_window, azimuth_window;
  bool ramp = false;      ///< |f| / f_c of filtered backprojection
  bool autofocus = true;  ///< apply the collection's corrections where it has them
  std::size_t nfft = 0;   ///< range bins; 0: eight times the next power of two of K
  Interpolation interpolation;
  Precision precision = Precision::accurate;
  std::size_t block_pulses = 0;          ///< 0: as many as fit comfortably
  PixelRegion region;                    ///< the part of the grid to form: the same bits as in the whole image
  std::optional<DeviceKind> loop_shape;  ///< write kernels as for this kind of device; default: the device's own
};

struct ImagingReport {
  std::size_t nfft = 0, pulses = 0, block_pulses = 0;
  std::string kernel;  ///< form of the range computation, tile, pixels per item
  double phase_error_bound =
      0;                       ///< rad, worst over image and pulses, of the precision chosen (not of the interpolation)
  double ser_estimate_db = 0;  ///< -20 log10(bound)
  double compression_seconds = 0, backprojection_seconds = 0;  ///< device time
  double backprojections = 0;                                  ///< pixels times pulses
};

/// Called after every block with the fraction done.
using Progress = std::function<void(double)>;

/// Throws UsageError for options that make no sense (nfft odd, below K or not a product of 2, 3, 5, 7; region outside
/// the grid), InputError from the source, OutOfMemory when the image does not fit the device, NumericalError when a
/// pixel is not finite.
Image form_image(const Stream& stream, PulseSource& pulses, const ImageGrid& grid, const ImagingOptions& options,
                 ImagingReport* report = nullptr, const Progress& progress = {});

}  // namespace rtcg::radar
