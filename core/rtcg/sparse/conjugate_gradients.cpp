#include "rtcg/sparse/conjugate_gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>

#include "rtcg/compile/template.h"
#include "rtcg/error.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

using Reason = ConjugateGradientReport::Reason;

// The device's scalars and states, named for the kernels by state_values().
enum Slot : std::size_t {
  rz,
  alpha,
  beta,
  curvature,
  rr,
  true_rr,
  limit,
  right_side,
  refuted,
  iteration,
  checked_at,
  status,
  slots
};
constexpr std::array<const char*, slots> slot_names{"RZ",      "ALPHA",     "BETA",       "CURVATURE",
                                                    "RR",      "TRUE_RR",   "LIMIT",      "RIGHT_SIDE",
                                                    "REFUTED", "ITERATION", "CHECKED_AT", "STATUS"};
enum class Status {
  running,
  claimed,
  converged,
  zero_right_side,
  exhausted,
  stagnated,
  broken_curvature,
  broken_preconditioner,
  broken_residual,
  statuses
};
constexpr std::array<const char*, static_cast<std::size_t>(Status::statuses)> status_names{
    "RUNNING",        "CLAIMED",   "CONVERGED",        "ZERO_RIGHT_SIDE",
    "EXHAUSTED",      "STAGNATED", "BROKEN_CURVATURE", "BROKEN_PRECONDITIONER",
    "BROKEN_RESIDUAL"};

TemplateValue::List list_of(std::span<const char* const> names) {
  return {names.begin(), names.end()};
}

std::string state_text(const FormatTarget& target) {
  return render(kernels::cg_state_cl,
                {{"slots", list_of(slot_names)}, {"statuses", list_of(status_names)}, {"group", target.group()}},
                "cg_state.cl");
}

}  // namespace

const char* name_of(Reason reason) {
  switch (reason) {
    case Reason::converged:
      return "converged";
    case Reason::zero_right_side:
      return "zero right-hand side";
    case Reason::max_iterations:
      return "maximum of iterations reached";
    case Reason::stagnated:
      return "stagnated: the true residual no longer falls";
  }
  return "?";
}

struct ConjugateGradients::Plan {
  SparseOperator op;
  Preconditioner preconditioner;
  ConjugateGradientOptions options;
  std::size_t n = 0;
  bool fused = false;  ///< the product forms p = z + beta p itself
  std::size_t check_every = 0;
  unsigned resident = 0;  ///< groups at once on a multiprocessor
  RowProgram product_program, residual_program;
  std::optional<Kernel> product, residual, direction, settle, update, measure, finish_product, finish_update,
      finish_check;
  Grid grid, one_group;
  Buffer r, z, p_even, p_odd, q, state, parts, right_parts;

  Plan(const Stream& stream, SparseOperator matrix, Preconditioner preconditioner_,
       const ConjugateGradientOptions& options_);
  void check() const;
  void make_kernels();
  void make_vectors(const Stream& stream);

  /// A kernel with its arguments.
  struct Step {
    Kernel kernel;
    Grid grid;
    SparseArguments arguments;
  };
  using Steps = std::vector<Step>;
  Step product_step(const Buffer& x) const;
  Steps iteration_steps(const Buffer& x) const;
  /// What computes the true residual, if it was claimed to be small or `forced`.
  Steps check_steps(const Buffer& b, const Buffer& x, bool forced) const;
  SparseArguments& add_total(SparseArguments& arguments, double value) const;

  std::vector<HostBuffer> copies;  ///< of the state, one for each poll in flight
  std::array<double, slots> read_copy(const HostBuffer& copy) const;
};

ConjugateGradients::Plan::Plan(const Stream& stream, SparseOperator matrix, Preconditioner preconditioner_,
                               const ConjugateGradientOptions& options_)
    : op(std::move(matrix)), preconditioner(std::move(preconditioner_)), options(options_), n(op.rows()) {
  check();
  const std::size_t polls = std::max<std::size_t>(std::min(options.check_every, n) / options.poll_every, 1);
  check_every = polls * options.poll_every;
  make_kernels();
  make_vectors(stream);
}

