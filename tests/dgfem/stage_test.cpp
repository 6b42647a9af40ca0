#include "dgfem/stage.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dgfem/host/host_solver.h"
#include "dgfem/mesh/box.h"
#include "dgfem/stage_variants.h"
#include "dgfem/system_file.h"
#include "support/devices.h"

namespace rtcg::dgfem {
namespace {

/// A box of three materials and three kinds of wall, its elements turned so that faces meet in every orientation.
Problem problem_of(const std::string& system, int dimension, int order) {
  Problem problem;
  problem.mesh = box_mesh({.type = dimension == 2 ? ElementType::triangle : ElementType::tetrahedron,
                           .cells = {4, 3, 3},
                           .high = {1, 1.25, 0.75},
                           .periodic = {false, true, false}});
  const auto corners = static_cast<std::size_t>(vertices_of(problem.mesh.type));
  std::mt19937 random(1);
  problem.mesh.regions = {{{"first"}}, {{"second"}}, {{"third"}}};
  for (std::size_t e = 0; e < problem.mesh.size(); ++e) {
    problem.mesh.region_of[e] = static_cast<std::int32_t>(random() % 3);
    std::int32_t* vertices = problem.mesh.elements.data() + e * corners;
    const unsigned apart = corners == 4 ? random() % 2 : 0;
    std::rotate(vertices + apart, vertices + apart + random() % 3, vertices + apart + 3);  // even
  }
  problem.system = shipped_system(system, dimension);
  problem.order = order;
  const bool maxwell = system == "maxwell";
  problem.boundaries["x-"] = {maxwell ? "pec" : "rigid", {}};
  problem.boundaries["x+"] = {maxwell ? "pmc" : "pressure_release", {}};
  if (dimension == 3) problem.boundaries["default"] = {"absorbing", {}};
  problem.materials["second"] = {{maxwell ? "epsilon" : "rho", 2.25}};
  problem.materials["third"] = {{maxwell ? "mu" : "c", 1.5}};
  return problem;
}

class StageTest : public test::DeviceTest {
 protected:
  /// The largest difference of residual and new state from the host solver's, in units of the largest rate: of the
  /// default kernel, but for changes.
  template <class Real>
  double difference(const Problem& problem, const std::vector<std::pair<std::string, ParameterValue>>& changes = {}) {
    const Stream on = stream();
    const auto mesh = std::make_shared<const Discretization>(problem);
    const auto data = std::make_shared<const StageData>(on, mesh, scalar_type<Real>());
    Configuration choice = stage_space(device(), StageShape(*mesh, scalar_type<Real>())).standard();
    for (const auto& [name, value] : changes) choice.set(name, value);
    const auto stage = make_stage(data, choice);

    const std::size_t count = mesh->size() * static_cast<std::size_t>(mesh->nodes() * mesh->fields());
    std::vector<Real> q(data->state_bytes() / sizeof(Real)), residual(q.size());
    std::mt19937_64 random(2);
    for (std::size_t i = 0; i < count; ++i) {
      q[i] = static_cast<Real>(std::uniform_real_distribution<>(-1, 1)(random));
      residual[i] = static_cast<Real>(std::uniform_real_distribution<>(-1, 1)(random));
    }
    const StageBuffers buffers{Buffer::from(on, q), Buffer::from(on, q), Buffer::from(on, residual)};
    const double a = -0.75, b = 0.5, dt = 0.25;
    (*stage)(buffers, {a, b, dt, 0}, 0, mesh->size());

    const std::vector<double> exact(q.begin(), q.end());
    std::vector<double> wanted_residual(residual.begin(), residual.end()), wanted(exact.size());
    const auto alpha = mesh->parameters.at("alpha");
    make_host_solver<double>(std::make_shared<HostMesh>(host_mesh(*mesh)), alpha)
        ->stage(exact.data(), wanted.data(), wanted_residual.data(), a, b, dt);
    const std::vector<Real> found = buffers.q_new.template read<Real>();
    const std::vector<Real> found_residual = buffers.residual.template read<Real>();
    double scale = 0, error = 0;
    for (std::size_t i = 0; i < count; ++i) {
      scale = std::max(scale, std::abs(wanted_residual[i]));
      error = std::max({error, std::abs(static_cast<double>(found[i]) - wanted[i]),
                        std::abs(static_cast<double>(found_residual[i]) - wanted_residual[i])});
    }
    return error / scale;
  }
};

constexpr double double_bound = 1e-13, single_bound = 5e-6;

TEST_P(StageTest, MaxwellAgreesWithTheSolverByHand) {
  for (const int order : {1, 2, 3, 5}) {
    Problem problem = problem_of("maxwell", 3, order);
    problem.parameters["alpha"] = order == 3 ? 0.25 : 1.0;
    EXPECT_LT(difference<double>(problem), double_bound) << "order " << order;
    const double single = difference<float>(problem);
    EXPECT_LT(single, single_bound) << "order " << order;
    EXPECT_GT(single, 1e-9) << "order " << order;
  }
}

TEST_P(StageTest, SoundAgreesWithTheSolverByHand) {
  for (const int dimension : {2, 3}) {
    const Problem problem = problem_of("acoustics", dimension, 3);
    EXPECT_LT(difference<double>(problem), double_bound) << dimension << "-D";
    EXPECT_LT(difference<float>(problem), single_bound) << dimension << "-D";
  }
}

TEST_P(StageTest, SplitKernelsAndSingleElementsAgreeWithTheSolverByHand) {
  const Problem problem = problem_of("maxwell", 3, 2);
  EXPECT_LT(difference<double>(problem, {{"kernel", "portable"}, {"portable.fused", false}}), double_bound);
  EXPECT_LT(difference<double>(problem, {{"kernel", "portable"}, {"portable.elements", std::int64_t{1}}}),
            double_bound);
}

TEST_P(StageTest, OneMaterialAsLiteralsAgreesWithTheSolverByHand) {
  Problem problem = problem_of("maxwell", 3, 4);
  problem.materials = {{"default", {{"epsilon", 2.25}, {"mu", 1.5}}}};
  EXPECT_LT(difference<double>(problem), double_bound);
}

RTCG_INSTANTIATE_FOR_DEVICES(StageTest);

}  // namespace
}  // namespace rtcg::dgfem
