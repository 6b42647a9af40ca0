#include "apps/rtcg-dgfem/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/common/json_output.h"
#include "apps/common/logging.h"
#include "apps/common/progress.h"
#include "dgfem/output/checkpoint_rotation.h"
#include "dgfem/output/measurement.h"
#include "dgfem/output/probe_record.h"
#include "dgfem/output/restart.h"
#include "dgfem/output/time_series.h"
#include "rtcg/error.h"

namespace rtcg::app {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Times k x every; the run's end is one as well.
class Schedule {
 public:
  Schedule(double every, double end) : every_(every > 0 ? every : end), end_(end) {}
  double after(double time) const {
    const double next = every_ * (std::floor(time / every_ * (1 + 1e-12)) + 1);
    return next > end_ * (1 - 1e-12) ? end_ : next;
  }
  bool is_due(double time) const {
    if (time >= end_ * (1 - 1e-12)) return true;
    const double k = time / every_;
    return std::abs(k - std::round(k)) < 1e-9 * std::max(1.0, k);
  }

 private:
  double every_, end_;
};

volatile std::sig_atomic_t interrupted = 0;

extern "C" void ask_to_stop(int number) {
  interrupted = number;
}

/// While it lives, Ctrl-C and termination only ask the run to stop; a second one ends it. Ignored signals stay ignored.
class StopOnSignal {
 public:
  StopOnSignal() {
    interrupted = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      sigaction(numbers[i], nullptr, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) continue;
      struct sigaction once {};
      once.sa_handler = ask_to_stop;
      once.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
      sigaction(numbers[i], &once, nullptr);
    }
  }
  ~StopOnSignal() {
    for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &before_[i], nullptr);
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;

 private:
  static constexpr std::array<int, 2> numbers{SIGINT, SIGTERM};
  std::array<struct sigaction, 2> before_{};
};

std::vector<std::string> names_of(const std::vector<dgfem::Measure>& measures) {
  std::vector<std::string> names;
  for (const dgfem::Measure& measure : measures) names.push_back(measure.name);
  return names;
}

class Run {
 public:
  Run(const Stream& stream, const dgfem::Case& plan, const RunPlaces& places)
      : plan_(plan),
        places_(places),
        start_(Clock::now()),
        problem_(plan.load()),
        solver_(stream, problem_, plan.solver_options()),
        samples_(plan.output.sample_every > 0 ? plan.output.sample_every : plan.final_time / 100, plan.final_time),
        pictures_(plan.output.every, plan.final_time),
        checkpoints_(plan.output.checkpoint_every, plan.final_time),
        rotation_(places.directory, plan.name, plan.output.keep) {
    std::vector<dgfem::Measure> measures = dgfem::energy_measures(*problem_.system);
    for (dgfem::Measure& content : dgfem::content_measures(*problem_.system)) measures.push_back(std::move(content));
    energy_.emplace(solver_, measures);
    closed_ = !problem_.system->energy.empty() && problem_.system->is_linear() && problem_.sources.empty() &&
              std::all_of(problem_.boundaries.begin(), problem_.boundaries.end(),
                          [](const auto& boundary) { return boundary.second.formulas.empty(); });
    if (!problem_.exact.empty()) errors_.emplace(solver_, dgfem::error_measures(problem_.exact));
    std::optional<dgfem::Checkpoint> from;
    if (!places.restart.empty()) {
      from = dgfem::read_checkpoint(places.restart);
      dgfem::restart(solver_, *from, places.restart.string());
    }
    for (const dgfem::Plane& plane : plan.planes) planes_.emplace_back(solver_, plane);
    std::error_code failed;
    fs::create_directories(places.directory, failed);
    if (failed) throw InputError(fmt::format("{}: cannot be made: {}", places.directory.string(), failed.message()));
    open_tables(from ? &*from : nullptr);
    if (plan.output.cells) {
      writer_.emplace(solver_.discretization().mesh, solver_.discretization().reference.order(),
                      dgfem::FieldFileOptions{*plan.output.cells, plan.precision == ScalarType::f32});
      series_ = list_of(plan.name, ".vtu");
    }
    for (const dgfem::Plane& plane : plan.planes)
      plane_series_.push_back(list_of(plan.name + "_" + plane.name, ".vti"));
    setup_seconds_ = seconds_since(start_);
  }

