// Sum and dot product.
#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/peers/cuda_libraries.h"
#include "apps/rtcg-bench/peers/cuda_peers.h"
#include "apps/rtcg-bench/peers/openmp_peers.h"

namespace rtcg::bench {

void reduce_topic(Suite& suite, const Context& context) {
  const Stream& stream = context.stream;
  const std::size_t n = context.size(28, 24);
  const double size = static_cast<double>(n);
  const std::string floats = power_of_two(n) + " float";
  const Buffer x = random_floats(stream, n, 1), y = random_floats(stream, n, 2), result = Buffer::of<float>(stream, 1);
  const CudaPeers* cuda = cuda_peers(stream.device());
  std::vector<float> host_x, host_y;
  if (!context.on_gpu()) host_x = x.read<float>(), host_y = y.read<float>();
  volatile float host_result = 0;

  Comparison sum(suite, context, "sum, " + floats, {4 * size / 1e9, "GB/s", 4 * size, 4300});
  if (cuda) sum.peer("CUB", [&] { call_peer(cuda->sum, stream, x, result, n); });
  if (!context.on_gpu()) sum.host_peer("C++ with OpenMP", [&] { host_result = openmp_sum(host_x.data(), n); });
  sum.peers_only();

  Comparison dot(suite, context, "dot, " + floats, {8 * size / 1e9, "GB/s", 8 * size, 4300});
  if (cuda) dot.peer("CUB over a transform iterator", [&] { call_peer(cuda->dot, stream, x, y, result, n); });
  if (const auto peer = cublas_dot(stream, x, y, result, n)) dot.peer("cuBLAS", peer);
  if (!context.on_gpu())
    dot.host_peer("C++ with OpenMP", [&] { host_result = openmp_dot(host_x.data(), host_y.data(), n); });
  dot.peers_only();
}

}  // namespace rtcg::bench
