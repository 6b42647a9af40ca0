#include "dgfem/solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dgfem/mesh/box.h"
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

double largest_error(const Solver& solver, const FieldFormulas& exact) {
  const Buffer target = Buffer(solver.stream(), solver.state().bytes(), MemoryKind::device, solver.options().precision);
  solver.evaluate(exact, solver.time(), target);
  const std::vector<double> q = solver.fields();
  std::vector<double> wanted(target.bytes() / sizeof(double));
  target.read(std::span(wanted));
  double error = 0;
  for (std::size_t i = 0; i < q.size(); ++i) error = std::max(error, std::abs(q[i] - wanted[i]));
  return error;
}

class SolverTest : public test::DeviceTest {};

TEST_P(SolverTest, MaxwellCavityConverges) {
  const auto system = shipped_system("maxwell", 3);
  for (const int order : {1, 2, 3, 4}) {
    std::vector<double> errors;
    for (const int cells : {2, 4}) {
      Problem problem;
      problem.mesh = box_mesh({.cells = {cells, cells, cells}});
      problem.system = system;
      problem.order = order;
      problem.boundaries["default"] = {"pec", {}};
      problem.initial = cavity_mode();
      Solver solver(stream(), problem);
      solver.advance_to(0.3);
      errors.push_back(largest_error(solver, cavity_mode()));
    }
    EXPECT_GT(std::log2(errors[0] / errors[1]), order) << "order " << order << ": " << errors[0] << ", " << errors[1];
  }
}

RTCG_INSTANTIATE_FOR_DEVICES(SolverTest);

}  // namespace
}  // namespace rtcg::dgfem