void ConjugateGradients::Plan::check() const {
  if (op.rows() != op.columns())
    throw UsageError(fmt::format("conjugate gradients: the matrix is {} x {}, not square", op.rows(), op.columns()));
  if (op.dtype() != ScalarType::f32 && op.dtype() != ScalarType::f64)
    throw UsageError(fmt::format("conjugate gradients: for float and double, not {}", name_of(op.dtype())));
  if (preconditioner.block() != 0 && preconditioner.rows() != n)
    throw UsageError(fmt::format("conjugate gradients: the preconditioner is of {} rows, the matrix of {}",
                                 preconditioner.rows(), n));
  if (preconditioner.block() != 0 && preconditioner.dtype() != op.dtype())
    throw UsageError(fmt::format("conjugate gradients: the preconditioner holds {}, the matrix {}",
                                 name_of(preconditioner.dtype()), name_of(op.dtype())));
  if (!(options.tolerance >= 0) || !std::isfinite(options.tolerance))
    throw UsageError(fmt::format("conjugate gradients: a tolerance is not negative, not {}", options.tolerance));
  if (options.poll_every == 0 || options.check_every == 0)
    throw UsageError("conjugate gradients: polls and checks are at least one iteration apart");
}

void ConjugateGradients::Plan::make_kernels() {
  const FormatTarget& target = op.matrix().target;
  const Device& device = op.device();
  fused = op.matrix().computes_elements() && !target.cpu();  // on a CPU forming p anew for each diagonal costs more
  const std::string state_words = state_text(target);
  const std::string part = target.cpu() ? "parts[get_group_id(0)] = GROUP_TOTAL(total);"
                                        : "total = GROUP_TOTAL(total);\n  if (get_local_id(0) == 0) "
                                          "parts[get_group_id(0)] = total;";
  product_program.name = fused ? "cg_fused_product" : "cg_product";
  product_program.condition = "state[STATUS] == RUNNING";
  // All kernels with sums run in as many groups. The fused product needs the registers.
  resident = product_program.resident = residual_program.resident = fused ? 4 : 8;
  product_program.reduces = residual_program.reduces = true;
  product_program.helpers = residual_program.helpers = state_words;
  product_program.declare = residual_program.declare = "  GROUP_SCRATCH\n  total_t total = 0;";
  product_program.end = residual_program.end = "  " + part;
  if (fused) {
    product_program.parameters =
        "global const total_t* state, global const value_t* restrict z, global value_t* p_even, global value_t* p_odd, "
        "global value_t* restrict x, global value_t* restrict q, global total_t* restrict parts";
    product_program.begin =
        "  const value_t alpha = (value_t)state[ALPHA], beta = (value_t)state[BETA];\n"
        "  const int odd = (int)state[ITERATION] & 1;\n"
        "  global const value_t* restrict p_old = odd ? p_odd : p_even;\n"
        "  global value_t* restrict p_new = odd ? p_even : p_odd;";
    product_program.element = "z[j] + beta * p_old[j]";
    product_program.row =
        "const value_t old = p_old[i], own = z[i] + beta * old; x[i] += alpha * old; p_new[i] = own; q[i] = sum; "
        "total += (total_t)own * sum;";
  } else {
    product_program.parameters =
        "global const total_t* state, global const value_t* restrict p, global value_t* restrict q, "
        "global total_t* restrict parts";
    product_program.element = "p[j]";
    product_program.row = "q[i] = sum; total += (total_t)p[i] * sum;";
  }
  residual_program.name = "cg_residual";
  residual_program.parameters =
      "global const total_t* state, int forced, global const value_t* restrict b, global const value_t* restrict x, "
      "global value_t* restrict r, global total_t* restrict parts";
  residual_program.condition = "CHECKS(state, forced)";
  residual_program.element = "x[j]";
  residual_program.row = "r[i] = b[i] - sum; total += (total_t)b[i] * b[i];";
  product = op.matrix().kernel(device, product_program);
  residual = op.matrix().kernel(device, residual_program);

  grid = Grid::of(target.groups(resident), target.group());
  one_group = Grid::of(1, target.group());
  const bool wide = op.dtype() == ScalarType::f64;
  TemplateValues values = common_values(target, op.dtype(), 1, resident);
  values.insert_or_assign("lanes", wide ? 2 : 4);
  values.insert_or_assign("lane_type", wide ? "double2" : "float4");
  values.insert_or_assign("components", wide ? TemplateValue::List{"x", "y"} : TemplateValue::List{"x", "y", "z", "w"});
  values.insert_or_assign("parts", target.groups(resident));
  values.insert_or_assign("block", preconditioner.block());
  const Module module = compile(device, Source("cg.cl", common_text(target, op.dtype(), 1, resident) + state_words +
                                                            render(kernels::cg_cl, values, "cg.cl")));
  direction = module.kernel("cg_direction"), settle = module.kernel("cg_settle");
  update = module.kernel("cg_update"), measure = module.kernel("cg_measure");
  finish_product = module.kernel("cg_finish_product"), finish_update = module.kernel("cg_finish_update");
  finish_check = module.kernel("cg_finish_check");
}

