// The isentropic vortex carried along by a uniform flow (Hesthaven and Warburton 2008, section 6.6), between exact
// walls.
#include <gtest/gtest.h>

#include <cmath>

#include "dgfem/mesh/box.h"
#include "dgfem/output/measurement.h"
#include "dgfem/solver.h"
#include "dgfem/system_file.h"
#include "support/devices.h"

namespace rtcg::dgfem {
namespace {

FieldFormulas vortex() {
  const std::string x = "(x - t - 5)", e = "exp(1 - " + x + " * " + x + " - y * y)", g = "(5 / (2 * pi)) * " + e,
                    rho = "pow(1 - (0.4 * 25 / (16 * 1.4 * pi * pi)) * " + e + " * " + e + ", 2.5)",
                    u = "(1 - " + g + " * y)", v = "(" + g + " * " + x + ")";
  return {{"rho", rho},
          {"mx", rho + " * " + u},
          {"my", rho + " * " + v},
          {"E", "2.5 * pow(" + rho + ", 1.4) + 0.5 * " + rho + " * (" + u + " * " + u + " + " + v + " * " + v + ")"}};
}

class VortexTest : public test::DeviceTest {
 protected:
  double error(int order, int cells, double hllc) const {
    Problem problem;
    problem.mesh =
        box_mesh({.type = ElementType::triangle, .cells = {cells, cells, 1}, .low = {0, -5, 0}, .high = {10, 5, 0}});
    problem.system = shipped_system("euler", 2);
    problem.order = order;
    problem.parameters["hllc"] = hllc;
    problem.boundaries["default"] = {"exact", vortex()};
    problem.initial = vortex();
    SolverOptions options;
    options.step = 0.6 / (cells * order);
    Solver solver(stream(), problem, options);
    solver.advance_to(0.5);
    return Measurement(solver, error_measures({{"rho", vortex().at("rho")}}))(solver)[0];
  }
};

TEST_P(VortexTest, ConvergesWithEitherFlux) {
  for (const double hllc : {0.0, 1.0}) {
    const double coarse = error(3, 20, hllc), fine = error(3, 40, hllc);
    EXPECT_GT(std::log2(coarse / fine), 3.3) << "hllc " << hllc << ": " << coarse << ", " << fine;
    EXPECT_LT(fine, 1e-3);
  }
}

RTCG_INSTANTIATE_FOR_DEVICES(VortexTest);

}  // namespace
}  // namespace rtcg::dgfem
