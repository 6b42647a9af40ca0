#include "dgfem/formula_rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dgfem/host/host_solver.h"
#include "dgfem/mesh/box.h"
#include "dgfem/system_file.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {
namespace {

Problem three_materials(const std::string& system, bool periodic) {
  Problem problem;
  problem.mesh = box_mesh({.cells = {3, 3, 3}, .high = {1, 1.25, 0.75}, .periodic = {periodic, periodic, periodic}});
  problem.mesh.regions = {{{"first"}}, {{"second"}}, {{"third"}}};
  for (std::size_t e = 0; e < problem.mesh.size(); ++e) problem.mesh.region_of[e] = static_cast<std::int32_t>(e % 3);
  problem.system = shipped_system(system, 3);
  problem.order = 2;
  problem.parameters["alpha"] = 0.75;
  problem.boundaries["default"] = {system == "maxwell" ? "pec" : "rigid", {}};
  const bool maxwell = system == "maxwell";
  problem.materials["second"] = {{maxwell ? "epsilon" : "rho", 2.25}};
  problem.materials["third"] = {{maxwell ? "mu" : "c", 1.5}};
  return problem;
}

TEST(FormulaRate, IsThatOfTheSolverByHand) {
  for (const char* system : {"maxwell", "acoustics"}) {
    const auto mesh = std::make_shared<const Discretization>(three_materials(system, true));
    const std::size_t width = static_cast<std::size_t>(mesh->nodes()) * static_cast<std::size_t>(mesh->fields());
    std::vector<double> q(mesh->size() * width), wanted(q.size());
    std::mt19937_64 random(1);
    for (double& value : q) value = std::uniform_real_distribution<>(-1, 1)(random);
    make_host_solver<double>(std::make_shared<HostMesh>(host_mesh(*mesh)), 0.75)->rate(q.data(), wanted.data());
    const FormulaRate rate(mesh);
    double scale = 0, error = 0;
    for (std::size_t e = 0; e < mesh->size(); e += 10) {
      const std::vector<double> found = rate(e, [&](std::size_t element) {
        const auto from = q.begin() + static_cast<std::ptrdiff_t>(element * width);
        return std::vector<double>(from, from + static_cast<std::ptrdiff_t>(width));
      });
      ASSERT_EQ(found.size(), width);
      for (std::size_t i = 0; i < width; ++i) {
        scale = std::max(scale, std::abs(wanted[e * width + i]));
        error = std::max(error, std::abs(found[i] - wanted[e * width + i]));
      }
    }
    EXPECT_LT(error, 1e-13 * scale) << system;
  }
}

TEST(FormulaRate, IsOfInnerElementsAlone) {
  const auto mesh = std::make_shared<const Discretization>(three_materials("maxwell", false));
  const FormulaRate rate(mesh);
  std::vector<double> zero(10 * 6);  // of an element
  std::size_t outer = 0;
  while (mesh->link[outer * 4] >= 0 && mesh->link[outer * 4 + 1] >= 0 && mesh->link[outer * 4 + 2] >= 0) ++outer;
  EXPECT_THROW(rate(outer, [&](std::size_t) { return zero; }), UsageError);
}

}  // namespace
}  // namespace rtcg::dgfem