  /// Nothing when it was asked to stop.
  std::optional<RunSummary> go() {
    Progress progress(plan_.name, 1000);
    if (places_.restart.empty()) {
      sample(progress);
      picture();
    }
    const double begin = solver_.time();
    const std::int64_t steps_before = solver_.steps();
    while (solver_.time() < plan_.final_time) {
      const double time = solver_.time();
      const double next = std::min({samples_.after(time), pictures_.after(time), checkpoints_.after(time)});
      const auto started = Clock::now();
      solver_.advance_to(next);
      solver_.stream().synchronize();
      stepping_ += seconds_since(started);
      sample(progress);
      if (pictures_.is_due(next)) picture();
      if (checkpoints_.is_due(next) || interrupted != 0) checkpoint();
      if (interrupted != 0) {
        log_warning("{}: stopped at t = {:g}, step {}; \"--restart {}\" goes on", plan_.name, next, solver_.steps(),
                    last_checkpoint_.string());
        return std::nullopt;
      }
    }
    return summary(begin, solver_.steps() - steps_before);
  }

 private:
  dgfem::TimeSeries list_of(const std::string& name, const std::string& extension) const {
    const fs::path list = places_.directory / (name + ".pvd");
    return places_.restart.empty() ? dgfem::TimeSeries(list, extension)
                                   : dgfem::TimeSeries::continued(list, solver_.time(), extension);
  }

  void open_tables(const dgfem::Checkpoint* from) {
    // First, because it may refuse a probe: nothing of an earlier run is replaced then.
    if (!plan_.probes.empty())
      probes_.emplace(solver_, plan_.probes, plan_.frequencies, places_.directory / "probes.csv", from);
    const std::vector<std::string> energy = names_of(energy_->measures());
    const fs::path file = places_.directory / "energy.csv";
    energy_table_.emplace(from == nullptr ? dgfem::TableFile(file, energy)
                                          : dgfem::TableFile::continued(file, energy, from->time));
  }

  void sample(Progress& progress) {
    const double time = solver_.time();
    last_ = (*energy_)(solver_);
    if (std::any_of(last_.begin(), last_.end(), [](double v) { return !std::isfinite(v); })) {
      fail("fields are not finite");
    }
    if (closed_ && last_.front() > growth_limit * first_energy_.value_or(last_.front()))
      fail(fmt::format("energy has grown from {:g} to {:g}", *first_energy_, last_.front()));
    if (!first_energy_) first_energy_ = last_.front();
    if (samples_.is_due(time)) {
      energy_table_->add(time, last_);
      if (probes_) probes_->add(solver_);
    }
    progress.update(static_cast<std::size_t>(1000 * time / plan_.final_time),
                    fmt::format("t = {:.4g}, {} = {:.6g}", time, energy_->measures().front().name, last_.front()));
  }

  [[noreturn]] void fail(const std::string& what) const {
    const auto checkpoint = rotation_.latest();
    throw NumericalError(fmt::format("{}: {} at t = {:g}, step {}; {}", plan_.name, what, solver_.time(),
                                     solver_.steps(),
                                     checkpoint ? "the last good checkpoint is " + checkpoint->string()
                                                : "there is no checkpoint; a smaller cfl or step may help"));
  }

  void picture() {
    const double time = solver_.time();
    if (writer_) {
      writer_->write(series_->file_of(time), *problem_.system, solver_.fields(), time);
      series_->add(time);
    }
    for (std::size_t i = 0; i < planes_.size(); ++i) {
      planes_[i].write(plane_series_[i].file_of(time), *problem_.system, planes_[i](solver_), time);
      plane_series_[i].add(time);
    }
  }

  void checkpoint() {
    dgfem::Checkpoint checkpoint = dgfem::checkpoint_of(solver_);
    if (probes_) probes_->save(checkpoint);
    last_checkpoint_ = rotation_.write(checkpoint);
  }

