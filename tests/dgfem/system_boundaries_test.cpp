// What systems' boundaries do to waves, energy and flow.
#include <cmath>
#include <set>

#include "system_functions.h"

namespace rtcg::dgfem {
namespace {

using namespace test;

constexpr Eigen::Index count = 50;

/// Every kind of boundary in turn, and last an impedance wall that matches two_regions()'s first. Exact and incident
/// states grow with t.
std::vector<BoundaryCondition> every_condition(const System& system) {
  std::vector<BoundaryCondition> conditions;
  for (const BoundaryKind& kind : system.boundaries) {
    conditions.push_back({kind.name, {}});
    for (std::size_t k = 0; k < kind.given.size(); ++k)
      conditions.back().formulas[kind.given[k]] = "t * (" + std::to_string(k + 1) + " + sin(x) * exp(y) - z)";
    if (kind.name == "impedance") conditions.back().formulas["impedance"] = "2.5 + 0 * x";
    if (kind.name == "pressure_outflow") conditions.back().formulas["p"] = "0.8";
    if (system.name == "euler" && kind.name == "inflow") {
      conditions.back().formulas = {{"rho", "1.2"}, {"u", "2 + x"}, {"v", "-1"}, {"p", "0.8"}};
      if (system.dimension == 3) conditions.back().formulas["w"] = "0.5";
    }
  }
  if (system.boundary("impedance"))
    conditions.push_back(
        {"impedance", {{"impedance", system.name == "acoustics" ? "1.3 * sqrt(1.3)" : "pow(1.3, -0.25)"}}});
  return conditions;
}

/// Of linear systems: without upwinding but for kinds that ask for it.
std::map<std::string, double> central(const System& system) {
  if (system.is_linear()) return {{"alpha", 0}};
  return {};
}

class SystemBoundariesTest : public rtcg::test::DeviceTest {
 protected:
  /// The first condition of this kind, unless `condition` says which.
  Answers at_boundary(const System& system, const std::string& kind, Calls calls,
                      const std::map<std::string, double>& parameters, std::size_t condition = 0) const {
    const std::vector<BoundaryCondition> conditions = every_condition(system);
    while (conditions.at(condition).kind != kind) ++condition;
    calls.condition = static_cast<int>(condition);
    return SystemFunctions(stream(), system, two_regions(system), parameters, conditions)(calls);
  }
  /// Of each call: what the energy of the element changes by through the face.
  VectorXd energy_rate(const System& system, const std::string& kind, const Calls& calls, double alpha) const {
    const Answers answers = at_boundary(system, kind, calls, {{"alpha", alpha}});
    const MatrixXd w = energy_matrix(system, two_regions(system)[0]);
    const MatrixXd change = answers.lifted - 0.5 * along(answers.flux, calls.normal);
    return (w * calls.in).cwiseProduct(change).colwise().sum().transpose();
  }
};

TEST_P(SystemBoundariesTest, ReflectingWallsKeepEnergyWhenCentral) {
  std::size_t walls = 0;
  for (const System& system : every_system())
    for (const BoundaryKind& kind : system.boundaries) {
      static const std::set<std::string> reflecting{"pec", "pmc", "rigid", "pressure_release", "free", "clamped"};
      if (!reflecting.contains(kind.name)) continue;
      SCOPED_TRACE(system.name + " " + kind.name);
      ++walls;
      const Calls calls = random_calls(system, count, 21);
      EXPECT_LT(energy_rate(system, kind.name, calls, 0).cwiseAbs().maxCoeff(), 1e-13);
      const VectorXd upwind = energy_rate(system, kind.name, calls, 1);
      EXPECT_LT(upwind.maxCoeff(), 0);
    }
  EXPECT_EQ(walls, 14u);
}

TEST_P(SystemBoundariesTest, MaxwellLosesWhatTheEnergyLawSays) {
  const System& system = *shipped_system("maxwell", 3);
  const Calls calls = random_calls(system, count, 22);
  const double z = std::sqrt((1 * std::sqrt(1.3)) / 1.3);  // of two_regions()'s first
  const VectorXd pec = energy_rate(system, "pec", calls, 0.6);
  const VectorXd absorbing = energy_rate(system, "absorbing", calls, 0);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Eigen::Vector3d n = calls.normal.col(i), e = calls.in.col(i).head(3), h = calls.in.col(i).tail(3);
    EXPECT_NEAR(pec(i), -0.6 * n.cross(e).squaredNorm() / z, 1e-13);
    EXPECT_NEAR(absorbing(i), -0.5 * (n.cross(e).squaredNorm() / z + z * n.cross(h).squaredNorm()), 1e-13);
  }
}

TEST_P(SystemBoundariesTest, WavesThatLeaveStraightAreAbsorbedWhateverTheRunsAlpha) {
  std::size_t kinds = 0;
  for (const System& system : every_system()) {
    if (!system.is_linear()) continue;
    const std::vector<double> region = two_regions(system)[0];
    const auto matrices = flux_matrices(SystemFunctions(stream(), system, two_regions(system)), system, 0);
    const Eigen::SelfAdjointEigenSolver<MatrixXd> energy_of(energy_matrix(system, region));
    const MatrixXd root = energy_of.operatorSqrt(), inverse_root = energy_of.operatorInverseSqrt();
    Calls calls = random_calls(system, count, 23);
    for (Eigen::Index i = 0; i < count; ++i) {
      MatrixXd a = MatrixXd::Zero(root.rows(), root.rows());
      for (Eigen::Index d = 0; d < system.dimension; ++d)
        a += calls.normal(d, i) * matrices[static_cast<std::size_t>(d)];
      const Eigen::SelfAdjointEigenSolver<MatrixXd> waves(root * a * inverse_root);
      const VectorXd leaving = (waves.eigenvalues().array() > 1e-9).cast<double>();
      calls.in.col(i) = inverse_root * waves.eigenvectors() * leaving.asDiagonal() * waves.eigenvectors().transpose() *
                        root * calls.in.col(i);
    }
    for (const char* kind : {"absorbing", "incident", "inflow", "impedance"}) {
      if (!system.boundary(kind)) continue;
      SCOPED_TRACE(system.name + " " + kind);
      ++kinds;
      const std::size_t from = kind == std::string("impedance") ? system.boundaries.size() : 0;
      const Answers answers = at_boundary(system, kind, calls, central(system), from);
      EXPECT_LT(answers.lifted.cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_GT(along(answers.flux, calls.normal).cwiseAbs().maxCoeff(), 0.1);
    }
  }
  EXPECT_EQ(kinds, 7u * 2 + 5 + 2);
}

TEST_P(SystemBoundariesTest, ImpedanceWallsSetTheRatioAtTheFace) {
  for (const int dimension : {2, 3}) {
    const System& sound = *shipped_system("acoustics", dimension);
    const Calls calls = random_calls(sound, count, 24);
    const double rho = 1.3, bulk = 1.3 * 1.3;
    const Answers answers = at_boundary(sound, "impedance", calls, central(sound));
    for (Eigen::Index i = 0; i < count; ++i) {
      const VectorXd n = calls.normal.col(i);
      const double p = calls.in(0, i) - rho * answers.lifted.col(i).tail(dimension).dot(n);
      const double un = calls.in.col(i).tail(dimension).dot(n) - answers.lifted(0, i) / bulk;
      EXPECT_NEAR(p, 2.5 * un, 1e-12);
    }
  }
  const System& maxwell = *shipped_system("maxwell", 3);
  const Calls calls = random_calls(maxwell, count, 25);
  const Answers answers = at_boundary(maxwell, "impedance", calls, central(maxwell));
  for (Eigen::Index i = 0; i < count; ++i) {
    const Eigen::Vector3d n = calls.normal.col(i), e = calls.in.col(i).head(3), h = calls.in.col(i).tail(3);
    // epsilon x lifted E is n x (H* - H), mu x lifted H is - n x (E* - E).
    const Eigen::Vector3d nh = n.cross(h) + 1.3 * answers.lifted.col(i).head(3);
    const Eigen::Vector3d ne = n.cross(e) - std::sqrt(1.3) * answers.lifted.col(i).tail(3);
    EXPECT_LT((ne - 2.5 * n.cross(-nh)).norm(), 1e-12);
  }
}

TEST_P(SystemBoundariesTest, GivenStatesAreTakenAtTheirPlaceAndTime) {
  for (const System& system : every_system())
    for (const char* kind : {"exact", "incident"}) {
      if (!system.boundary(kind)) continue;
      SCOPED_TRACE(system.name + " " + kind);
      Calls calls = random_calls(system, count, 26);
      calls.t = 0.7;
      const Answers answers = at_boundary(system, kind, calls, central(system));
      for (Eigen::Index i = 0; i < count; ++i) {
        const double place = std::sin(calls.x(0, i)) * std::exp(calls.x(1, i)) - calls.x(2, i);
        for (Eigen::Index f = 0; f < calls.in.rows(); ++f)
          EXPECT_NEAR(answers.outer(f, i), 0.7 * (static_cast<double>(f + 1) + place), 1e-14);
      }
    }
}

TEST_P(SystemBoundariesTest, GasDoesNotCrossWallsAndEntersAsGiven) {
  for (const int dimension : {2, 3}) {
    const System& euler = *shipped_system("euler", dimension);
    const Calls calls = random_calls(euler, count, 27);
    const Eigen::Index last = dimension + 1;
    for (const double hllc : {0.0, 1.0}) {
      const Answers wall = at_boundary(euler, "wall", calls, {{"hllc", hllc}});
      const MatrixXd crossing = along(wall.flux, calls.normal) - wall.lifted;
      EXPECT_LT(crossing.row(0).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT(crossing.row(last).cwiseAbs().maxCoeff(), 1e-10);
      for (Eigen::Index i = 0; i < count; ++i) {  // pressure alone pushes, along the normal
        const VectorXd push = crossing.col(i).segment(1, dimension), n = calls.normal.col(i);
        EXPECT_LT((push - n * n.dot(push)).norm(), 1e-11);
      }
    }
    const Answers inflow = at_boundary(euler, "inflow", calls, {}), outflow = at_boundary(euler, "outflow", calls, {}),
                  open = at_boundary(euler, "pressure_outflow", calls, {});
    EXPECT_LT(outflow.lifted.cwiseAbs().maxCoeff(), 1e-12);
    for (Eigen::Index i = 0; i < count; ++i) {
      const double u = 2 + calls.x(0, i), speed2 = u * u + 1 + (dimension == 3 ? 0.25 : 0);
      EXPECT_NEAR(inflow.outer(0, i), 1.2, 1e-15);
      EXPECT_NEAR(inflow.outer(1, i), 1.2 * u, 1e-14);
      EXPECT_NEAR(inflow.outer(last, i), 0.8 / 0.4 + 0.6 * speed2, 1e-13);
      const VectorXd q = open.outer.col(i);
      EXPECT_NEAR(0.4 * (q(last) - 0.5 * q.segment(1, dimension).squaredNorm() / q(0)), 0.8, 1e-12);
      EXPECT_EQ(q.head(last), calls.in.col(i).head(last));
    }
  }
}

RTCG_INSTANTIATE_FOR_DEVICES(SystemBoundariesTest);

}  // namespace
}  // namespace rtcg::dgfem
