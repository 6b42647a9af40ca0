// Plane waves through periodic boxes: every linear system converges at order N + 1.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "dgfem/mesh/box.h"
#include "dgfem/output/measurement.h"
#include "dgfem/solver.h"
#include "system_functions.h"

namespace rtcg::dgfem {
namespace {

using namespace test;

constexpr double pi = std::numbers::pi;

struct PlaneWave {
  std::shared_ptr<const System> system;
  Values material, parameters;
  FieldFormulas exact;
};

/// cos(k.x - speed |k| t) for one period along each axis of the unit box.
std::string wave(int dimension, double speed) {
  return fmt::format("cos(2 * pi * (x + y{}) - {:.17g} * t)", dimension == 3 ? " + z" : "",
                     2 * pi * std::sqrt(dimension) * speed);
}
std::string times(double factor, const std::string& formula) {
  return fmt::format("{:.17g} * {}", factor, formula);
}

PlaneWave maxwell(const std::string& name, int dimension) {
  const double epsilon = 2.25, mu = 1.44, z = std::sqrt(mu / epsilon), speed = 1 / std::sqrt(epsilon * mu);
  const Eigen::Vector3d k =
      dimension == 3 ? Eigen::Vector3d(1, 1, 1).normalized() : Eigen::Vector3d(1, 1, 0).normalized();
  const Eigen::Vector3d e = name == "maxwell_tm" ? Eigen::Vector3d(0, 0, 1) : Eigen::Vector3d(1, -1, 0),
                        h = k.cross(e) / z;
  PlaneWave plane{shipped_system(name, dimension), {{"epsilon", epsilon}, {"mu", mu}}, {}, {}};
  for (int d = 0; d < 3; ++d) {
    const std::string axis(1, "xyz"[d]);
    if (plane.system->field("E" + axis) >= 0) plane.exact["E" + axis] = times(e(d), wave(dimension, speed));
    if (plane.system->field("H" + axis) >= 0) plane.exact["H" + axis] = times(h(d), wave(dimension, speed));
  }
  return plane;
}

PlaneWave acoustics(int dimension) {
  const double rho = 1.3, c = 0.8;
  PlaneWave plane{shipped_system("acoustics", dimension), {{"rho", rho}, {"c", c}}, {}, {}};
  plane.exact["p"] = wave(dimension, c);
  for (int d = 0; d < dimension; ++d)
    plane.exact[std::string(1, "uvw"[d])] = times(1 / (rho * c * std::sqrt(dimension)), wave(dimension, c));
  return plane;
}

PlaneWave advection(int dimension) {
  PlaneWave plane{shipped_system("advection", dimension), {}, {{"ax", 0.7}, {"ay", -0.2}}, {}};
  if (dimension == 3) plane.parameters["az"] = 0.3;
  plane.exact["u"] = wave(dimension, (dimension == 3 ? 0.8 : 0.5) / std::sqrt(dimension));
  return plane;
}

/// A pressure wave and a shear wave at once.
PlaneWave elastic(int dimension) {
  const double rho = 1.2, cp = 1.5, cs = 0.7, mu = rho * cs * cs, lambda = rho * cp * cp - 2 * mu;
  PlaneWave plane{std::make_shared<System>(data_system(dimension == 2 ? "elastic_2d" : "elastic_3d")),
                  {{"rho", rho}, {"cp", cp}, {"cs", cs}},
                  {},
                  {}};
  const VectorXd k = VectorXd::Ones(dimension).normalized();
  VectorXd s = VectorXd::Zero(dimension);
  s(0) = 1, s(1) = -1;
  const std::string pressure = wave(dimension, cp), shear = wave(dimension, cs);
  for (int a = 0; a < dimension; ++a) {
    plane.exact[std::string("v") + "xyz"[a]] = times(k(a), pressure) + " + " + times(s(a), shear);
    for (int b = a; b < dimension; ++b)
      plane.exact[std::string("s") + "xyz"[a] + "xyz"[b]] =
          times(-(lambda * (a == b) + 2 * mu * k(a) * k(b)) / cp, pressure) + " + " +
          times(-mu * (k(a) * s(b) + k(b) * s(a)) / cs, shear);
  }
  return plane;
}

class PlaneWavesTest : public rtcg::test::DeviceTest {
 protected:
  /// The L2 error of all fields together at time 0.1.
  double error(const PlaneWave& plane, int order, int cells) const {
    Problem problem;
    const bool is_flat = plane.system->dimension == 2;
    problem.mesh = box_mesh({.type = is_flat ? ElementType::triangle : ElementType::tetrahedron,
                             .cells = {cells, cells, is_flat ? 1 : cells},
                             .periodic = {true, true, !is_flat}});
    problem.system = plane.system;
    problem.order = order;
    problem.materials["default"] = plane.material;
    problem.parameters = plane.parameters;
    problem.initial = plane.exact;
    Solver solver(stream(), problem);
    solver.advance_to(0.1);
    const Measurement measure(solver, error_measures(plane.exact));
    const std::vector<double> values = measure(solver);
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i)
      if (measure.measures()[i].name.ends_with(".l2")) sum += values[i] * values[i];
    return std::sqrt(sum);
  }
  void expect_order(const PlaneWave& plane, int order, int cells) const {
    const double coarse = error(plane, order, cells), fine = error(plane, order, 2 * cells);
    EXPECT_GT(std::log2(coarse / fine), order + 0.6)
        << plane.system->name << " of order " << order << ": " << coarse << ", " << fine;
    EXPECT_LT(fine, 0.1);
  }
};

TEST_P(PlaneWavesTest, ConvergeInThePlane) {
  for (const PlaneWave& plane :
       {maxwell("maxwell_tm", 2), maxwell("maxwell_te", 2), acoustics(2), advection(2), elastic(2)})
    for (const int order : {2, 4}) expect_order(plane, order, 4);
}

TEST_P(PlaneWavesTest, ConvergeInSpace) {
  for (const PlaneWave& plane : {maxwell("maxwell", 3), acoustics(3), advection(3), elastic(3)})
    expect_order(plane, 3, 3);
}

RTCG_INSTANTIATE_FOR_DEVICES(PlaneWavesTest);

}  // namespace
}  // namespace rtcg::dgfem
