// Batched complex FFT of length 4096.
#include <complex>

#include <fmt/format.h>

#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/peers/cuda_libraries.h"
#include "rtcg/array/fft.h"

namespace rtcg::bench {

void fft_topic(Suite& suite, const Context& context) {
  const Stream& stream = context.stream;
  const std::size_t length = 4096, batch = context.quick ? 64 : context.on_gpu() ? 65536 : 1024;
  const double bytes = 16.0 * static_cast<double>(batch * length);
  const Buffer data = random_complex(stream, batch * length),
               result = Buffer::of<std::complex<float>>(stream, batch * length);
  Comparison line(suite, context, fmt::format("FFT of {} x {}, complex float", batch, length),
                  {bytes / 1e9, "GB/s", bytes});
  if (const auto peer = cufft(stream, data, result, length, batch)) line.peer("cuFFT", peer);
  const Fft fft(stream.device(), {length, FftDirection::inverse, false});
  line.ours([&] { fft(stream, data, result, batch); }, [] {}, "bytes of one read and one write");
}

}  // namespace rtcg::bench
