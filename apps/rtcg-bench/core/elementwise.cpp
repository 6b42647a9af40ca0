// Array arithmetic at memory speed: a*x + b*y and an expression of eight operations in one kernel.
#include <fmt/format.h>

#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/peers/cuda_peers.h"
#include "apps/rtcg-bench/peers/openmp_peers.h"

namespace rtcg::bench {

void elementwise_topic(Suite& suite, const Context& context) {
  const Stream& stream = context.stream;
  const std::size_t n = context.size(28, 24);
  const double size = static_cast<double>(n), bytes = 12 * size;
  const std::string floats = power_of_two(n) + " float";
  const Buffer x = random_floats(stream, n, 1), y = random_floats(stream, n, 2), z = Buffer::of<float>(stream, n);
  std::vector<float> host_x, host_y, host_z(n);
  if (!context.on_gpu()) host_x = x.read<float>(), host_y = y.read<float>();

  Comparison axpby(suite, context, "a*x + b*y, " + floats, {bytes / 1e9, "GB/s", bytes, 4300});
  if (const CudaPeers* cuda = cuda_peers(stream.device()))
    axpby.peer("CUB DeviceTransform", [&] { call_peer(cuda->axpby, stream, 2.0f, x, 3.0f, y, z, n); });
  if (!context.on_gpu())
    axpby.host_peer("C++ with OpenMP",
                    [&] { openmp_axpby(2.0f, host_x.data(), 3.0f, host_y.data(), host_z.data(), n); });
  axpby.peers_only();

  Comparison fused(suite, context, "0.5 sqrt(x*x + y*y) + max(x - y, 0.25), " + floats,
                   {bytes / 1e9, "GB/s", bytes, 4200});
  if (!context.on_gpu())
    fused.host_peer("C++ with OpenMP", [&] { openmp_fused(host_x.data(), host_y.data(), host_z.data(), n); });
  fused.peers_only();
}

}  // namespace rtcg::bench
