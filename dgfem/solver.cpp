#include "dgfem/solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dgfem/curved_stage.h"
#include "dgfem/limiter.h"
#include "dgfem/pml.h"
#include "dgfem/sources.h"
#include "dgfem/stability.h"
#include "dgfem/stage_tuning.h"
#include "dgfem/system_text.h"
#include "rtcg/compile/compiler.h"
#include "rtcg/error.h"
#include "rtcg_dgfem_kernels.h"

namespace rtcg::dgfem {

Solver::Solver(const Stream& stream, const Problem& problem, SolverOptions options)
    : mesh_(std::make_shared<Discretization>(problem)), options_(std::move(options)) {
  if (options_.precision != ScalarType::f32 && options_.precision != ScalarType::f64)
    throw UsageError("a solver runs in single or double precision");
  const DeviceProperties& device = stream.device().properties();
  if (!device.has_double)
    throw DeviceError(
        fmt::format("{} ({}) has no double precision, which initial values need", device.id, device.name));
  data_ = std::make_shared<StageData>(stream, mesh_, options_.precision);
  variant_ = options_.variant ? *options_.variant : chosen_stage(stream.device(), *mesh_, options_.precision);
  stage_ = make_stage(data_, variant_);
  if (mesh_->curved() > 0) curved_ = make_curved_stage(data_);
  for (Buffer* buffer : {&buffers_.q, &buffers_.q_new, &buffers_.residual}) {
    *buffer = Buffer(stream, data_->state_bytes(), MemoryKind::device, options_.precision);
    buffer->zero(stream);
  }
  for (const SourceTerm& source : problem.sources) add(make_source(data_, source));
  if (problem.pml) add(make_pml(data_, *problem.pml));
  evaluate(problem.initial, 0, buffers_.q);
  if (problem.limiter) {
    const auto limiter = std::make_shared<Limiter>(data_, *problem.limiter);
    limiter->limit(buffers_.q, 0);
    add(limiter);
  }
  if (!mesh_->system->has_constant_speed()) wave_rate_.emplace(data_);
  step_ = options_.step ? *options_.step : options_.cfl * stable_step();
}

double Solver::stable_step() const {
  double damping = 0;
  for (const auto& extra : extras_) damping = std::max(damping, extra->damping());
  // Rates of waves and of damping add up; the scheme bears so much of the latter alone.
  static const Eigen::VectorXcd decay = Eigen::VectorXcd::Constant(1, -1.0);
  const double waves = stable_wave_step();
  return damping > 0 ? 1 / (1 / waves + damping / largest_scale(options_.scheme, decay)) : waves;
}

double Solver::stable_wave_step() const {
  const double limit = stability_limit(options_.scheme, mesh_->mesh.type, mesh_->reference.order());
  if (wave_rate_) return limit / (*wave_rate_)(buffers_.q);
  std::vector<double> speed;
  for (const auto& values : mesh_->materials) speed.push_back(mesh_->system->wave_speed(values, mesh_->parameters));
  const std::vector<double> radii = mesh_->inradii();
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e < radii.size(); ++e) shortest = std::min(shortest, radii[e] / speed[mesh_->region[e]]);
  return limit * shortest;
}

void Solver::run_step(double dt) {
  const TimeScheme& scheme = options_.scheme;
  for (std::size_t s = 0; s < scheme.stages(); ++s) {
    const StageStep step{scheme.a[s], scheme.b[s], dt, time_ + scheme.c[s] * dt};
    (*stage_)(buffers_, step, 0, mesh_->straight);
    if (curved_) (*curved_)(buffers_, step, mesh_->straight, mesh_->size());
    for (const auto& extra : extras_) extra->after_stage(buffers_, step);
    std::swap(buffers_.q, buffers_.q_new);
  }
  time_ += dt;
  ++steps_;
}

void Solver::advance(std::int64_t steps) {
  for (std::int64_t i = 0; i < steps; ++i) run_step(step_);
}

