// Sorting of unsigned keys, alone and with values.
#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/peers/cuda_peers.h"
#include "apps/rtcg-bench/peers/openmp_peers.h"

namespace rtcg::bench {

void sort_topic(Suite& suite, const Context& context) {
  const Stream& stream = context.stream;
  const std::size_t n = context.size(26, 22);
  const double size = static_cast<double>(n);
  const Buffer keys = random_uints(stream, n, 1), values = random_uints(stream, n, 2),
               sorted = Buffer::of<std::uint32_t>(stream, n), sorted_values = Buffer::of<std::uint32_t>(stream, n);
  const CudaPeers* cuda = cuda_peers(stream.device());

  Comparison alone(suite, context, "sort, " + power_of_two(n) + " uint32", {size / 1e9, "Gkey/s", 0, 47.2});
  if (cuda) alone.peer("CUB", [&] { call_peer(cuda->sort_keys, stream, keys, sorted, n); });
  std::vector<std::uint32_t> unsorted, host;
  if (!context.on_gpu()) {
    unsorted = keys.read<std::uint32_t>();
    alone.host_peer(
        parallel_sort_name(), [&] { parallel_sort(host.data(), n); }, [&] { host = unsorted; });
  }
  alone.peers_only();

  Comparison pairs(suite, context, "sort by key, " + power_of_two(n) + " uint32 with uint32",
                   {size / 1e9, "Gkey/s", 0, 30.5});
  if (cuda) pairs.peer("CUB", [&] { call_peer(cuda->sort_pairs, stream, keys, sorted, values, sorted_values, n); });
  pairs.peers_only();
}

}  // namespace rtcg::bench
