// Maxwell's equations on a box of tetrahedra between perfect conductors, stage by stage: degrees of freedom (nodes x
// fields) a second for each order and precision, beside what the machine allows, beside the solver by hand on the
// host's cores, and beside the same stage without one of the ideas it is made of.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/rtcg-bench/dgfem/stage_run.h"
#include "apps/rtcg-bench/dgfem/stage_work.h"
#include "apps/rtcg-bench/dgfem/topics.h"
#include "dgfem/host/host_solver.h"
#include "dgfem/mesh/box.h"
#include "dgfem/system_file.h"

namespace rtcg::bench {

namespace {

using namespace dgfem;

/// GDOF/s that the suite sets out to reach on an H200, orders 1 to 8.
constexpr double single_targets[] = {118, 115, 110, 90, 70, 52, 40, 28};
constexpr double double_targets[] = {56, 55, 50, 42, 36, 30, 22, 16};

/// Cells along each side of a box of about so many degrees of freedom.
int cells_for(double dofs, int order) {
  return std::max(2, static_cast<int>(std::cbrt(dofs / (36 * StageWork{order, 4}.nodes()))));
}

Discretization box(int cells, int order) {
  Problem problem;
  problem.mesh = box_mesh({.cells = {cells, cells, cells}});
  problem.system = shipped_system("maxwell", 3);
  problem.order = order;
  problem.boundaries["default"] = {"pec", {}};
  return Discretization(problem);
}

/// Two million elements where these fit well, fewer for higher orders and where there are few cores.
int cells_of(const Context& context, int order) {
  if (context.quick) return 4;
  if (!context.on_gpu()) return cells_for(3e6, order);
  return order <= 3 ? 70 : cells_for(250e6, order);
}

/// The C++ solver on a mesh that leaves the caches but does not take long.
class HostPeer {
 public:
  HostPeer(const Context& context, int order)
      : context_(context),
        mesh_(std::make_shared<HostMesh>(
            host_mesh(box(context.quick ? 3 : std::min(cells_of(context, order), cells_for(6e6, order)), order)))) {}

  double dofs() const { return static_cast<double>(mesh_->elements) * mesh_->nodes * mesh_->fields(); }
  std::size_t elements() const { return mesh_->elements; }

  template <class Real>
  Measurement stage(int threads) const {
    const auto solver = make_host_solver<Real>(mesh_, 1, threads);
    std::vector<Real> q(static_cast<std::size_t>(dofs())), next(q.size()), residual(q.size());
    std::uint32_t word = 1;
    for (Real& value : q)
      value = static_cast<Real>(static_cast<std::int32_t>(word = word * 1664525 + 1013904223)) * Real(0x1p-31);
    return measure_host(
        [&] {
          solver->stage(q.data(), next.data(), residual.data(), Real(-0.5), Real(0.5), Real(1e-9));
          std::swap(q, next);
        },
        context_.turn_budget());
  }

 private:
  const Context& context_;
  std::shared_ptr<const HostMesh> mesh_;
};

class Lines {
 public:
  Lines(Suite& suite, const Context& context, int order) : suite_(suite), context_(context), order_(order) {}

  void run() {
    const HostPeer host(context_, order_);
    const auto mesh = std::make_shared<const Discretization>(box(cells_of(context_, order_), order_));
    for (const ScalarType precision : {ScalarType::f32, ScalarType::f64}) line(mesh, precision, host);
  }

 private:
  void line(const std::shared_ptr<const Discretization>& mesh, ScalarType precision, const HostPeer& host) {
    const bool single = precision == ScalarType::f32;
    const std::string name = fmt::format("Maxwell 3-D, N={}, {}", order_, single ? "single" : "double");
    const StageWork work{order_, single ? sizeof(float) : sizeof(double)};
    const auto data = std::make_shared<const StageData>(context_.stream, mesh, precision);
    const Configuration ours = portable_stage_default(*mesh, context_.stream.device().properties(), precision);
    const double target = order_ > 8 ? 0 : (single ? single_targets : double_targets)[order_ - 1];
    const double dofs = mesh->dofs();
    const double least_bytes = work.bytes_per_dof() * dofs, flops = work.flops_per_dof() * dofs;

    std::map<std::string, double> host_rates;
    for (const auto& [label, threads] : {std::pair{"C++ on one core", 1}, std::pair{"C++ on all cores", 0}}) {
      const Measurement time = single ? host.stage<float>(threads) : host.stage<double>(threads);
      host_rates[label] = host.dofs() / 1e9 / time.median;
      suite_.add({name + ": " + label,
                  host_rates[label],
                  "GDOF/s",
                  time,
                  {},
                  {{"elements", static_cast<double>(host.elements())},
                   {"GFLOP/s by the paper's rule", work.paper_flops_per_dof() * host_rates[label]}},
                  "OpenMP, -O3 -march=native -fno-math-errno"});
    }
    Comparison comparison(suite_, context_, name, {dofs / 1e9, "GDOF/s", least_bytes, target});
    std::vector<std::unique_ptr<StageRun>> runs;
    for (const auto& [label, configuration] : ablations(ours)) {
      StageRun& run = *runs.emplace_back(std::make_unique<StageRun>(data, configuration));
      run.check();
      comparison.peer(
          label, [&run] { run(); }, configuration.text());
    }
    StageRun run(data, ours);
    Result& result = comparison.ours([&] { run(); }, [&] { run.check(); }, ours.text());
    for (const auto& [label, rate] : host_rates) result.ratios[label] = result.value / rate;
    const double peak = single ? context_.fma_rate : context_.fma_rate_double;
    result.ratios["multiply-add"] = flops / result.measurement.median / peak;
    const double fastest = std::max(peak, single ? 0 : context_.tensor_rate_double);
    result.figures["share of the roofline"] =
        std::max(least_bytes / context_.copy_bandwidth, flops / fastest) / result.measurement.median;
    result.figures["GFLOP/s by the paper's rule"] = work.paper_flops_per_dof() * result.value;
    result.figures["GFLOP/s"] = work.flops_per_dof() * result.value;
    result.figures["elements"] = static_cast<double>(mesh->size());
    result.figures["bytes of memory a DOF"] = run.bytes() / dofs;
  }

  /// Ours with one idea taken away.
  static std::vector<std::pair<std::string, Configuration>> ablations(const Configuration& ours) {
    Configuration split = ours, padded = ours;
    split.set("fused", false);
    padded.set("elements", std::int64_t{1});
    return {{"split", split}, {"one element a group", padded}};
  }

  Suite& suite_;
  const Context& context_;
  int order_;
};

}  // namespace

void maxwell_topic(Suite& suite, const Context& context) {
  std::vector<int> orders = context.orders;
  if (orders.empty()) orders = context.quick ? std::vector{1, 3} : std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  for (const int order : orders) Lines(suite, context, order).run();
}

}  // namespace rtcg::bench
