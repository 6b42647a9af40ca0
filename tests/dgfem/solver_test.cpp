#include "dgfem/solver.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dgfem/mesh/box.h"
#include "support/devices.h"

namespace rtcg::dgfem {
namespace {

System maxwell() {
  System s;
  s.name = "maxwell";
  s.dimension = 3;
  s.fields = {"Ex", "Ey", "Ez", "Hx", "Hy", "Hz"};
  s.materials = {{"epsilon", 1}, {"mu", 1}};
  s.constants = {{"Z", "sqrt(mu / epsilon)"}, {"c", "1 / sqrt(mu * epsilon)"}};
  s.parameters = {{"alpha", 1}};
  s.flux = {{"0", "Hz / epsilon", "-Hy / epsilon", "0", "-Ez / mu", "Ey / mu"},
            {"-Hz / epsilon", "0", "Hx / epsilon", "Ez / mu", "0", "-Ex / mu"},
            {"Hy / epsilon", "-Hx / epsilon", "0", "-Ey / mu", "Ex / mu", "0"}};
  s.let = {{"nE", "nx * jump_Ex + ny * jump_Ey + nz * jump_Ez"},
           {"nH", "nx * jump_Hx + ny * jump_Hy + nz * jump_Hz"},
           {"factorE", "1 / (epsilon_in * (Z_in + Z_out))"},
           {"factorH", "1 / (mu_in * (1 / Z_in + 1 / Z_out))"}};
  s.penalty = {"factorE * (Z_out * (ny * jump_Hz - nz * jump_Hy) + alpha * (jump_Ex - nE * nx))",
               "factorE * (Z_out * (nz * jump_Hx - nx * jump_Hz) + alpha * (jump_Ey - nE * ny))",
               "factorE * (Z_out * (nx * jump_Hy - ny * jump_Hx) + alpha * (jump_Ez - nE * nz))",
               "factorH * (-(ny * jump_Ez - nz * jump_Ey) / Z_out + alpha * (jump_Hx - nH * nx))",
               "factorH * (-(nz * jump_Ex - nx * jump_Ez) / Z_out + alpha * (jump_Hy - nH * ny))",
               "factorH * (-(nx * jump_Ey - ny * jump_Ex) / Z_out + alpha * (jump_Hz - nH * nz))"};
  s.source = std::vector<std::string>(6);
  s.speed = "c";
  s.boundaries = {{"pec", {}, {"-Ex_in", "-Ey_in", "-Ez_in", "Hx_in", "Hy_in", "Hz_in"}, {}, {}}};
  return s;
}

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
  const auto system = std::make_shared<System>(maxwell());
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
