#include "dgfem/output/probes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dgfem/mesh/box.h"
#include "dgfem/system_file.h"
#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

class ProbesTest : public test::DeviceTest {
 protected:
  static Problem problem(int dimension, int order, bool bent = false) {
    Problem problem;
    problem.mesh = box_mesh({dimension == 2 ? ElementType::triangle : ElementType::tetrahedron,
                             {2, 2, 2},
                             {0, 0, 0},
                             {2, 1, dimension == 2 ? 0.0 : 1.0}});
    if (bent)
      problem.mesh = curved(problem.mesh, 2, [](const Point& p) {
        return Point{p[0] + 0.2 * p[1] * p[1], p[1], p[2]};
      });
    problem.system = shipped_system("acoustics", dimension);
    problem.order = order;
    for (const Group& boundary : problem.mesh.boundaries) problem.boundaries[boundary.text()] = {"rigid", {}};
    problem.initial = {{"p", "x * x - 2 * y * z"}, {"v", "1 + y"}};
    return problem;
  }
};

TEST_P(ProbesTest, ReadPolynomialsExactly) {
  const std::vector<Probe> probes{{"inside", {0.3, 0.2, 0.0}}, {"vertex", {1, 0.5, 0}}, {"corner", {2, 1, 0}}};
  for (const auto& [order, precision] : {std::pair(2, ScalarType::f64), {5, ScalarType::f32}}) {
    const Solver solver(stream(), problem(2, order), {.precision = precision, .step = {}, .variant = {}});
    const Probes read(solver, probes);
    EXPECT_EQ(read.columns()[0], "inside.p");
    ASSERT_EQ(read.columns().size(), 9u);
    const std::vector<double> values = read(solver);
    ASSERT_EQ(values.size(), 9u);
    const double tolerance = precision == ScalarType::f64 ? 1e-12 : 1e-5;
    const System& system = *solver.discretization().system;
    const auto p = static_cast<std::size_t>(system.field("p")), u = static_cast<std::size_t>(system.field("u")),
               v = static_cast<std::size_t>(system.field("v"));
    for (std::size_t k = 0; k < probes.size(); ++k) {
      EXPECT_NEAR(values[k * 3 + p], probes[k].at[0] * probes[k].at[0], tolerance);
      EXPECT_NEAR(values[k * 3 + u], 0, tolerance);
      EXPECT_NEAR(values[k * 3 + v], 1 + probes[k].at[1], tolerance);
    }
  }
}

TEST_P(ProbesTest, OutsideOrTwiceAreRefused) {
  const Solver solver(stream(), problem(3, 1));
  EXPECT_MESSAGE(InputError, "probe 'far' at (3, 0, 0) is in no element; the mesh reaches from (0, 0, 0) to (2, 1, 1)",
                 Probes(solver, {{"near", {1, 0.5, 0.5}}, {"far", {3, 0, 0}}}));
  EXPECT_MESSAGE(InputError, "two probes are named 'a'", Probes(solver, {{"a", {1, 0.5, 0.5}}, {"a", {1, 0.2, 0.5}}}));
  EXPECT_TRUE(Probes(solver, {})(solver).empty());
}

RTCG_INSTANTIATE_FOR_DEVICES(ProbesTest);

}  // namespace
}  // namespace rtcg::dgfem
