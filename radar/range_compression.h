// Phase history to range profiles on the device: windows, ramp, autofocus phase, zero padding, inverse transform.
// Profiles are centred: bin NFFT / 2 is dR = 0 and sample K / 2 is frequency zero.
#pragma once

#include "radar/backprojection.h"
#include "rtcg/array/fft.h"

namespace rtcg::radar {

class RangeCompression {
 public:
  /// Uploads weights of all pulses. `block` is the most pulses of one call.
  RangeCompression(const Stream& stream, const Collection& collection, const ImagingOptions& options, std::size_t nfft,
                   std::size_t block);

  /// samples: [count][K] complex float of pulses first .. first + count. The result, [count][nfft] complex in the
  /// chosen precision, stays valid until the next call.
  Buffer operator()(const Buffer& samples, std::size_t first, std::size_t count);

  static Source source(const Collection& collection, std::size_t nfft, bool ramp, bool double_precision);

 private:
  template <class Real>
  void prepare(const Collection& collection, const ImagingOptions& options, std::size_t block);

  Stream stream_;
  std::size_t nfft_;
  Kernel weigh_;
  Fft fft_;
  Buffer range_weights_, pulse_weights_, data_;
};

}  // namespace rtcg::radar
