// Inclusive scan, and the selection that is built on it.
#include <cmath>

#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/peers/cuda_peers.h"
#include "apps/rtcg-bench/peers/openmp_peers.h"
#include "rtcg/array/selection.h"

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
  const Array values = as_array(x);
  Array sums;
  scan.ours([&] { sums = cumsum(values); },
            [&] {
              const std::vector<float> inputs = x.read<float>(), results = sums.to_vector<float>();
              double sum = 0, error = 0;
              for (std::size_t i = 0; i < n; ++i) {
                sum += static_cast<double>(inputs[i]);
                error = std::max(error, std::abs(static_cast<double>(results[i]) - sum));
              }
              require(error < 1e-6 * size, "inclusive scan");
            });
  sums = {};

  Comparison select(suite, context, "copy_if, half kept, " + floats, {size / 1e9, "Gelem/s", 6 * size, 440});
  if (cuda) select.peer("CUB", [&] { call_peer(cuda->select_positive, stream, x, y, count, n); });
  if (!context.on_gpu())
    select.host_peer("C++ with OpenMP", [&] { openmp_select_positive(host_x.data(), host_y.data(), n); });
  const Expression kept[] = {values};
  PendingFilter filtered;
  select.ours([&] { filtered = filter_on_device(kept, values > 0.0f); },
              [&] {
                const std::vector<float> inputs = x.read<float>(), results = filtered.values[0].to_vector<float>();
                std::size_t at = 0;
                bool correct = true;
                for (const float value : inputs)
                  if (value > 0) correct = correct && results[at++] == value;
                require(correct && filtered.count.item<std::uint64_t>() == at, "copy_if");
              });
}

}  // namespace rtcg::bench
