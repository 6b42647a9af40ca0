// Histograms of 256 bins: bytes and floats, uniform and constant, which all fall into one bin.
#include <algorithm>

#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/peers/cuda_peers.h"
#include "apps/rtcg-bench/peers/openmp_peers.h"
#include "rtcg/array/histogram.h"

namespace rtcg::bench {

namespace {

/// Everything was counted, and as evenly as the samples lie.
void require_counts(const Buffer& counts, std::size_t n, bool constant) {
  std::size_t all = 0, most = 0;
  for (const std::uint32_t count : counts.read<std::uint32_t>()) {
    all += count;
    most = std::max<std::size_t>(most, count);
  }
  require(all == n && (constant ? most == n : most < n / 200), "histogram");
}

}  // namespace

void histogram_topic(Suite& suite, const Context& context) {
  const Stream& stream = context.stream;
  const std::size_t n = context.size(28, 24);
  const double size = static_cast<double>(n);
  const Buffer counts = Buffer::of<std::uint32_t>(stream, 256);
  const CudaPeers* cuda = cuda_peers(stream.device());
  std::vector<std::uint32_t> host_counts(256);
  for (const bool constant : {false, true}) {
    const std::string kind = constant ? ", constant" : ", uniform";
    {
      const Buffer x = random_bytes(stream, n);
      if (constant) x.fill(stream, std::uint8_t{77});
      Comparison bytes(suite, context, "histogram, " + power_of_two(n) + " uint8" + kind,
                       {size / 1e9, "Gelem/s", size, constant ? 3100.0 : 1960.0});
      if (cuda) bytes.peer("CUB", [&] { call_peer(cuda->histogram_bytes, stream, x, counts, n); });
      std::vector<std::uint8_t> host;
      if (!context.on_gpu()) {
        host = x.read<std::uint8_t>();
        bytes.host_peer("C++ with OpenMP", [&] { openmp_histogram_bytes(host.data(), host_counts.data(), n); });
      }
      bytes.ours(
          [&] {
            histogram(stream, {.type = ScalarType::u8,
                               .samples = x,
                               .count = n,
                               .bins = 256,
                               .counts = counts,
                               .kind = HistogramProblem::Bins::whole});
          },
          [&] { require_counts(counts, n, constant); });
    }
    const Buffer x = random_floats(stream, n);
    if (constant) x.fill(stream, 0.3f);
    Comparison floats(suite, context, "histogram, " + power_of_two(n) + " float" + kind,
                      {size / 1e9, "Gelem/s", 4 * size, 964});
    if (cuda) floats.peer("CUB", [&] { call_peer(cuda->histogram_floats, stream, x, counts, -1.0f, 1.0f, n); });
    std::vector<float> host;
    if (!context.on_gpu()) {
      host = x.read<float>();
      floats.host_peer("C++ with OpenMP", [&] { openmp_histogram_floats(host.data(), host_counts.data(), -1, 1, n); });
    }
    floats.ours(
        [&] {
          histogram(
              stream,
              {.type = ScalarType::f32, .samples = x, .count = n, .bins = 256, .counts = counts, .low = -1, .high = 1});
        },
        [&] { require_counts(counts, n, constant); });
  }
}

}  // namespace rtcg::bench
