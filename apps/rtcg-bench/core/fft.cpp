// Batched Fourier transforms: rows that one kernel holds, rows that take two, a length that is no power of two, reals.
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/peers/cuda_libraries.h"
#include "rtcg/array/fft.h"

namespace rtcg::bench {

namespace {

/// A few elements of the last row's spectrum against the definition in double.
template <class Element>
bool last_row_is_right(const Buffer& data, const Buffer& result, std::size_t length, std::size_t row,
                       std::size_t result_length) {
  std::vector<Element> x(length);
  std::vector<std::complex<float>> y(result_length);
  data.read(x.data(), length * sizeof(Element), row * length * sizeof(Element));
  result.read(y.data(), result_length * sizeof(y[0]), row * result_length * sizeof(y[0]));
  for (const std::size_t k : {std::size_t{0}, std::size_t{1}, result_length / 3, result_length - 1}) {
    std::complex<double> sum = 0;
    double norm = 0;
    for (std::size_t m = 0; m < length; ++m) {
      const double angle = -2 * std::numbers::pi * static_cast<double>(m * k % length) / static_cast<double>(length);
      sum += std::complex<double>(x[m]) * std::polar(1.0, angle);
      norm += std::norm(std::complex<double>(x[m]));
    }
    if (std::abs(sum - std::complex<double>(y[k])) > 1e-5 * std::sqrt(norm)) return false;
  }
  return true;
}

void complex_rows(Suite& suite, const Context& context, std::size_t length, std::size_t batch) {
  const Stream& stream = context.stream;
  const double bytes = 16.0 * static_cast<double>(batch * length);
  const Buffer data = random_complex(stream, batch * length),
               result = Buffer::of<std::complex<float>>(stream, batch * length);
  Comparison line(suite, context, fmt::format("FFT of {} x {}, complex float", batch, length),
                  {bytes / 1e9, "GB/s", bytes});
  if (const auto peer = cufft(stream, data, result, length, batch)) line.peer("cuFFT", peer);
  const Fft fft(stream.device(), {length});
  line.ours([&] { fft(stream, data, result, batch); },
            [&] {
              require(last_row_is_right<std::complex<float>>(data, result, length, batch - 1, length),
                      "a spectrum is not that of its row");
            },
            "bytes of one read and one write");
}

void real_rows(Suite& suite, const Context& context, std::size_t length, std::size_t batch) {
  const Stream& stream = context.stream;
  const std::size_t half = length / 2 + 1;
  const double bytes =
      static_cast<double>(batch) * (4.0 * static_cast<double>(length) + 8.0 * static_cast<double>(half));
  const Buffer data = random_complex(stream, batch * length / 2),
               result = Buffer::of<std::complex<float>>(stream, batch * half);
  Comparison line(suite, context, fmt::format("FFT of {} x {}, real float", batch, length),
                  {bytes / 1e9, "GB/s", bytes});
  const Fft fft(stream.device(), {length, FftDirection::forward, false, FftKind::real_to_complex});
  line.ours([&] { fft(stream, data, result, batch); },
            [&] {
              require(last_row_is_right<float>(data, result, length, batch - 1, half),
                      "a half spectrum is not that of its row");
            },
            "bytes of one read and one write");
}

}  // namespace

void fft_topic(Suite& suite, const Context& context) {
  const std::size_t elements = context.quick ? 1 << 18 : context.on_gpu() ? 1 << 28 : 1 << 22;
  complex_rows(suite, context, 4096, elements / 4096);
  complex_rows(suite, context, 65536, elements / 65536);
  complex_rows(suite, context, 1000, elements / 1000);
  real_rows(suite, context, 8192, elements / 4096);
}

}  // namespace rtcg::bench
