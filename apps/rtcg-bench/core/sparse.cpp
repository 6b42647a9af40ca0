// Sparse matrix times vector, and conjugate gradients, on a 3-D Poisson matrix of seven points a row.
#include <fmt/format.h>

#include <random>

#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/peers/cuda_libraries.h"
#include "apps/rtcg-bench/peers/openmp_peers.h"
#include "apps/rtcg-bench/poisson.h"

namespace rtcg::bench {

void sparse_topic(Suite& suite, const Context& context) {
  const Stream& stream = context.stream;
  const int side = context.quick ? 16 : context.on_gpu() ? 160 : 64;
  const HostCsr host = poisson(side);
  const std::size_t rows = host.rows(), entries = host.values.size();
  std::vector<double> host_x(rows), host_y(rows);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (double& value : host_x) value = uniform(random);
  const CsrBuffers matrix{rows,
                          rows,
                          entries,
                          Buffer::from(stream, host.starts),
                          Buffer::from(stream, host.columns),
                          Buffer::from(stream, host.values)};
  const Buffer x = Buffer::from(stream, host_x), y = Buffer::of<double>(stream, rows);

  const double flops = 2 * static_cast<double>(entries);
  const double bytes = 12 * static_cast<double>(entries) + 20 * static_cast<double>(rows);
  Comparison spmv(suite, context, fmt::format("CSR SpMV, double, Poisson {}^3", side),
                  {flops / 1e9, "GFLOP/s", bytes, 450});
  if (const auto peer = cusparse_spmv(stream, matrix, x, y)) spmv.peer("cuSPARSE", peer);
  if (!context.on_gpu())
    spmv.host_peer("C++ with OpenMP", [&] {
      openmp_spmv(host.starts.data(), host.columns.data(), host.values.data(), host_x.data(), host_y.data(), rows);
    });
  spmv.peers_only();
}

}  // namespace rtcg::bench
