// A problem being solved on a device: the state, its time, and the steps that move both. Fields stay on the device;
// whoever looks at them (output, probes, norms) gets the buffer or asks for a copy on the host.
//
//   Solver solver(stream, problem, {.precision = ScalarType::f64});
//   solver.advance_to(problem_time);
//   std::vector<double> q = solver.fields();   // [element][node][field], numbered as in solver.discretization()
#pragma once

#include <functional>
#include <optional>

#include "dgfem/stage.h"
#include "dgfem/time_scheme.h"
#include "dgfem/wave_rate.h"
#include "rtcg/tune/configuration.h"

namespace rtcg::dgfem {

struct SolverOptions {
  ScalarType precision = ScalarType::f64;
  TimeScheme scheme = lsrk45();
  double cfl = 0.9;                      ///< of the largest stable step
  std::optional<double> step;            ///< instead of the one from cfl
  std::optional<Configuration> variant;  ///< of the stage's kernels; else what was tuned, else the default
};

/// What joins a stage beside its kernel: absorbing layers, sources, limiters. Called in the order of addition.
class StageExtra {
 public:
  struct Array {
    std::string name;                    ///< of its kind unique in a run: "pml.P"
    Buffer values;                       ///< real [element of `elements`][node][component]
    std::vector<std::int32_t> elements;  ///< as the discretization numbers them
    int components = 0;
  };
  virtual ~StageExtra() = default;
  /// Queues its work after the stage's: adds to residual and q_new (b times as much), or changes q_new alone.
  virtual void after_stage(const StageBuffers& buffers, const StageStep& step) = 0;
  /// The largest rate (1/s) at which it damps anything: steps are shortened for it.
  virtual double damping() const { return 0; }
  /// What a restart needs beside the fields.
  virtual std::vector<Array> state() const { return {}; }
};

class Solver {
 public:
  /// Sets the initial values; throws what Discretization and compilation throw.
  Solver(const Stream& stream, const Problem& problem, SolverOptions options = {});

  const Discretization& discretization() const { return *mesh_; }
  const std::shared_ptr<const StageData>& data() const { return data_; }
  const SolverOptions& options() const { return options_; }
  const Stream& stream() const { return data_->stream; }
  /// The kernels that run stages of straight elements, with their parameters.
  const Configuration& variant() const { return variant_; }

  double time() const { return time_; }
  std::int64_t steps() const { return steps_; }
  /// From the elements' inradii, wave speeds and the scheme's stability at this order.
  double stable_step() const;
  double step() const { return step_; }
  /// From now on, instead of what the options say.
  void set_step(double dt) { options_.step = step_ = dt; }

  void add(std::shared_ptr<StageExtra> extra) { extras_.push_back(std::move(extra)); }
  const std::vector<std::shared_ptr<StageExtra>>& extras() const { return extras_; }

  /// Queues steps of length step().
  void advance(std::int64_t steps);
  /// As many equal steps of at most step() as reach `time`; step() stays. Where speeds depend on the fields and the
  /// options give no step, step() follows the state: it is found again every few steps. NumericalError then where the
  /// state has no finite speed.
  void advance_to(double time);

  /// real [padded element][node][field]; another buffer after each stage.
  const Buffer& state() const { return buffers_.q; }
  std::vector<double> fields() const;
  /// UsageError for another number of values.
  void set_fields(std::span<const double> values);
  /// Fields from formulas of x, y, z, t at the nodes, into a buffer like state(); 0 where there is none.
  void evaluate(const FieldFormulas& formulas, double time, const Buffer& target) const;
  /// Of a restart: the clock alone.
  void set_clock(double time, std::int64_t steps) { time_ = time, steps_ = steps; }

 private:
  void run_step(double dt);
  void follow_to(double time);
  double stable_wave_step() const;

  std::shared_ptr<const Discretization> mesh_;
  std::shared_ptr<const StageData> data_;
  SolverOptions options_;
  Configuration variant_;
  std::unique_ptr<StageKernel> stage_, curved_;
  std::optional<WaveRate> wave_rate_;  ///< where speeds depend on the fields
  StageBuffers buffers_;
  std::vector<std::shared_ptr<StageExtra>> extras_;
  double time_ = 0, step_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace rtcg::dgfem
