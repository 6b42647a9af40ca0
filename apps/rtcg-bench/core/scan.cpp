// Inclusive scan, and the selection that is built on it.
#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/peers/cuda_peers.h"
#include "apps/rtcg-bench/peers/openmp_peers.h"

namespace rtcg::bench {

void scan_topic(Suite& suite, const Context& context) {
  const Stream& stream = context.stream;
  const std::size_t n = context.size(28, 24);
  const double size = static_cast<double>(n);
  const std::string floats = power_of_two(n) + " float";
  const Buffer x = random_floats(stream, n), y = Buffer::of<float>(stream, n),
               count = Buffer::of<std::uint32_t>(stream, 1);
  const CudaPeers* cuda = cuda_peers(stream.device());
  std::vector<float> host_x, host_y(context.on_gpu() ? 0 : n);
  if (!context.on_gpu()) host_x = x.read<float>();

  Comparison scan(suite, context, "inclusive scan, " + floats, {size / 1e9, "Gelem/s", 8 * size, 400});
  if (cuda) scan.peer("CUB", [&] { call_peer(cuda->inclusive_sum, stream, x, y, n); });
  if (!context.on_gpu())
    scan.host_peer("C++ with OpenMP", [&] { openmp_inclusive_sum(host_x.data(), host_y.data(), n); });
  scan.peers_only();

  Comparison select(suite, context, "copy_if, half kept, " + floats, {size / 1e9, "Gelem/s", 6 * size, 440});
  if (cuda) select.peer("CUB", [&] { call_peer(cuda->select_positive, stream, x, y, count, n); });
  if (!context.on_gpu())
    select.host_peer("C++ with OpenMP", [&] { openmp_select_positive(host_x.data(), host_y.data(), n); });
  select.peers_only();
}

}  // namespace rtcg::bench