void ConjugateGradients::Plan::make_vectors(const Stream& stream) {
  const ScalarType dtype = op.dtype();
  // Kernels that have nothing to do still name them all, so all hold numbers from the start.
  const auto zeros = [&](std::size_t count, ScalarType type) {
    const Buffer buffer(stream, std::max<std::size_t>(count, 1) * size_of(type), MemoryKind::device, type);
    buffer.zero(stream);
    return buffer;
  };
  const auto vector = [&] { return zeros(n, dtype); };
  const std::size_t parts_count = op.matrix().target.groups(resident);
  const ScalarType total = op.matrix().target.has_double ? ScalarType::f64 : ScalarType::f32;
  r = vector(), p_even = vector(), q = vector();
  p_odd = fused ? vector() : p_even;
  z = preconditioner.block() == 0 ? r : vector();
  state = zeros(slots, total);
  parts = zeros(2 * parts_count, total), right_parts = zeros(parts_count, total);
  for (int k = 0; k < 2; ++k) copies.emplace_back(stream.device(), slots * size_of(total));
}

SparseArguments& ConjugateGradients::Plan::add_total(SparseArguments& arguments, double value) const {
  return op.matrix().target.has_double ? arguments.add(value) : arguments.add(static_cast<float>(value));
}

ConjugateGradients::Plan::Step ConjugateGradients::Plan::product_step(const Buffer& x) const {
  Step step{*product, op.matrix().grid(product_program), op.matrix().arguments};
  if (fused)
    step.arguments.add(state).add(z).add(p_even).add(p_odd).add(x).add(q).add(parts);
  else
    step.arguments.add(state).add(p_even).add(q).add(parts);
  return step;
}

ConjugateGradients::Plan::Steps ConjugateGradients::Plan::iteration_steps(const Buffer& x) const {
  const auto size = static_cast<std::uint32_t>(n);
  const Buffer& inverse = preconditioner.block() == 0 ? r : preconditioner.inverses();
  Steps steps;
  if (!fused) steps.push_back({*direction, grid, SparseArguments().add(state).add(z).add(p_even).add(x).add(size)});
  steps.push_back(product_step(x));
  steps.push_back({*finish_product, one_group, SparseArguments().add(state).add(parts)});
  steps.push_back({*update, grid, SparseArguments().add(state).add(q).add(r).add(z).add(inverse).add(parts).add(size)});
  steps.push_back({*finish_update, one_group, SparseArguments().add(state).add(parts)});
  add_total(steps.back().arguments, static_cast<double>(options.max_iterations));
  return steps;
}