  RunSummary summary(double begin, std::int64_t steps) {
    const dgfem::Discretization& mesh = solver_.discretization();
    RunSummary result;
    result.name = plan_.name, result.system = problem_.system->name, result.mesh = plan_.mesh.text();
    result.device = solver_.stream().device().properties().name;
    result.precision = plan_.precision == ScalarType::f32 ? "single" : "double";
    result.order = mesh.reference.order(), result.elements = mesh.size(), result.curved = mesh.curved();
    result.dofs = mesh.dofs(), result.time = solver_.time(), result.steps = steps;
    result.step = steps > 0 ? (solver_.time() - begin) / static_cast<double>(steps) : solver_.step();
    result.seconds = stepping_, result.setup_seconds = setup_seconds_;
    const auto stages = static_cast<double>(solver_.options().scheme.stages());
    result.dofs_per_second = stepping_ > 0 ? mesh.dofs() * stages * static_cast<double>(steps) / stepping_ : 0;
    result.bytes_per_dof = static_cast<double>(solver_.data()->bytes()) / mesh.dofs();
    for (std::size_t i = 0; i < last_.size(); ++i) result.measures[energy_->measures()[i].name] = last_[i];
    if (errors_) {
      const std::vector<double> values = (*errors_)(solver_);
      for (std::size_t i = 0; i < values.size(); ++i) result.measures[errors_->measures()[i].name] = values[i];
    }
    result.checkpoint = last_checkpoint_.string();
    if (probes_) {
      result.resonances = probes_->resonances(solver_.stream());
      probes_->write_fourier(places_.directory / "fourier.csv");
    }
    write_json((places_.directory / "summary.json").string(), to_json(result));
    return result;
  }

  const dgfem::Case& plan_;
  const RunPlaces& places_;
  Clock::time_point start_;
  dgfem::Problem problem_;
  dgfem::Solver solver_;
  Schedule samples_, pictures_, checkpoints_;
  dgfem::CheckpointRotation rotation_;
  std::optional<dgfem::Measurement> energy_, errors_;
  std::optional<dgfem::TableFile> energy_table_;
  std::optional<dgfem::ProbeRecord> probes_;
  std::vector<dgfem::PlaneProbe> planes_;
  std::vector<dgfem::TimeSeries> plane_series_;
  std::optional<dgfem::FieldFileWriter> writer_;
  std::optional<dgfem::TimeSeries> series_;
  std::vector<double> last_;
  static constexpr double growth_limit = 1e6;
  bool closed_ = false;  ///< nothing feeds energy: a linear system without sources and given boundary values
  std::optional<double> first_energy_;
  fs::path last_checkpoint_;
  double stepping_ = 0, setup_seconds_ = 0;
};

}  // namespace

RunSummary run(const Stream& stream, const dgfem::Case& plan, const RunPlaces& places) {
  std::optional<RunSummary> summary;
  {
    const StopOnSignal stops;
    summary = Run(stream, plan, places).go();
  }
  if (!summary) std::raise(interrupted);
  return summary.value();
}

std::string to_text(const RunSummary& summary) {
  std::string text = fmt::format(
      "case         {}: {} of order {}, {} precision, on {}\nmesh         {}: {} elements ({} curved), {:.4g} degrees "
      "of "
      "freedom, {:.3g} B each\ntime         {:g} in {} steps of {:.4g}\nspeed        {:.3f} s, {:.4g} GDOF/s a stage; "
      "set-up {:.2f} s\n",
      summary.name, summary.system, summary.order, summary.precision, summary.device, summary.mesh, summary.elements,
      summary.curved, summary.dofs, summary.bytes_per_dof, summary.time, summary.steps, summary.step, summary.seconds,
      summary.dofs_per_second / 1e9, summary.setup_seconds);
  for (const auto& [name, value] : summary.measures) text += fmt::format("{:<12} {:.9g}\n", name, value);
  for (const auto& [column, peak] : summary.resonances)
    text +=
        fmt::format("resonance    {}: frequency {:.9g}, amplitude {:.4g}\n", column, peak.frequency, peak.amplitude);
  return text;
}

nlohmann::ordered_json to_json(const RunSummary& s) {
  nlohmann::ordered_json measures = nlohmann::ordered_json::object();
  for (const auto& [name, value] : s.measures) measures[name] = value;
  nlohmann::ordered_json resonances = nlohmann::ordered_json::array();
  for (const auto& [column, peak] : s.resonances)
    resonances.push_back({{"probe", column}, {"frequency", peak.frequency}, {"amplitude", peak.amplitude}});
  return {{"case", s.name},
          {"system", s.system},
          {"order", s.order},
          {"precision", s.precision},
          {"device", s.device},
          {"mesh", {{"source", s.mesh}, {"elements", s.elements}, {"curved", s.curved}}},
          {"dofs", s.dofs},
          {"bytes_per_dof", s.bytes_per_dof},
          {"time", s.time},
          {"steps", s.steps},
          {"step", s.step},
          {"seconds", s.seconds},
          {"setup_seconds", s.setup_seconds},
          {"dofs_per_second", s.dofs_per_second},
          {"measures", measures},
          {"resonances", resonances},
          {"checkpoint", s.checkpoint}};
}

}  // namespace rtcg::app
