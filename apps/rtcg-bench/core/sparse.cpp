// Sparse matrix times vector, and conjugate gradients, on a 3-D Poisson matrix of seven points a row.
#include <fmt/format.h>

#include <random>

#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/peers/cuda_libraries.h"
#include "apps/rtcg-bench/peers/openmp_peers.h"
#include "apps/rtcg-bench/poisson.h"
#include "rtcg/sparse/conjugate_gradients.h"

namespace rtcg::bench {

namespace {

/// Host time of an iteration in a solve that never ends by itself, checks and polls included.
void cg_line(Suite& suite, const Context& context, const std::string& name, const SparseOperator& op,
             const Preconditioner& preconditioner, const Buffer& b) {
  const Stream& stream = context.stream;
  ConjugateGradientOptions options;
  options.tolerance = 0;
  options.max_iterations = context.quick ? 20 : context.on_gpu() ? 300 : 100;
  const ConjugateGradients solver(stream, op, preconditioner, options);
  const Buffer x = Buffer::of<double>(stream, op.rows());
  const auto seconds = [&] {
    x.zero(stream);
    stream.synchronize();
    ConjugateGradientReport report;
    const double all = seconds_of([&] { report = solver.solve(stream, b, x); });
    return all / static_cast<double>(report.iterations);
  };
  seconds();
  const Measurement time = repeat(seconds, context.turn_budget());
  Result line{name, 1e6 * time.median, "us", time, {}, {}, "of an iteration, checks and polls included"};
  line.ratios["copy"] = static_cast<double>(solver.bytes()) / time.median / context.copy_bandwidth;
  if (stream.device().properties().name.find("H200") != std::string::npos) line.ratios["target"] = 250 / line.value;
  suite.add(std::move(line));
}

}  // namespace

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

  openmp_spmv(host.starts.data(), host.columns.data(), host.values.data(), host_x.data(), host_y.data(), rows);
  const double flops = 2 * static_cast<double>(entries);
  const SparseMatrix sparse(rows, rows, {host.starts.begin(), host.starts.end()}, host.columns, host.values);
  const auto product_line = [&](const std::string& name, SparseFormat format) {
    SparseOptions options;
    options.format = format;
    const SparseOperator op(stream, sparse, options);
    Comparison line(suite, context, fmt::format("{}, double, Poisson {}^3", name, side),
                    {flops / 1e9, "GFLOP/s", static_cast<double>(op.bytes()), 450});
    if (const auto peer = cusparse_spmv(stream, matrix, x, y)) line.peer("cuSPARSE", peer);
    if (!context.on_gpu())
      line.host_peer("C++ with OpenMP", [&] {
        openmp_spmv(host.starts.data(), host.columns.data(), host.values.data(), host_x.data(), host_y.data(), rows);
      });
    line.ours([&] { op(stream, x, y); },
              [&] {
                const std::vector<double> result = y.read<double>();
                for (std::size_t i = 0; i < rows; ++i)
                  require(std::abs(result[i] - host_y[i]) < 1e-14 * 12, "sparse product");
              },
              name_of(op.format()));
    return op;
  };
  const SparseOperator chosen = product_line("CSR SpMV, format chosen", SparseFormat::automatic);
  const SparseOperator dia = product_line("CSR SpMV as DIA", SparseFormat::dia);
  product_line("CSR SpMV as SELL", SparseFormat::sell);
  const SparseOperator csr = product_line("CSR SpMV", SparseFormat::csr);

  const std::string problem = fmt::format("double, Poisson {}^3", side);
  cg_line(suite, context, "CG, format chosen, " + problem, chosen, {}, x);
  cg_line(suite, context, "CG as DIA, " + problem, dia, {}, x);
  cg_line(suite, context, "CG with Jacobi as DIA, " + problem, dia, Preconditioner::jacobi(stream, sparse), x);
  cg_line(suite, context, "CG as CSR, " + problem, csr, {}, x);
}

}  // namespace rtcg::bench