ConjugateGradients::Plan::Steps ConjugateGradients::Plan::check_steps(const Buffer& b, const Buffer& x,
                                                                      bool forced_check) const {
  const auto size = static_cast<std::uint32_t>(n);
  const std::int32_t forced = forced_check ? 1 : 0;
  const Buffer& inverse = preconditioner.block() == 0 ? r : preconditioner.inverses();
  Steps steps;
  steps.push_back({*settle, grid, SparseArguments().add(state).add(forced).add(p_even).add(p_odd).add(x).add(size)});
  steps.push_back({*residual, op.matrix().grid(residual_program), op.matrix().arguments});
  steps.back().arguments.add(state).add(forced).add(b).add(x).add(r).add(right_parts);
  steps.push_back(
      {*measure, grid, SparseArguments().add(state).add(forced).add(r).add(z).add(inverse).add(parts).add(size)});
  steps.push_back({*finish_check, one_group, SparseArguments().add(state).add(forced).add(parts).add(right_parts)});
  add_total(add_total(steps.back().arguments, options.tolerance), static_cast<double>(options.max_iterations));
  return steps;
}

std::array<double, slots> ConjugateGradients::Plan::read_copy(const HostBuffer& copy) const {
  std::array<double, slots> values{};
  for (std::size_t k = 0; k < slots; ++k)
    values.at(k) = state.element() == ScalarType::f64 ? copy.as<double>()[k] : copy.as<float>()[k];
  return values;
}

namespace {

struct PollsInFlight : std::deque<std::pair<Event, const HostBuffer*>> {
  PollsInFlight() = default;
  PollsInFlight(const PollsInFlight&) = delete;
  PollsInFlight& operator=(const PollsInFlight&) = delete;
  /// The device must not write to a host buffer that is gone.
  ~PollsInFlight() {
    try {
      for (const auto& [event, copy] : *this) event.synchronize();
    } catch (const Error&) {  // the device is lost; the next call on the stream reports it
    }
  }
};

[[noreturn]] void throw_breakdown(Status reason, const std::array<double, slots>& state) {
  const double before = state[iteration];
  switch (reason) {
    case Status::broken_curvature:
      throw NumericalError(
          fmt::format("conjugate gradients: breakdown in iteration {}: p.Ap = {:.4g} is not positive, so the matrix is "
                      "not positive "
                      "definite",
                      before + 1, state[curvature]));
    case Status::broken_preconditioner:
      throw NumericalError(
          fmt::format("conjugate gradients: breakdown after iteration {}: r.Mr = {:.4g} is not positive, so the "
                      "preconditioner is not "
                      "positive definite",
                      before, state[rz]));
    default:
      throw NumericalError(fmt::format("conjugate gradients: the residual after iteration {} is not finite{}", before,
                                       before == 0 ? ": b, the first x or the matrix is not, or too large" : ""));
  }
}

template <class T>
bool has_nonzero(const Buffer& b, std::size_t n) {
  std::vector<T> values(n);
  b.read(values.data(), n * sizeof(T));
  return std::any_of(values.begin(), values.end(), [](T value) { return value != T(0); });
}

Reason reason_of(Status status, const std::array<double, slots>& state) {
  switch (status) {
    case Status::converged:
      return Reason::converged;
    case Status::zero_right_side:
      return Reason::zero_right_side;
    case Status::exhausted:
      return Reason::max_iterations;
    case Status::stagnated:
      return Reason::stagnated;
    default:
      throw_breakdown(status, state);
  }
}

}  // namespace

ConjugateGradients::ConjugateGradients(const Stream& stream, SparseOperator matrix, Preconditioner preconditioner,
                                       const ConjugateGradientOptions& options)
    : plan_(std::make_shared<const Plan>(stream, std::move(matrix), std::move(preconditioner), options)) {}

