// Sorting of unsigned keys, alone and with values.
#include <algorithm>

#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/peers/cuda_peers.h"
#include "apps/rtcg-bench/peers/openmp_peers.h"
#include "rtcg/array/radix_sort.h"

namespace rtcg::bench {

namespace {

/// The same for the same pairs in any order.
std::uint64_t fingerprint(const std::vector<std::uint32_t>& keys, const std::vector<std::uint32_t>& values) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::uint64_t pair = (std::uint64_t{keys[i]} << 32 | values[i]) * 0x9e3779b97f4a7c15;
    pair ^= pair >> 29;
    sum += pair * 0xbf58476d1ce4e5b9;
  }
  return sum;
}

}  // namespace

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
  alone.ours([&] { radix_sort(stream, {.type = ScalarType::u32, .length = n, .keys = keys, .sorted_keys = sorted}); },
             [&] {
               const auto in = keys.read<std::uint32_t>(), out = sorted.read<std::uint32_t>();
               require(std::is_sorted(out.begin(), out.end()) && fingerprint(in, in) == fingerprint(out, out),
                       "sorted keys");
             });

  Comparison pairs(suite, context, "sort by key, " + power_of_two(n) + " uint32 with uint32",
                   {size / 1e9, "Gkey/s", 0, 30.5});
  if (cuda) pairs.peer("CUB", [&] { call_peer(cuda->sort_pairs, stream, keys, sorted, values, sorted_values, n); });
  pairs.ours(
      [&] {
        radix_sort(stream, {.type = ScalarType::u32,
                            .length = n,
                            .keys = keys,
                            .sorted_keys = sorted,
                            .values = values,
                            .sorted_values = sorted_values,
                            .value_bytes = 4});
      },
      [&] {
        const auto out = sorted.read<std::uint32_t>();
        require(std::is_sorted(out.begin(), out.end()) &&
                    fingerprint(keys.read<std::uint32_t>(), values.read<std::uint32_t>()) ==
                        fingerprint(out, sorted_values.read<std::uint32_t>()),
                "pairs sorted by key");
      });
}

}  // namespace rtcg::bench