void Solver::advance_to(double time) {
  const double left = time - time_;
  if (!(left > 0)) return;
  if (wave_rate_ && !options_.step) return follow_to(time);
  const double start = time_;
  const auto count = static_cast<std::int64_t>(std::ceil(left / step_ * (1 - 1e-12)));
  for (std::int64_t i = 1; i <= count; ++i) {
    run_step(left / static_cast<double>(count));
    time_ = i == count ? time : start + left * static_cast<double>(i) / static_cast<double>(count);
  }
}

void Solver::follow_to(double time) {
  // Counted from here, not from the first step: a restart at the end of an earlier call takes the same steps.
  constexpr int steps_between = 5;
  for (int i = 0; time_ < time; ++i) {
    if (i % steps_between == 0) step_ = options_.cfl * stable_step();
    if (!std::isfinite(step_) || !(time_ + step_ > time_))
      throw NumericalError(
          fmt::format("waves are no longer finite at t = {:g}, step {}: a smaller cfl or a limiter may "
                      "help",
                      time_, steps_));
    const double count = std::ceil((time - time_) / step_ * (1 - 1e-12));
    run_step((time - time_) / count);
    if (count <= 1) time_ = time;
  }
}

std::vector<double> Solver::fields() const {
  const std::size_t count = mesh_->size() * static_cast<std::size_t>(mesh_->nodes() * mesh_->fields());
  std::vector<double> values(count);
  if (options_.precision == ScalarType::f64) {
    buffers_.q.read(values.data(), count * sizeof(double));
  } else {
    std::vector<float> single(count);
    buffers_.q.read(single.data(), count * sizeof(float));
    std::copy(single.begin(), single.end(), values.begin());
  }
  return values;
}

void Solver::set_fields(std::span<const double> values) {
  const std::size_t count = mesh_->size() * static_cast<std::size_t>(mesh_->nodes() * mesh_->fields());
  if (values.size() != count) throw UsageError(fmt::format("{} values for a state of {}", values.size(), count));
  if (options_.precision == ScalarType::f64) {
    buffers_.q.write(values.data(), values.size_bytes());
  } else {
    const std::vector<float> single(values.begin(), values.end());
    buffers_.q.write(single.data(), count * sizeof(float));
  }
}

void Solver::evaluate(const FieldFormulas& formulas, double time, const Buffer& target) const {
  const Discretization& m = *mesh_;
  const auto dimension = static_cast<std::size_t>(m.reference.dimension());
  std::vector<double> corner(m.size() * (dimension + 1) * 3);
  for (std::size_t e = 0; e < m.size(); ++e)
    for (std::size_t v = 0; v <= dimension; ++v)
      for (std::size_t d = 0; d < 3; ++d)
        corner[(e * (dimension + 1) + v) * 3 + d] = m.mesh.vertex(e, static_cast<int>(v))[d];
  std::vector<double> curved(std::max<std::size_t>(1, m.curved() * static_cast<std::size_t>(m.nodes()) * 3));
  for (std::size_t e = m.straight, i = 0; e < m.size(); ++e) {
    const Eigen::MatrixXd x = m.node_positions(e);
    for (Eigen::Index n = 0; n < x.rows(); ++n)
      for (Eigen::Index d = 0; d < 3; ++d) curved[i++] = x(n, d);
  }
  const Stream& on = data_->stream;
  Source source("place_fields.cl",
                "typedef double real;\n" +
                    field_function("place_values", *m.system, formulas, m.parameters, ScalarType::f64) + "#line 1\n" +
                    std::string(kernels::place_fields_cl));
  source.define("NODES", m.nodes()).define("DG_FIELDS", m.fields()).define("DG_DIMENSION", m.reference.dimension());
  source.define("state_real", name_of(options_.precision));
  compile(on.device(), source)
      .kernel("dg_place_fields")(on, Grid::over(m.size() * static_cast<std::size_t>(m.nodes())), target,
                                 Buffer::from(on, corner), Buffer::from(on, barycentric_weights(m.reference)),
                                 Buffer::from(on, curved), time, static_cast<int>(m.straight),
                                 static_cast<int>(m.size()));
}

}  // namespace rtcg::dgfem
