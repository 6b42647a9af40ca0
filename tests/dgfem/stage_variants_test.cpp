// Every kernel that can compute a stage gives what the portable one gives in double precision; kernels for GPUs that
// are not here compile for them.
#include "dgfem/stage_variants.h"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "dgfem/mesh/box.h"
#include "dgfem/system_file.h"
#include "dgfem/tensor_stage.h"
#include "dgfem/tiled_stage.h"
#include "rtcg/error.h"
#include "support/devices.h"

namespace rtcg::dgfem {
namespace {

/// A box of two materials between conductors, whose elements fill no tile evenly.
Problem two_materials(const std::string& system, int dimension, int order) {
  Problem problem;
  problem.system = shipped_system(system, dimension);
  problem.order = order;
  const ElementType type = dimension == 3 ? ElementType::tetrahedron : ElementType::triangle;
  problem.mesh = box_mesh({.type = type, .cells = {5, 3, 3}, .periodic = {false, true, false}});
  const BoundaryKind& kind = problem.system->boundaries.front();
  BoundaryCondition condition{kind.name, {}};
  for (const std::string& given : kind.given) condition.formulas[given] = "x - y * t";
  for (const char* side : {"x-", "x+", "z-", "z+"})
    if (dimension == 3 || side[0] == 'x') problem.boundaries[side] = condition;
  problem.mesh.regions.push_back(Group{{"dense"}});
  for (std::size_t e = 0; e < problem.mesh.size(); e += 3) problem.mesh.region_of[e] = 1;
  for (const Quantity& material : problem.system->materials) problem.materials["dense"][material.name] = 1.5;
  return problem;
}

/// residual and q_new of one stage from the same random fields.
std::vector<double> stage_of(const StageData& data, const StageKernel& kernel, double a) {
  const std::size_t values = data.state_bytes() / data.real_size();
  std::mt19937 generator(5);
  std::uniform_real_distribution<double> any(-1, 1);
  std::vector<double> q(values), residual(values);
  for (double& v : q) v = any(generator);
  for (double& v : residual) v = a == 0 ? std::nan("") : any(generator);
  const StageBuffers buffers{data.upload(q), data.upload(std::vector<double>(values, 7)), data.upload(residual)};
  kernel(buffers, {.a = a, .b = 0.3, .dt = 0.01, .time = 0.2}, 0, data.mesh->size());
  std::vector<double> result;
  const std::size_t used = data.mesh->size() * static_cast<std::size_t>(data.mesh->nodes() * data.mesh->fields());
  for (const Buffer& buffer : {buffers.q_new, buffers.residual}) {
    if (data.precision == ScalarType::f64) {
      std::vector<double> all(values);
      buffer.read(std::span(all));
      result.insert(result.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(used));
      for (std::size_t i = used; i < values && &buffer == &buffers.q_new; ++i) EXPECT_EQ(all[i], 7) << i;
    } else {
      std::vector<float> all(values);
      buffer.read(std::span(all));
      result.insert(result.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(used));
    }
  }
  return result;
}

class StageVariants : public test::DeviceTest {
 protected:
  void agree(const std::string& system, int dimension, int order) {
    const auto mesh = std::make_shared<Discretization>(two_materials(system, dimension, order));
    const auto exact_data = std::make_shared<StageData>(stream(), mesh, ScalarType::f64);
    const StageShape exact_shape(*mesh, ScalarType::f64);
    Configuration portable = stage_space(device(), exact_shape).standard();
    portable.set("kernel", std::string("portable"));
    for (const double a : {-0.4, 0.0}) {
      const std::vector<double> expected = stage_of(*exact_data, *make_stage(exact_data, portable), a);
      for (const ScalarType precision : {ScalarType::f32, ScalarType::f64}) {
        const auto data = std::make_shared<StageData>(stream(), mesh, precision);
        const StageShape shape(*mesh, precision);
        Configuration choice = stage_space(device(), shape).standard();
        for (const StageVariant& variant : stage_variants()) {
          if (!variant.serves(device(), shape)) continue;
          choice.set("kernel", std::string(variant.name));
          const std::vector<double> got = stage_of(*data, *make_stage(data, choice), a);
          ASSERT_EQ(got.size(), expected.size());
          double error = 0, scale = 0;
          for (std::size_t i = 0; i < got.size(); ++i) {
            ASSERT_TRUE(std::isfinite(got[i])) << choice.text() << " at " << i;
            error = std::max(error, std::abs(got[i] - expected[i])), scale = std::max(scale, std::abs(expected[i]));
          }
          EXPECT_LT(error, scale * (precision == ScalarType::f64 ? 1e-13 : 2e-6))
              << choice.text() << ", order " << order;
        }
      }
    }
  }
};

TEST_P(StageVariants, AgreeForMaxwell) {
  for (const int order : {2, 3, 4, 7}) agree("maxwell", 3, order);
}

TEST_P(StageVariants, AgreeForOtherSystems) {
  agree("acoustics", 2, 2);
  agree("acoustics", 3, 3);
  agree("advection", 2, 3);
}

TEST_P(StageVariants, RefuseAnotherKernelsParameters) {
  const auto mesh = std::make_shared<Discretization>(two_materials("acoustics", 2, 1));
  const auto data = std::make_shared<StageData>(stream(), mesh, ScalarType::f32);
  EXPECT_THROW(make_stage(data, Configuration({{"kernel", std::string("quick")}})), UsageError);
  EXPECT_THROW(stage_variant("quick"), UsageError);
}

TEST_P(StageVariants, TiledKernelCompilesForCuda) {
  if (cuda_architectures().empty()) GTEST_SKIP() << "no NVRTC";
  const struct {
    const char* system;
    int dimension, order;
    ScalarType precision;
    Configuration choice;
  } cases[] = {
      {"maxwell", 3, 3, ScalarType::f32,
       Configuration({{"tiled.lanes", std::int64_t{4}},
                      {"tiled.elements", std::int64_t{16}},
                      {"tiled.teams", std::int64_t{4}},
                      {"tiled.blocks", std::int64_t{1}},
                      {"tiled.unroll", std::int64_t{1}},
                      {"tiled.chunk", std::int64_t{0}},
                      {"tiled.shared", true}})},
      {"advection", 2, 4, ScalarType::f64,
       Configuration({{"tiled.lanes", std::int64_t{2}},
                      {"tiled.elements", std::int64_t{16}},
                      {"tiled.teams", std::int64_t{1}},
                      {"tiled.blocks", std::int64_t{2}},
                      {"tiled.unroll", std::int64_t{2}},
                      {"tiled.chunk", std::int64_t{8}},
                      {"tiled.shared", false}})},
  };
  for (const auto& one : cases) {
    const auto mesh = std::make_shared<Discretization>(two_materials(one.system, one.dimension, one.order));
    const StageData data(stream(), mesh, one.precision);
    for (const char* architecture : {"sm_80", "sm_90"})
      EXPECT_EQ(check_cuda(tiled_stage_source(data, one.choice), architecture).kernels,
                std::vector<std::string>{"dg_stage_tiles"});
  }
}

TEST_P(StageVariants, TensorKernelCompilesForCuda) {
  if (cuda_architectures().empty()) GTEST_SKIP() << "no NVRTC";
  for (const auto& [system, dimension, order, warps, depth] :
       {std::tuple("maxwell", 3, 5, 4, 1), std::tuple("acoustics", 3, 2, 2, 2)}) {
    const auto mesh = std::make_shared<Discretization>(two_materials(system, dimension, order));
    const StageData data(stream(), mesh, ScalarType::f64);
    const Configuration choice({{"tensor.groups", std::int64_t{2}},
                                {"tensor.warps", std::int64_t{warps}},
                                {"tensor.resident", std::int64_t{1}},
                                {"tensor.depth", std::int64_t{depth}}});
    for (const char* architecture : {"sm_80", "sm_90"})
      EXPECT_EQ(check_cuda(tensor_stage_source(data, choice), architecture).kernels,
                std::vector<std::string>{"dg_stage_tensor"});
  }
}

RTCG_INSTANTIATE_FOR_DEVICES(StageVariants);

}  // namespace
}  // namespace rtcg::dgfem
