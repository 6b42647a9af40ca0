#include "dgfem/output/plane_probe.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dgfem/mesh/box.h"
#include "dgfem/system_file.h"
#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

class PlaneProbeTest : public test::DeviceTest {
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

TEST_P(PlaneProbeTest, HoldsWhatLiesInTheMesh) {
  const Solver solver(stream(), problem(3, 3));
  const System& system = *solver.discretization().system;
  const PlaneProbe plane(solver, {"cut", 1, 0.25, {9, 5}});
  const std::vector<double> values = plane(solver);
  ASSERT_EQ(values.size(), system.fields.size() * 45);
  EXPECT_EQ(plane.spacing(), (std::array{0.25, 0.25}));
  EXPECT_EQ(plane.origin(), (Point{0, 0.25, 0}));
  const auto p = static_cast<std::size_t>(system.field("p"));
  for (std::size_t j = 0; j < 5; ++j)
    for (std::size_t i = 0; i < 9; ++i) {
      const double x = 0.25 * static_cast<double>(i), z = 0.25 * static_cast<double>(j);
      EXPECT_NEAR(values[p * 45 + j * 9 + i], x * x - 0.5 * z, 1e-12);
    }
  EXPECT_MESSAGE(InputError, "plane 'off' at y = 7 has no point in the mesh, which reaches from (0, 0, 0)",
                 PlaneProbe(solver, {"off", 1, 7}));
  EXPECT_MESSAGE(UsageError, "plane 'thin': normal to axis 0 with 1 x 4 points",
                 PlaneProbe(solver, {"thin", 0, 0.5, {1, 4}}));
}

TEST_P(PlaneProbeTest, IsEmptyOutsideOfACurvedMesh) {
  const Solver solver(stream(), problem(2, 2, true));
  const System& system = *solver.discretization().system;
  const PlaneProbe plane(solver, {"all", 2, 0, {45, 21}});
  const std::vector<double> values = plane(solver);
  const auto v = static_cast<std::size_t>(system.field("v"));
  const auto at = [&](std::size_t i, std::size_t j) { return values[(v * 21 + j) * 45 + i]; };
  for (std::size_t j = 0; j < 21; ++j)
    for (std::size_t i = 0; i < 45; ++i) {
      const double x = 0.05 * static_cast<double>(i), y = 0.05 * static_cast<double>(j), start = 0.2 * y * y;
      if (x < start - 1e-6 || x > 2 + start + 1e-6) {
        EXPECT_TRUE(std::isnan(at(i, j))) << x << ' ' << y;
      }
      if (x > start + 1e-6 && x < 2 + start - 1e-6) {
        EXPECT_NEAR(at(i, j), 1 + y, 1e-12);
      }
    }
}

RTCG_INSTANTIATE_FOR_DEVICES(PlaneProbeTest);

}  // namespace
}  // namespace rtcg::dgfem
