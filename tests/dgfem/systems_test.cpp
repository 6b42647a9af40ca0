// What must hold for every system: shipped ones and those of data/.

#include <cmath>

#include "system_functions.h"

namespace rtcg::dgfem {
namespace {

using namespace test;

constexpr Eigen::Index count = 50;

std::string label(const System& system) {
  return system.name + " in " + std::to_string(system.dimension) + " dimensions";
}

double scale_of(const MatrixXd& m) {
  return 1 + m.cwiseAbs().maxCoeff();
}

class SystemsTest : public rtcg::test::DeviceTest {
 protected:
  SystemFunctions functions(const System& system, const std::map<std::string, double>& parameters = {}) const {
    return SystemFunctions(stream(), system, two_regions(system), parameters);
  }
};

TEST_P(SystemsTest, EqualStatesLiftNothing) {
  for (const System& system : every_system()) {
    SCOPED_TRACE(label(system));
    Calls calls = random_calls(system, count, 1);
    calls.out = calls.in;
    const Answers answers = functions(system)(calls);
    EXPECT_LT(answers.lifted.cwiseAbs().maxCoeff(), 1e-13 * scale_of(answers.flux));
  }
}

TEST_P(SystemsTest, WhatLeavesAnElementEntersItsNeighbour) {
  for (const System& system : every_system()) {
    SCOPED_TRACE(label(system));
    const SystemFunctions call = functions(system);
    const Calls here = random_calls(system, count, 2);
    Calls there = here;
    std::swap(there.in, there.out);
    there.normal = -here.normal;
    const Answers a = call(here), b = call(there);
    const MatrixXd leaves = along(a.flux, here.normal) - a.lifted, enters = along(b.flux, there.normal) - b.lifted;
    EXPECT_LT((leaves + enters).cwiseAbs().maxCoeff(), 1e-13 * scale_of(leaves));
    EXPECT_GT(a.lifted.cwiseAbs().maxCoeff(), 0.1);
  }
}

TEST_P(SystemsTest, VolumeIsTheDerivativeOfTheFluxAndSparse) {
  const std::map<std::string, std::size_t> terms{{"advection2", 2},  {"advection3", 3}, {"acoustics2", 4},
                                                 {"acoustics3", 6},  {"maxwell3", 12},  {"maxwell_tm2", 4},
                                                 {"maxwell_te2", 4}, {"elastic2", 10},  {"elastic3", 24}};
  std::size_t linear = 0;
  for (const System& system : every_system()) {
    SCOPED_TRACE(label(system));
    const std::map<std::string, double> parameters = system.name == "advection"
                                                         ? std::map<std::string, double>{{"ax", 0.7}, {"ay", -0.4}}
                                                         : std::map<std::string, double>{};
    const SystemFunctions call = functions(system, parameters);
    EXPECT_EQ(system.is_linear(), system.name != "euler");
    if (!system.is_linear()) continue;
    ++linear;
    const Calls calls = random_calls(system, count, 3);
    const MatrixXd volume = call(calls).volume;
    MatrixXd wanted = MatrixXd::Zero(volume.rows(), count);
    const auto matrices = flux_matrices(call, system, 0);
    for (Eigen::Index d = 0; d < system.dimension; ++d)
      wanted -= matrices[static_cast<std::size_t>(d)] * calls.derivative.middleRows(d * volume.rows(), volume.rows());
    EXPECT_LT((volume - wanted).cwiseAbs().maxCoeff(), 1e-14 * scale_of(wanted));
    const std::string& text = call.text().functions;
    const std::size_t begin = text.find("void dg_volume"), end = text.find("\n}\n", begin);
    std::size_t found = 0;
    for (std::size_t at = begin; (at = text.find("derivative[", at + 1)) < end;) ++found;
    const std::size_t zero = system.name == "advection" && system.dimension == 3 ? 1 : 0;  // az = 0
    EXPECT_EQ(found + zero, terms.at(system.name + std::to_string(system.dimension)));
  }
  EXPECT_EQ(linear, terms.size());
}

TEST_P(SystemsTest, LinearSystemsAreHyperbolicAndUpwindTheirCharacteristics) {
  for (const System& system : every_system()) {
    if (!system.is_linear()) continue;
    SCOPED_TRACE(label(system));
    const SystemFunctions call =
        functions(system, system.name == "advection" ? std::map<std::string, double>{{"ay", 0.6}}
                                                     : std::map<std::string, double>{});
    const Calls calls = random_calls(system, count, 4);
    const MatrixXd lifted = call(calls).lifted;
    const std::vector<double> region = two_regions(system)[0];
    const auto matrices = flux_matrices(call, system, 0);
    // The energy makes a linear system symmetric, and with that its waves real.
    const Eigen::SelfAdjointEigenSolver<MatrixXd> energy_of(energy_matrix(system, region));
    const MatrixXd root = energy_of.operatorSqrt(), inverse_root = energy_of.operatorInverseSqrt();
    const double speed = system.wave_speed(region, {{"ax", 1}, {"ay", 0.6}, {"az", 0}});
    double fastest = 0;
    for (Eigen::Index i = 0; i < count; ++i) {
      MatrixXd a = MatrixXd::Zero(lifted.rows(), lifted.rows());
      for (Eigen::Index d = 0; d < system.dimension; ++d)
        a += calls.normal(d, i) * matrices[static_cast<std::size_t>(d)];
      const MatrixXd symmetric = root * a * inverse_root;
      EXPECT_LT((symmetric - symmetric.transpose()).cwiseAbs().maxCoeff(), 1e-13);
      const Eigen::SelfAdjointEigenSolver<MatrixXd> waves(symmetric);
      fastest = std::max(fastest, waves.eigenvalues().cwiseAbs().maxCoeff());
      // n.F(in) less the flux of the waves that arrive from each side.
      const MatrixXd arriving =
          waves.eigenvectors() * waves.eigenvalues().cwiseMin(0).asDiagonal() * waves.eigenvectors().transpose();
      const VectorXd wanted = -(inverse_root * arriving * root * (calls.out.col(i) - calls.in.col(i)));
      EXPECT_LT((lifted.col(i) - wanted).cwiseAbs().maxCoeff(), 1e-12);
    }
    EXPECT_LE(fastest, speed * (1 + 1e-12));
    EXPECT_GE(fastest, speed * (system.name == "advection" ? 0.9 : 1 - 1e-12));
  }
}

TEST_P(SystemsTest, FacesBetweenTwoMaterialsKeepEnergyWhenCentralAndLoseItWhenUpwind) {
  for (const System& system : every_system()) {
    if (!system.is_linear()) continue;
    SCOPED_TRACE(label(system));
    const auto regions = two_regions(system);
    for (const double alpha : {0.0, 1.0}) {
      const SystemFunctions call = functions(system, {{"alpha", alpha}});
      Calls here = random_calls(system, count, 5);
      here.region_out = 1;
      Calls there = here;
      std::swap(there.in, there.out);
      std::swap(there.region_in, there.region_out);
      there.normal = -here.normal;
      VectorXd rate = VectorXd::Zero(count);
      for (const Calls& side : {here, there}) {
        const Answers answers = call(side);
        const MatrixXd w = energy_matrix(system, regions[static_cast<std::size_t>(side.region_in)]);
        EXPECT_GT(Eigen::SelfAdjointEigenSolver<MatrixXd>(w).eigenvalues().minCoeff(), 1e-3);
        const MatrixXd change = answers.lifted - 0.5 * along(answers.flux, side.normal);
        rate += (w * side.in).cwiseProduct(change).colwise().sum().transpose();
      }
      if (alpha == 0)
        EXPECT_LT(rate.cwiseAbs().maxCoeff(), 1e-13);
      else
        EXPECT_LT(rate.maxCoeff(), 0);
    }
  }
}

TEST_P(SystemsTest, SinglePrecisionAndLiteralMaterialsSayTheSame) {
  for (const System& system : every_system()) {
    SCOPED_TRACE(label(system));
    const auto regions = two_regions(system);
    const Calls calls = random_calls(system, count, 6);
    const Answers two = functions(system)(calls);
    const Answers one = SystemFunctions(stream(), system, {regions[0]})(calls);
    const Answers single = SystemFunctions(stream(), system, {regions[0]}, {}, {}, ScalarType::f32)(calls);
    for (const auto member : {&Answers::flux, &Answers::volume, &Answers::source, &Answers::lifted}) {
      if (member == &Answers::volume && !system.is_linear()) continue;
      EXPECT_LT((two.*member - one.*member).cwiseAbs().maxCoeff(), 1e-13 * scale_of(two.*member));
      EXPECT_LT((two.*member - single.*member).cwiseAbs().maxCoeff(), 1e-5 * scale_of(two.*member));
    }
  }
}

RTCG_INSTANTIATE_FOR_DEVICES(SystemsTest);

}  // namespace
}  // namespace rtcg::dgfem
