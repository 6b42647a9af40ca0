#include <complex>

#include <fmt/format.h>

#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "rtcg/array/fft.h"

namespace rtcg::bench {

void fft_topic(Suite& suite, const Context& context) {
  const Stream& stream = context.stream;
  const bool gpu = stream.device().properties().kind == DeviceKind::gpu;
  const std::size_t length = 4096, batch = context.quick ? 64 : gpu ? 16384 : 1024;
  const Fft fft(stream.device(), {length, FftDirection::inverse, false});
  const Buffer data = random_complex(stream, batch * length),
               scratch = Buffer::of<std::complex<float>>(stream, batch * length);
  const Measurement time = measure(
      stream, [&] { fft(stream, data, scratch, batch); }, context.budget());
  const double bytes = 16.0 * static_cast<double>(batch * length);
  suite.add({fmt::format("FFT of {} x {}, complex float", batch, length),
             bytes / time.median / 1e9,
             "GB/s",
             time,
             {{"one copy of the data", bytes / time.median / context.copy_bandwidth}},
             {},
             "bytes of one read and one write"});
}

}  // namespace rtcg::bench
