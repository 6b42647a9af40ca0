#include "radar/range_compression.h"

#include <cmath>
#include <complex>

#include "rtcg_radar_kernels.h"

namespace rtcg::radar {

Source RangeCompression::source(const Collection& collection, std::size_t nfft, bool ramp, bool double_precision) {
  Source text("range_compression.cl", std::string(kernels::range_compression_cl));
  text.define("SAMPLES", static_cast<int>(collection.samples))
      .define("NFFT", static_cast<int>(nfft))
      .define("CENTRE", static_cast<int>(collection.carrier_sample()));
  text.define("RAMP", ramp ? 1 : 0);
  text.define("real_t", double_precision ? "double" : "float")
      .define("complex_t", double_precision ? "double2" : "float2");
  return text.define("make_complex", double_precision ? "make_double2" : "make_float2");
}

template <class Real>
void RangeCompression::prepare(const Collection& collection, const ImagingOptions& options, std::size_t block) {
  const std::vector<double> range = weights(options.range_window, collection.samples);
  range_weights_ = Buffer::from(stream_, std::vector<Real>(range.begin(), range.end()));
  const std::vector<double> azimuth = weights(options.azimuth_window, collection.pulses());
  const double centre = collection.centre_frequency();
  std::vector<Real> pulse(4 * collection.pulses());
  for (std::size_t p = 0; p < collection.pulses(); ++p) {
    const double phase =
        options.autofocus && !collection.phase_correction.empty() ? collection.phase_correction[p] : 0.0;
    const std::complex<double> weight = std::polar(azimuth[p], phase);
    pulse[4 * p] = static_cast<Real>(weight.real());
    pulse[4 * p + 1] = static_cast<Real>(weight.imag());
    pulse[4 * p + 2] = static_cast<Real>(collection.first_frequency[p] / centre);
    pulse[4 * p + 3] = static_cast<Real>(collection.frequency_step[p] / centre);
  }
  pulse_weights_ = Buffer::from(stream_, pulse);
  data_ = Buffer::of<std::complex<Real>>(stream_, block * nfft_);
}

RangeCompression::RangeCompression(const Stream& stream, const Collection& collection, const ImagingOptions& options,
                                   std::size_t nfft, std::size_t block)
    : stream_(stream),
      nfft_(nfft),
      weigh_(compile(stream.device(), source(collection, nfft, options.ramp, options.precision == Precision::reference))
                 .kernel("weigh_pulses")),
      fft_(stream.device(), {nfft, FftDirection::inverse, options.precision == Precision::reference}) {
  if (options.precision == Precision::reference)
    prepare<double>(collection, options, block);
  else
    prepare<float>(collection, options, block);
}

Buffer RangeCompression::operator()(const Buffer& samples, std::size_t first, std::size_t count) {
  weigh_(stream_, Grid::over(count * nfft_), samples, range_weights_, pulse_weights_, data_, static_cast<int>(first),
         static_cast<int>(count));
  fft_(stream_, data_, data_, count);
  return data_;
}

}  // namespace rtcg::radar
