#include "dgfem/wave_rate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dgfem/mesh/box.h"
#include "dgfem/solver.h"
#include "dgfem/system_file.h"
#include "support/devices.h"

namespace rtcg::dgfem {
namespace {

Problem gas_in_a_box() {
  Problem problem;
  problem.mesh = box_mesh({.cells = {3, 2, 2}});
  problem.system = shipped_system("euler", 3);
  problem.order = 2;
  problem.boundaries["default"] = {"wall", {}};
  problem.initial = {{"rho", "1 + 0.5 * x"}, {"mx", "y - z"}, {"my", "0.3"}, {"mz", "x * y"}, {"E", "3 + x"}};
  return problem;
}

class WaveRateTest : public test::DeviceTest {};

TEST_P(WaveRateTest, IsTheLargestOverNodesAndElements) {
  Solver solver(stream(), gas_in_a_box());
  const Discretization& mesh = solver.discretization();
  const std::vector<double> q = solver.fields(), radii = mesh.inradii();
  double wanted = 0;
  for (std::size_t i = 0; i < q.size(); i += 5) {
    const double m2 = q[i + 1] * q[i + 1] + q[i + 2] * q[i + 2] + q[i + 3] * q[i + 3];
    const double p = 0.4 * (q[i + 4] - 0.5 * m2 / q[i]);
    const std::size_t element = i / 5 / static_cast<std::size_t>(mesh.nodes());
    wanted = std::max(wanted, (std::sqrt(m2) / q[i] + std::sqrt(1.4 * p / q[i])) / radii[element]);
  }
  EXPECT_NEAR(WaveRate(solver.data())(solver.state()), wanted, 1e-13 * wanted);
}

TEST_P(WaveRateTest, StepsFollowTheState) {
  Solver solver(stream(), gas_in_a_box());
  const double before = solver.stable_step();
  EXPECT_DOUBLE_EQ(solver.step(), solver.options().cfl * before);
  std::vector<double> q = solver.fields();
  for (std::size_t i = 0; i < q.size(); i += 5) {
    q[i] *= 0.25;
    for (std::size_t d : {1, 2, 3}) q[i + d] *= 0.5;
  }
  solver.set_fields(q);
  EXPECT_NEAR(solver.stable_step(), before / 2, 1e-12 * before);
  q[7 * 5 + 4] = -1;
  solver.set_fields(q);
  EXPECT_TRUE(std::isnan(solver.stable_step()));
}

TEST_P(WaveRateTest, AgreesWithConstantSpeeds) {
  Problem problem = gas_in_a_box();
  problem.system = shipped_system("acoustics", 3);
  problem.boundaries["default"] = {"rigid", {}};
  problem.initial = {};
  problem.materials["default"] = {{"c", 3}};
  Solver solver(stream(), problem);
  EXPECT_TRUE(problem.system->has_constant_speed());
  EXPECT_FALSE(shipped_system("euler", 3)->has_constant_speed());
  const std::vector<double> radii = solver.discretization().inradii();
  EXPECT_DOUBLE_EQ(WaveRate(solver.data())(solver.state()), 3 / *std::min_element(radii.begin(), radii.end()));
}

RTCG_INSTANTIATE_FOR_DEVICES(WaveRateTest);

}  // namespace
}  // namespace rtcg::dgfem
