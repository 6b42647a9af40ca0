// Array arithmetic at memory speed: a*x + b*y and an expression of eight operations in one kernel.
#include <cmath>

#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/peers/cuda_peers.h"
#include "apps/rtcg-bench/peers/openmp_peers.h"
#include "rtcg/array/expression.h"

namespace rtcg::bench {

namespace {

/// Against the same formula on the host, at every place.
template <class Formula>
void check(const Array& x, const Array& y, const Array& z, const char* what, Formula formula) {
  const std::vector<float> a = x.to_vector<float>(), b = y.to_vector<float>(), c = z.to_vector<float>();
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < a.size(); ++i) wrong += !(std::abs(formula(a[i], b[i]) - c[i]) <= 1e-6f);
  require(wrong == 0, what);
}

}  // namespace

void elementwise_topic(Suite& suite, const Context& context) {
  const Stream& stream = context.stream;
  const std::size_t n = context.size(28, 24);
  const double bytes = 12 * static_cast<double>(n);
  const std::string floats = power_of_two(n) + " float";
  const Array x = as_array(random_floats(stream, n, 1)), y = as_array(random_floats(stream, n, 2)),
              z = Array::empty(stream, x.shape(), Dtype::f32);
  std::vector<float> host_x, host_y, host_z(context.on_gpu() ? 0 : n);
  if (!context.on_gpu()) host_x = x.to_vector<float>(), host_y = y.to_vector<float>();

  Comparison axpby(suite, context, "a*x + b*y, " + floats, {bytes / 1e9, "GB/s", bytes, 4300});
  if (const CudaPeers* cuda = cuda_peers(stream.device()))
    axpby.peer("CUB DeviceTransform",
               [&] { call_peer(cuda->axpby, stream, 2.0f, x.buffer(), 3.0f, y.buffer(), z.buffer(), n); });
  if (!context.on_gpu())
    axpby.host_peer("C++ with OpenMP",
                    [&] { openmp_axpby(2.0f, host_x.data(), 3.0f, host_y.data(), host_z.data(), n); });
  axpby.ours([&] { z.assign(2.0f * x + 3.0f * y); },
             [&] { check(x, y, z, "a*x + b*y", [](float u, float v) { return 2.0f * u + 3.0f * v; }); });

  Comparison fused(suite, context, "0.5 sqrt(x*x + y*y) + max(x - y, 0.25), " + floats,
                   {bytes / 1e9, "GB/s", bytes, 4200});
  if (!context.on_gpu())
    fused.host_peer("C++ with OpenMP", [&] { openmp_fused(host_x.data(), host_y.data(), host_z.data(), n); });
  fused.ours([&] { z.assign(0.5f * sqrt(x * x + y * y) + maximum(x - y, 0.25f)); },
             [&] {
               check(x, y, z, "the fused expression",
                     [](float u, float v) { return 0.5f * std::sqrt(u * u + v * v) + std::max(u - v, 0.25f); });
             },
             "eight operations, one kernel");
}

}  // namespace rtcg::bench
