#include "dgfem/output/measurement.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dgfem/mesh/box.h"
#include "dgfem/system_file.h"
#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

class MeasurementTest : public test::DeviceTest {
 protected:
  /// u is 3 + x y, p is x^2 - 2 y z, v is 1; the region x > 1 has another density.
  static Problem problem(int dimension, int order, bool bent = false) {
    Problem problem;
    problem.mesh = box_mesh({dimension == 2 ? ElementType::triangle : ElementType::tetrahedron,
                             {4, 2, 2},
                             {0, 0, 0},
                             {2, 1, dimension == 2 ? 0.0 : 1.0}});
    problem.mesh.regions = {{{"left"}}, {{"right"}}};
    for (std::size_t e = 0; e < problem.mesh.size(); ++e)
      problem.mesh.region_of[e] = problem.mesh.centroid(e)[0] > 1 ? 1 : 0;
    // Keeps every volume: a shear that depends on the other coordinate.
    if (bent)
      problem.mesh = curved(problem.mesh, 2, [](const Point& p) {
        return Point{p[0] + 0.1 * p[1] * p[1], p[1], p[2]};
      });
    problem.system = shipped_system("acoustics", dimension);
    problem.order = order;
    problem.materials["right"] = {{"rho", 2.0}, {"c", 3.0}};
    for (const Group& boundary : problem.mesh.boundaries) problem.boundaries[boundary.text()] = {"rigid", {}};
    problem.initial = {{"p", "x * x - 2 * y * z"}, {"u", "3 + x * y"}, {"v", "1"}};
    return problem;
  }
};

TEST_P(MeasurementTest, IntegratesPolynomialsExactlyAtEveryOrder) {
  for (const auto& [order, precision] : {std::pair(2, ScalarType::f64), {3, ScalarType::f32}, {6, ScalarType::f64}}) {
    const Solver solver(stream(), problem(3, order), {.precision = precision, .step = {}, .variant = {}});
    const Measurement measure(solver, {{"p", "p"},
                                       {"u2", "u * u", Measure::Kind::root_of_integral},
                                       {"kinetic", "0.5 * rho * (u * u + v * v)"},
                                       {"moment", "p * x * t"},
                                       {"u most", "u", Measure::Kind::largest},
                                       {"p least", "-p", Measure::Kind::largest}});
    const std::vector<double> values = measure(solver.state(), 2.0);
    const double tolerance = precision == ScalarType::f64 ? 1e-12 : 2e-5;
    // Over [0, 2] x [0, 1]^2, by hand.
    const double u2 = 18 + 6 + 8.0 / 9;  // 9 V + 6 int xy + int x^2 y^2
    const double left = 9 + 6 * 0.25 + 1.0 / 9, right = u2 - left;
    EXPECT_NEAR(values[0], 8.0 / 3 - 1, tolerance);
    EXPECT_NEAR(values[1], std::sqrt(u2), tolerance * 10);
    EXPECT_NEAR(values[2], 0.5 * (left + 1) + 0.5 * 2 * (right + 1), tolerance * 30);
    EXPECT_NEAR(values[3], 2 * (4 - 1), tolerance * 10);
    EXPECT_NEAR(values[4], 5, tolerance * 10);  // at the corner (2, 1), a node
    EXPECT_NEAR(values[5], 2, tolerance * 10);
  }
}

TEST_P(MeasurementTest, KnowsCurvedElements) {
  for (const int dimension : {2, 3}) {
    const Solver solver(stream(), problem(dimension, 3, true));
    EXPECT_GT(solver.discretization().curved(), 0u);
    const Measurement measure(solver,
                              {{"volume", "1"}, {"x", "x"}, {"v", "v * y"}, {"most", "x", Measure::Kind::largest}}, 8);
    const std::vector<double> values = measure(solver);
    EXPECT_NEAR(values[0], 2, 1e-13);
    EXPECT_NEAR(values[1], 2 + 2 * 0.1 / 3, 1e-13);
    EXPECT_NEAR(values[2], 1, 1e-12);
    EXPECT_NEAR(values[3], 2.1, 1e-13);
  }
}

TEST_P(MeasurementTest, OfErrorsContentAndEnergy) {
  const Solver solver(stream(), problem(2, 4));
  std::vector<Measure> measures = error_measures({{"u", "3 + x * y + 0.5 * t * x"}, {"v", "1 - t"}});
  const std::size_t errors = measures.size();
  for (const Measure& one : content_measures(*solver.discretization().system)) measures.push_back(one);
  for (const Measure& one : energy_measures(*solver.discretization().system)) measures.push_back(one);
  const Measurement measure(solver, measures);
  const std::vector<double> values = measure(solver.state(), 0.1);
  ASSERT_EQ(errors, 4u);
  EXPECT_EQ(measure.measures()[0].name, "u.l2");
  EXPECT_NEAR(values[0], std::sqrt(0.0025 * 8.0 / 3), 1e-13);
  EXPECT_NEAR(values[1], 0.1, 1e-13);
  EXPECT_NEAR(values[2], 0.1 * std::sqrt(2), 1e-13);
  EXPECT_NEAR(values[3], 0.1, 1e-13);
  const System& system = *solver.discretization().system;
  EXPECT_NEAR(values[errors + static_cast<std::size_t>(system.field("p"))], 8.0 / 3, 1e-13);
  EXPECT_NEAR(values[errors + static_cast<std::size_t>(system.field("u"))], 7, 1e-13);
  // p^2 / (2 rho c^2) + rho |u|^2 / 2 with p = x^2: int p^2 is 1/5 on the left, 31/5 on the right.
  const double left = 9 + 1.5 + 1.0 / 9 + 1, right = 9 + 4.5 + 7.0 / 9 + 1;
  EXPECT_NEAR(values.back(), 0.1 + 31.0 / 5 / 36 + 0.5 * left + right, 1e-12);
}

TEST_P(MeasurementTest, ShowsNaNAndGivesTheSameBitsAgain) {
  Solver solver(stream(), problem(3, 3));
  const Measurement measure(solver, {{"u", "u"}, {"most", "u", Measure::Kind::largest}, {"v", "v"}});
  EXPECT_EQ(measure(solver), measure(solver));
  std::vector<double> fields = solver.fields();
  const auto u = static_cast<std::size_t>(solver.discretization().system->field("u"));
  fields[fields.size() / 2 / 4 * 4 + u] = std::numeric_limits<double>::quiet_NaN();
  solver.set_fields(fields);
  const std::vector<double> values = measure(solver);
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_TRUE(std::isnan(values[1]));
  EXPECT_NEAR(values[2], 2, 1e-13);
}

TEST_P(MeasurementTest, SaysWhatIsWrongInAFormula) {
  const Solver solver(stream(), problem(2, 1));
  EXPECT_TRUE(Measurement(solver, {})(solver).empty());
  try {
    Measurement(solver, {{"mine", "u * q"}});
    ADD_FAILURE() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).find("mine: "), 0u) << error.what();
    EXPECT_NE(std::string(error.what()).find("'q' means nothing here"), std::string::npos) << error.what();
  }
}

RTCG_INSTANTIATE_FOR_DEVICES(MeasurementTest);

}  // namespace
}  // namespace rtcg::dgfem
