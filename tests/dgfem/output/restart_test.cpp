#include "dgfem/output/restart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "dgfem/mesh/box.h"
#include "dgfem/mesh/ordering.h"
#include "dgfem/output/measurement.h"
#include "dgfem/system_file.h"
#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

/// Keeps one number a node on the first elements and changes nothing.
class Marks final : public StageExtra {
 public:
  Marks(const Solver& solver, std::vector<std::int32_t> elements, double value)
      : elements_(std::move(elements)), single_(solver.options().precision == ScalarType::f32) {
    const std::size_t nodes = static_cast<std::size_t>(solver.discretization().nodes()) * elements_.size();
    if (single_)
      values_ = Buffer::from(solver.stream(), std::vector<float>(nodes, static_cast<float>(value)));
    else
      values_ = Buffer::from(solver.stream(), std::vector<double>(nodes, value));
  }
  void after_stage(const StageBuffers&, const StageStep&) override {}
  std::vector<Array> state() const override { return {{"marks", values_, elements_, 1}}; }
  double first() const { return single_ ? values_.read<float>()[0] : values_.read<double>()[0]; }

 private:
  std::vector<std::int32_t> elements_;
  bool single_;
  Buffer values_;
};

class RestartTest : public test::DeviceTest {
 protected:
  static Problem problem(int order) {
    Problem problem;
    problem.mesh = box_mesh({ElementType::triangle, {3, 3, 1}, {0, 0, 0}, {1, 1, 0}});
    problem.system = shipped_system("acoustics", 2);
    problem.order = order;
    for (const Group& boundary : problem.mesh.boundaries) problem.boundaries[boundary.text()] = {"rigid", {}};
    problem.initial = {{"p", "cos(pi * x) * cos(pi * y)"}, {"u", "x * y"}};
    return problem;
  }
  static SolverOptions in(ScalarType precision) {
    SolverOptions options;
    options.precision = precision;
    options.step = 0.002;
    return options;
  }
};

TEST_P(RestartTest, GoesOnToTheBit) {
  const ScratchDirectory scratch;
  for (const ScalarType precision : {ScalarType::f64, ScalarType::f32}) {
    Solver whole(stream(), problem(3), in(precision));
    whole.advance(5);
    write_checkpoint(scratch / "c.h5", checkpoint_of(whole));
    whole.advance(5);

    Solver second(stream(), problem(3), in(precision));
    restart(second, read_checkpoint(scratch / "c.h5"), "c.h5");
    EXPECT_EQ(second.steps(), 5);
    second.advance(5);
    EXPECT_EQ(second.time(), whole.time());
    const std::vector<double> a = whole.fields(), b = second.fields();
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(double)), 0);
  }
}

TEST_P(RestartTest, AtAnotherOrderPrecisionAndOrderOfElements) {
  Solver first(stream(), problem(6), in(ScalarType::f64));
  first.advance(20);
  const Checkpoint checkpoint = checkpoint_of(first);

  // The same elements in another order, on another order's nodes, in single precision.
  Problem other = problem(7);
  std::vector<std::int32_t> backwards(other.mesh.size());
  for (std::size_t e = 0; e < backwards.size(); ++e) backwards[e] = static_cast<std::int32_t>(backwards.size() - 1 - e);
  other.mesh = reordered(other.mesh, backwards);
  Solver second(stream(), other, in(ScalarType::f32));
  restart(second, checkpoint, "c.h5");
  EXPECT_EQ(second.time(), first.time());
  const std::vector<Measure> measures{
      {"p", "p * x"}, {"energy", "0.5 * (p * p + u * u + v * v)"}, {"most", "u * u * y", Measure::Kind::largest}};
  const std::vector<double> a = Measurement(first, measures, 14)(first), b = Measurement(second, measures, 14)(second);
  EXPECT_NEAR(a[0], b[0], 1e-6);
  EXPECT_NEAR(a[1], b[1], 1e-6);
  EXPECT_NEAR(a[2], b[2], 2e-2);  // at the nodes of another order
}

TEST_P(RestartTest, KeepsWhatExtrasNeed) {
  Solver first(stream(), problem(2), in(ScalarType::f64));
  first.add(std::make_shared<Marks>(first, std::vector<std::int32_t>{4, 2}, 0.7));
  const Checkpoint checkpoint = checkpoint_of(first);
  ASSERT_EQ(checkpoint.nodal.count("marks"), 1u);

  Solver second(stream(), problem(3), in(ScalarType::f64));
  const auto marks = std::make_shared<Marks>(second, std::vector<std::int32_t>{2, 4}, 0.0);
  second.add(marks);
  restart(second, checkpoint, "c.h5");
  EXPECT_NEAR(marks->first(), 0.7, 1e-14);

  Solver none(stream(), problem(2), in(ScalarType::f64));
  const std::vector<double> before = none.fields();
  EXPECT_MESSAGE(InputError, "c.h5: it holds 'marks', for which the case has no use",
                 restart(none, checkpoint, "c.h5"));
  EXPECT_MESSAGE(InputError, "c.h5: it lacks 'marks', which the case needs",
                 restart(second, checkpoint_of(none), "c.h5"));
  none.add(std::make_shared<Marks>(none, std::vector<std::int32_t>{2, 5}, 0.0));
  EXPECT_MESSAGE(InputError, "its 'marks' has 1 values at each node of 2 elements; the case has 1 of 2 others",
                 restart(none, checkpoint, "c.h5"));
  EXPECT_EQ(none.fields(), before);
}

TEST_P(RestartTest, OfAnotherProblemIsRefused) {
  const Solver first(stream(), problem(2), in(ScalarType::f64));
  Problem other = problem(2);
  other.mesh = box_mesh({ElementType::triangle, {3, 3, 1}, {0, 0, 0}, {1, 2, 0}});
  Solver second(stream(), other, in(ScalarType::f64));
  EXPECT_MESSAGE(InputError, "c.h5: the state of another mesh", restart(second, checkpoint_of(first), "c.h5"));
}

RTCG_INSTANTIATE_FOR_DEVICES(RestartTest);

}  // namespace
}  // namespace rtcg::dgfem
