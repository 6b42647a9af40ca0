#include "dgfem/solver.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dgfem/mesh/box.h"
#include "dgfem/output/measurement.h"
#include "dgfem/system_file.h"
#include "support/devices.h"

namespace rtcg::dgfem {
namespace {

/// The lowest transverse magnetic mode of the unit cube between perfect conductors, (1, 1, 1).
FieldFormulas cavity_mode() {
  const std::string w = "(sqrt(3.0) * pi)";
  return {{"Ez", "sin(pi * x) * sin(pi * y) * cos(pi * z) * cos(" + w + " * t)"},
          {"Ex", "-0.5 * cos(pi * x) * sin(pi * y) * sin(pi * z) * cos(" + w + " * t)"},
          {"Ey", "-0.5 * sin(pi * x) * cos(pi * y) * sin(pi * z) * cos(" + w + " * t)"},
          {"Hx", "-(sqrt(3.0) / 2) * sin(pi * x) * cos(pi * y) * cos(pi * z) * sin(" + w + " * t)"},
          {"Hy", "(sqrt(3.0) / 2) * cos(pi * x) * sin(pi * y) * cos(pi * z) * sin(" + w + " * t)"}};
}

class SolverTest : public test::DeviceTest {};

TEST_P(SolverTest, CavityModeConvergesAtOrderPlusOne) {
  const auto system = shipped_system("maxwell", 3);
  for (const int order : {1, 2, 3, 4, 5, 6, 7, 8}) {
    std::vector<double> errors;
    const int coarse = order <= 3 ? 3 : order <= 5 ? 2 : 1;
    for (const int cells : {coarse, 2 * coarse}) {
      Problem problem;
      problem.mesh = box_mesh({.cells = {cells, cells, cells}});
      problem.system = system;
      problem.order = order;
      problem.boundaries["default"] = {"pec", {}};
      problem.initial = cavity_mode();
      Solver solver(stream(), problem, {.cfl = order <= 4 ? 0.9 : 0.3});  // or the error in time shows
      solver.advance_to(0.3);
      const std::vector<double> norms = Measurement(solver, error_measures(cavity_mode()))(solver);
      double sum = 0;
      for (std::size_t m = 0; m < norms.size(); m += 2) sum += norms[m] * norms[m];
      errors.push_back(std::sqrt(sum));
    }
    EXPECT_GT(std::log2(errors[0] / errors[1]), order + 0.3)
        << "order " << order << ": " << errors[0] << ", " << errors[1];
  }
}

/// Two materials between conductors, and a field that meets nothing of them.
Problem rough_problem(const std::string& system, double alpha) {
  Problem problem;
  problem.mesh = box_mesh({.cells = {3, 2, 2}, .high = {1.5, 1, 1}});
  problem.mesh.regions = {{{"first"}}, {{"second"}}};
  for (std::size_t e = 0; e < problem.mesh.size(); e += 2) problem.mesh.region_of[e] = 1;
  problem.system = shipped_system(system, 3);
  problem.order = 3;
  problem.boundaries["default"] = {system == "maxwell" ? "pec" : "rigid", {}};
  problem.parameters["alpha"] = alpha;
  for (const Quantity& material : problem.system->materials)
    if (material.value != 0) problem.materials["second"][material.name] = 1.5;
  for (std::size_t f = 0; f < problem.system->fields.size(); ++f)
    problem.initial[problem.system->fields[f]] = fmt::format("sin({} * x + 5 * y * z + {})", 4 + f, f);
  return problem;
}

TEST_P(SolverTest, EnergyIsKeptByCentralFluxesAndNeverGrowsByUpwindOnes) {
  for (const char* system : {"maxwell", "acoustics"}) {
    const Stream on = stream();  // one, since one measurement looks at both
    Solver central(on, rough_problem(system, 0), {.cfl = 0.1});
    const Measurement energy(central, energy_measures(*central.discretization().system));
    const double start = energy(central).front();
    central.advance(100);
    // The scheme in time alone takes energy, as the fifth power of its step.
    EXPECT_NEAR(energy(central).front(), start, 1e-6 * start) << system;

    Solver upwind(on, rough_problem(system, 1));
    double before = energy(upwind.state(), 0).front();
    EXPECT_NEAR(before, start, 1e-12 * start) << system;
    for (int step = 0; step < 40; ++step) {
      upwind.advance(1);
      const double now = energy(upwind.state(), upwind.time()).front();
      EXPECT_LT(now, before) << system << ", step " << step;
      before = now;
    }
    EXPECT_LT(before, 0.95 * start) << system;
  }
}

TEST_P(SolverTest, SinglePrecisionFollowsDouble) {
  const Problem problem = rough_problem("maxwell", 1);
  Solver exact(stream(), problem), single(stream(), problem, {.precision = ScalarType::f32, .step = exact.step()});
  exact.advance(30), single.advance(30);
  const std::vector<double> wanted = exact.fields(), found = single.fields();
  double error = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) error = std::max(error, std::abs(wanted[i] - found[i]));
  EXPECT_GT(error, 0);
  EXPECT_LT(error, 2e-5);  // of fields of one
}

RTCG_INSTANTIATE_FOR_DEVICES(SolverTest);

}  // namespace
}  // namespace rtcg::dgfem
