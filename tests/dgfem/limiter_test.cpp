#include "dgfem/limiter.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dgfem/mesh/box.h"
#include "dgfem/output/measurement.h"
#include "dgfem/system_file.h"
#include "rtcg/error.h"
#include "support/devices.h"

namespace rtcg::dgfem {
namespace {

/// Sod's tube (J. Comput. Phys. 27, 1978): the exact solution of the Riemann problem 1, 0, 1 | 0.125, 0, 0.1.
struct Gas {
  double rho, u, p;
};

Gas sod(double x, double t) {
  constexpr double p = 0.3031301781, u = 0.9274526200, left = 0.4263194282, right = 0.2655737117;
  const double sound = std::sqrt(1.4), s = x / t;
  if (s < -sound) return {1, 0, 1};
  if (s < -0.0702728126) {
    const double c = (2 * sound - 0.4 * s) / 2.4, rho = std::pow(c / sound, 5);
    return {rho, (sound + s) / 1.2, std::pow(rho, 1.4)};
  }
  if (s < u) return {left, u, p};
  if (s < 1.7521557320) return {right, u, p};
  return {0.125, 0, 0.1};
}

Problem tube(int order, int cells) {
  Problem problem;
  problem.mesh = box_mesh({.type = ElementType::triangle,
                           .cells = {cells, 2, 1},
                           .low = {-0.5, 0, 0},
                           .high = {0.5, 2.0 / cells, 0},
                           .periodic = {false, true, false}});
  problem.system = shipped_system("euler", 2);
  problem.order = order;
  problem.boundaries["default"] = {"wall", {}};
  problem.initial = {{"rho", "x < 0 ? 1 : 0.125"}, {"E", "x < 0 ? 2.5 : 0.25"}};
  problem.limiter = LimiterSettings{};
  return problem;
}

/// Of each element the mean of a field, by the mass matrix.
std::vector<double> means(const Solver& solver, std::size_t field) {
  const Discretization& mesh = solver.discretization();
  const auto nodes = static_cast<std::size_t>(mesh.nodes()), fields = static_cast<std::size_t>(mesh.fields());
  const Eigen::VectorXd weights = mesh.reference.mass().rowwise().sum() / mesh.reference.mass().sum();
  const std::vector<double> q = solver.fields();
  std::vector<double> found(mesh.size(), 0.0);
  for (std::size_t e = 0; e < mesh.size(); ++e)
    for (std::size_t n = 0; n < nodes; ++n)
      found[e] += weights(static_cast<Eigen::Index>(n)) * q[(e * nodes + n) * fields + field];
  return found;
}

class LimiterTest : public test::DeviceTest {
 protected:
  /// Mean over x of the difference of elements' mean densities to the exact solution at t = 0.2.
  double sod_error(int order, int cells) const {
    Solver solver(stream(), tube(order, cells));
    solver.advance_to(0.2);
    const std::vector<double> rho = means(solver, 0);
    double error = 0;
    for (std::size_t e = 0; e < rho.size(); ++e)
      error += std::abs(rho[e] - sod(solver.discretization().mesh.centroid(e)[0], 0.2).rho);
    return error / static_cast<double>(rho.size());
  }
};

TEST_P(LimiterTest, SolvesSodsTube) {
  for (const int order : {1, 2, 3}) {
    const double coarse = sod_error(order, 40), fine = sod_error(order, 80);
    EXPECT_LT(fine, 0.012) << order;
    EXPECT_LT(fine, coarse / 1.5) << order << ": " << coarse;
  }
}

TEST_P(LimiterTest, PutsShockAndContactInTheirPlaces) {
  constexpr int cells = 100;
  Solver solver(stream(), tube(2, cells));
  solver.advance_to(0.2);
  const std::vector<double> rho = means(solver, 0);
  std::vector<double> column(cells, 0.0);
  for (std::size_t e = 0; e < rho.size(); ++e)
    column[static_cast<std::size_t>((solver.discretization().mesh.centroid(e)[0] + 0.5) * cells)] += rho[e] / 4;
  const auto crossing = [&](double value, double from) {  // from the right
    for (std::size_t i = cells - 1; i > 0; --i)
      if (column[i - 1] >= value && column[i] < value && (static_cast<double>(i) / cells - 0.5) <= from)
        return static_cast<double>(i) / cells - 0.5;
    return -1.0;
  };
  const double shock = crossing(0.5 * (0.125 + 0.2655737117), 0.5);
  const double contact = crossing(0.5 * (0.2655737117 + 0.4263194282), shock);
  EXPECT_NEAR(shock, 0.2 * 1.7521557320, 1.5 / cells);
  EXPECT_NEAR(contact, 0.2 * 0.92745262, 2.5 / cells);
  for (const double value : column) {
    EXPECT_LT(value, 1.01);
    EXPECT_GT(value, 0.124);
  }
}

TEST_P(LimiterTest, ConservesMeansAndMakesPressurePositive) {
  for (const ElementType type : {ElementType::triangle, ElementType::tetrahedron}) {
    const bool plane = type == ElementType::triangle;
    Problem problem;
    problem.mesh = box_mesh({.type = type, .cells = {3, 3, plane ? 1 : 2}});
    problem.system = shipped_system("euler", plane ? 2 : 3);
    problem.order = 3;
    problem.boundaries["default"] = {"wall", {}};
    problem.initial = {{"rho", "x + y < 0.8 ? 1 : 0.01"}, {"mx", "sin(9 * y) * x"}, {"E", "2 + 2 * sin(20 * x)"}};
    Solver solver(stream(), problem);
    const std::size_t fields = solver.discretization().system->fields.size();
    std::vector<double> q = solver.fields();
    for (std::size_t i = 0; i < q.size(); i += fields) q[i + fields - 1] += 0.5 * q[i + 1] * q[i + 1] / q[i];
    for (std::size_t i = 0; i < q.size(); i += 7 * fields) q[i + fields - 1] = -0.3;
    solver.set_fields(q);
    std::vector<std::vector<double>> before;
    for (std::size_t f = 0; f < fields; ++f) before.push_back(means(solver, f));
    Limiter(solver.data(), {}).limit(solver.state(), 0);
    for (std::size_t f = 0; f < fields; ++f) {
      const std::vector<double> after = means(solver, f);
      for (std::size_t e = 0; e < after.size(); ++e) EXPECT_NEAR(after[e], before[f][e], 1e-13);
    }
    q = solver.fields();
    for (std::size_t i = 0; i < q.size(); i += fields) {
      const std::size_t e = i / fields / static_cast<std::size_t>(solver.discretization().nodes());
      double momentum = 0, mean_momentum = 0;
      for (std::size_t d = 1; d + 1 < fields; ++d) {
        momentum += q[i + d] * q[i + d];
        mean_momentum += before[d][e] * before[d][e];
      }
      if (before[fields - 1][e] <= 0.5 * mean_momentum / before[0][e]) continue;  // nothing could be done
      EXPECT_GT(q[i], 0);
      EXPECT_GT(q[i + fields - 1] - 0.5 * momentum / q[i], 0);
    }
  }
}

TEST_P(LimiterTest, LeavesUniformFlowAndLinearGasAlone) {
  for (const std::string rho : {"0.7", "1 + 0.1 * x - 0.2 * y"}) {
    Problem problem = tube(3, 8);
    problem.limiter.reset();
    problem.initial = {{"rho", rho}, {"mx", "0.3"}, {"my", "-0.1"}, {"E", "3.1"}};
    Solver solver(stream(), problem);
    const std::vector<double> before = solver.fields();
    Limiter(solver.data(), {}).limit(solver.state(), 0);
    EXPECT_EQ(solver.fields(), before) << rho;
  }
}

TEST_P(LimiterTest, KeepsABlastPositive) {
  Problem problem;
  problem.mesh = box_mesh({.type = ElementType::triangle, .cells = {16, 16, 1}});
  problem.system = shipped_system("euler", 2);
  problem.order = 3;
  problem.boundaries["default"] = {"wall", {}};
  problem.initial = {{"rho", "1"}, {"E", "(x - 0.5) * (x - 0.5) + (y - 0.5) * (y - 0.5) < 0.02 ? 1000 : 0.1"}};
  problem.limiter = LimiterSettings{};
  SolverOptions options;
  options.cfl = 0.3;
  Solver solver(stream(), problem, options);
  const Measurement content(solver, content_measures(*problem.system));
  const std::vector<double> before = content(solver);
  solver.advance_to(0.01);
  const std::vector<double> after = content(solver), q = solver.fields();
  EXPECT_NEAR(after[0], before[0], 1e-11);
  EXPECT_NEAR(after[3], before[3], 1e-11 * before[3]);
  for (std::size_t i = 0; i < q.size(); i += 4) {
    ASSERT_GT(q[i], 0);
    ASSERT_GT(q[i + 3] - 0.5 * (q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2]) / q[i], 0);
  }
}

TEST_P(LimiterTest, DoesNotTouchASmoothWave) {
  Problem problem = tube(3, 16);
  problem.mesh = box_mesh({.type = ElementType::triangle, .cells = {16, 4, 1}, .periodic = {true, true, false}});
  problem.initial = {{"rho", "1 + 0.2 * sin(2 * pi * x)"},
                     {"mx", "1 + 0.2 * sin(2 * pi * x)"},
                     {"E", "2.5 + 0.5 * (1 + 0.2 * sin(2 * pi * x))"}};
  Solver limited(stream(), problem);
  problem.limiter.reset();
  Solver plain(stream(), problem);
  limited.advance_to(0.1);
  plain.advance_to(0.1);
  EXPECT_EQ(limited.fields(), plain.fields());
}

TEST_P(LimiterTest, StepsFollowTheStateAndAreTakenAgain) {
  Solver whole(stream(), tube(2, 20)), again(stream(), tube(2, 20));
  const double first = whole.step();
  whole.advance_to(0.05);
  EXPECT_LT(whole.step(), first);  // gas moves now
  again.set_fields(whole.fields());
  again.set_clock(whole.time(), whole.steps());
  whole.advance_to(0.08);
  again.advance_to(0.08);
  EXPECT_EQ(whole.time(), 0.08);
  EXPECT_EQ(whole.steps(), again.steps());
  EXPECT_EQ(whole.fields(), again.fields());
}

TEST_P(LimiterTest, StopsWhereSpeedsAreNotFinite) {
  Solver solver(stream(), tube(2, 8));
  std::vector<double> q = solver.fields();
  for (std::size_t i = 3; i < q.size(); i += 4) q[i] = -1;
  solver.set_fields(q);
  EXPECT_THROW(solver.advance_to(0.1), NumericalError);
}

TEST_P(LimiterTest, RefusesOtherSystems) {
  Problem problem = tube(2, 4);
  problem.system = shipped_system("acoustics", 2);
  problem.boundaries["default"] = {"rigid", {}};
  problem.initial = {};
  EXPECT_THROW(Solver(stream(), problem), InputError);
}

RTCG_INSTANTIATE_FOR_DEVICES(LimiterTest);

}  // namespace
}  // namespace rtcg::dgfem