ConjugateGradientReport ConjugateGradients::solve(const Stream& stream, const Buffer& b, const Buffer& x) const {
  const Plan& plan = *plan_;
  check_vector("conjugate gradients: b", b, plan.n, plan.op.dtype(), plan.op.device());
  check_vector("conjugate gradients: x", x, plan.n, plan.op.dtype(), plan.op.device());
  ConjugateGradientReport report;
  report.reason = Reason::zero_right_side;
  if (plan.n == 0) return report;
  if (b.native() == x.native()) throw UsageError("conjugate gradients: b and x are one buffer");

  const Plan::Steps iterate = plan.iteration_steps(x), check = plan.check_steps(b, x, false),
                    forced_check = plan.check_steps(b, x, true);
  const auto run = [&](const Plan::Steps& steps) {
    for (const Plan::Step& step : steps) step.arguments.launch(step.kernel, stream, step.grid);
  };
  PollsInFlight polls;
  std::size_t queued = 0, polled = 0;
  const auto poll = [&] {
    const HostBuffer& copy = plan.copies.at(polled++ % plan.copies.size());
    plan.state.read_async(stream, copy, plan.state.bytes());
    polls.emplace_back(stream.record(), &copy);
    stream.flush();
  };

  plan.state.zero(stream);
  plan.p_even.zero(stream);
  run(forced_check);
  poll();
  for (;;) {
    for (std::size_t k = 0; k < plan.options.poll_every; ++k, ++queued) run(iterate);
    run(queued % plan.check_every == 0 ? forced_check : check);
    poll();
    if (polls.size() < plan.copies.size()) continue;
    polls.front().first.synchronize();
    const std::array<double, slots> state = plan.read_copy(*polls.front().second);
    polls.pop_front();
    const auto now = static_cast<Status>(state[status]);
    const double norm = std::sqrt(state[right_side]);
    report.history.push_back({static_cast<std::size_t>(state[iteration]), norm > 0 ? std::sqrt(state[rr]) / norm : 0,
                              state[checked_at] == state[iteration]});
    if (now == Status::running || now == Status::claimed) continue;
    report.reason = reason_of(now, state);
    report.iterations = static_cast<std::size_t>(state[iteration]);
    report.residual = report.history.back().residual;
    break;
  }
  if (report.reason == Reason::zero_right_side) {
    if (plan.op.dtype() == ScalarType::f64 ? has_nonzero<double>(b, plan.n) : has_nonzero<float>(b, plan.n))
      throw NumericalError("conjugate gradients: b is so small that b.b is 0 in this precision; scale it");
    x.slice(0, plan.n * size_of(plan.op.dtype())).zero(stream);
    report.residual = 0;
  }
  return report;
}

ConjugateGradientReport ConjugateGradients::solve(const Array& b, Array& x) const {
  const Shape shape{static_cast<std::int64_t>(plan_->n)};
  const auto check = [&](const char* what, const Array& array) {
    if (array.shape() != shape || array.dtype() != plan_->op.dtype())
      throw UsageError(fmt::format("conjugate gradients: {} is {} of {}, the matrix has {} rows of {}", what,
                                   to_string(array.shape()), name_of(array.dtype()), plan_->n,
                                   name_of(plan_->op.dtype())));
  };
  check("b", b);
  if (x) check("x", x);
  // The start is copied: x may share its memory with others, b among them.
  x = x ? x.copy() : Array::zeros(b.stream(), shape, b.dtype());
  if (plan_->n == 0) return {.reason = Reason::zero_right_side, .history = {}};
  const Array right = b.is_contiguous() && b.offset() == 0 ? b : b.copy();
  return solve(b.stream(), right.buffer(), x.buffer());
}

std::size_t ConjugateGradients::bytes() const {
  const Plan& plan = *plan_;
  const std::size_t vector = plan.n * size_of(plan.op.dtype()), block = plan.preconditioner.block();
  // In the product z, p and its successor, x twice, q (or, apart, z, p and x twice, then p and q); then r twice and q.
  const std::size_t vectors = (plan.fused ? 6 : 7) + 3 + (block == 0 ? 0 : 1 + block);
  return plan.op.matrix().matrix_bytes + vectors * vector;
}

std::string ConjugateGradients::explain() const {
  const Plan& plan = *plan_;
  const std::size_t block = plan.preconditioner.block();
  return fmt::format(
      "conjugate gradients, {} preconditioner, {}; {} bytes an iteration\n{}",
      block == 0   ? std::string("no")
      : block == 1 ? std::string("Jacobi")
                   : fmt::format("block Jacobi ({})", block),
      plan.fused ? "direction and x formed within the product" : "direction and x in a pass of their own", bytes(),
      plan.op.explain());
}

}  // namespace rtcg
