// Maxwell's equations on a box of tetrahedra between perfect conductors, stage by stage: degrees of freedom (nodes x
// fields) a second for each order and precision, beside what the machine allows, beside the solver by hand on the
// host's cores, and beside the same stage without one of the ideas it is made of.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "apps/common/logging.h"
#include "apps/rtcg-bench/dgfem/stage_run.h"
#include "apps/rtcg-bench/dgfem/stage_work.h"
#include "apps/rtcg-bench/dgfem/topics.h"
#include "dgfem/host/host_solver.h"
#include "dgfem/mesh/box.h"
#include "dgfem/stage_tuning.h"
#include "dgfem/system_file.h"
#include "rtcg/tune/session.h"

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

  void run(const std::shared_ptr<const Discretization>& mesh) {
    const HostPeer host(context_, order_);
    const HostSample sample = sample_of(*mesh);
    for (const ScalarType precision : {ScalarType::f32, ScalarType::f64})
      if (precision == ScalarType::f32 || context_.stream.device().properties().has_double)
        attempt(name_of(precision), [&] { line(mesh, precision, host, sample); });
  }

 private:
  std::string name_of(ScalarType precision) const {
    return fmt::format("Maxwell 3-D, N={}, {}", order_, precision == ScalarType::f32 ? "single" : "double");
  }
  /// What goes wrong with one kernel or one order stands in the record and leaves the others alone.
  void attempt(const std::string& what, const std::function<void()>& work) const {
    try {
      work();
    } catch (const Error& error) {
      suite_.failures.push_back(fmt::format("{}: {}", what, error.what()));
      app::log_error("{}", suite_.failures.back());
    }
  }

  void line(const std::shared_ptr<const Discretization>& mesh, ScalarType precision, const HostPeer& host,
            const HostSample& sample) {
    const bool single = precision == ScalarType::f32;
    const std::string name = name_of(precision);
    const StageWork work{order_, single ? sizeof(float) : sizeof(double)};
    const auto data = std::make_shared<const StageData>(context_.stream, mesh, precision);
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
    const ParameterSpace space = stage_space(context_.stream.device(), StageShape(*mesh, precision));
    const Configuration chosen = choose(space, data, sample);
    Comparison comparison(suite_, context_, name, {dofs / 1e9, "GDOF/s", least_bytes, target});
    std::vector<std::unique_ptr<StageRun>> runs;
    for (const auto& [label, choice] : ablations(space, chosen)) {
      attempt(name + ": " + label, [&, &label = label, &choice = choice] {
        auto run = std::make_unique<StageRun>(data, choice);
        run->check(sample);
        comparison.peer(
            label, [run = run.get()] { (*run)(); }, words_of(choice));
        runs.push_back(std::move(run));
      });
    }
    StageRun run(data, chosen);
    Result& result = comparison.ours([&] { run(); }, [&] { run.check(sample); }, words_of(chosen));
    for (const auto& [label, rate] : host_rates) result.ratios[label] = result.value / rate;
    const double peak = single ? context_.fma_rate : context_.fma_rate_double;
    result.ratios["multiply-add"] = flops / result.measurement.median / peak;
    const double fastest = std::max(peak, single ? 0 : context_.tensor_rate_double);
    result.figures["share of the roofline"] =
        std::max(least_bytes / context_.copy_bandwidth, flops / fastest) / result.measurement.median;
    result.figures["GFLOP/s by the paper's rule"] = work.paper_flops_per_dof() * result.value;
    result.figures["GFLOP/s"] = work.flops_per_dof() * result.value;
    result.figures["elements"] = static_cast<double>(mesh->size());
    result.figures["bytes of memory a DOF"] = static_cast<double>(data->bytes()) / dofs;
  }

  /// The fastest of what wisdom knows, what a search finds, and the kernels that there are for the device, each with
  /// its defaults.
  Configuration choose(const ParameterSpace& space, const std::shared_ptr<const StageData>& data,
                       const HostSample& sample) const {
    std::vector<Configuration> candidates{chosen_stage(context_.stream.device(), *data->mesh, data->precision)};
    for (const ParameterValue& kernel : space.parameters().front().values) {
      Configuration choice = space.standard();
      choice.set("kernel", kernel);
      if (choice != candidates.front()) candidates.push_back(choice);
    }
    if (context_.tune_seconds > 0) {
      TuneOptions options;
      options.seconds = context_.tune_seconds;
      const TuneReport report =
          tune(context_.stream,
               describe_stage(context_.stream.device(), data->mesh->system, StageShape(*data->mesh, data->precision),
                              std::min<std::size_t>(data->mesh->size(), 200000)),
               options);
      candidates.push_back(report.winner.configuration);
    }
    std::optional<Configuration> best;
    double least = 0;
    for (const Configuration& candidate : candidates)
      attempt(name_of(data->precision) + ": " + words_of(candidate), [&] {
        StageRun run(data, candidate);
        run.check(sample);
        const double seconds = measure(
                                   context_.stream, [&] { run(); }, context_.turn_budget())
                                   .median;
        if (!best || seconds < least) best = candidate, least = seconds;
      });
    if (!best) throw DeviceError("no kernel works");
    return *best;
  }

  /// The default, and the portable kernel as it is and with one idea taken away: one kernel a stage, elements that
  /// share a work-group instead of being padded one by one.
  static std::vector<std::pair<std::string, Configuration>> ablations(const ParameterSpace& space,
                                                                      const Configuration& chosen) {
    Configuration portable = space.standard();
    portable.set("kernel", std::string("portable"));
    Configuration split = portable, padded = portable;
    split.set("portable.fused", false);
    padded.set("portable.elements", std::int64_t{1});
    std::vector<std::pair<std::string, Configuration>> all{{"default", space.standard()},
                                                           {"portable", portable},
                                                           {"portable, split", split},
                                                           {"portable, one element a group", padded}};
    std::erase_if(all, [&](const auto& entry) {
      return entry.second == chosen || !space.objection(entry.second).empty() ||
             (entry.first == "portable" && portable == space.standard());
    });
    return all;
  }

  /// Without the parameters of kernels that were not chosen.
  static std::string words_of(const Configuration& choice) {
    const std::string& kernel = choice.word("kernel");
    std::string text = kernel;
    for (const auto& [name, value] : choice.values())
      if (name.starts_with(kernel + ".")) text += fmt::format(" {}={}", name.substr(kernel.size() + 1), to_text(value));
    return text;
  }

  Suite& suite_;
  const Context& context_;
  int order_;
};

}  // namespace

void maxwell_topic(Suite& suite, const Context& context) {
  std::vector<int> orders = context.orders;
  if (orders.empty()) orders = context.quick ? std::vector{1, 3} : std::vector{1, 2, 3, 4, 5, 6, 7, 8};
  std::shared_ptr<const Discretization> mesh;
  int cells = 0;
  for (const int order : orders) {
    if (cells == cells_of(context, order)) {  // the numbering, which takes the time, does not depend on the order
      Discretization same = *mesh;
      same.reference = ReferenceElement(same.mesh.type, order);
      mesh = std::make_shared<const Discretization>(std::move(same));
    } else {
      cells = cells_of(context, order);
      mesh = std::make_shared<const Discretization>(box(cells, order));
    }
    Lines(suite, context, order).run(mesh);
    if (context.keep) context.keep(suite);
  }
}

}  // namespace rtcg::bench
