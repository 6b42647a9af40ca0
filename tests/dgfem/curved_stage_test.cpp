// Curved elements: what a mesh's shape must not change, and what straight elements cannot reach.
#include "dgfem/curved_stage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "dgfem/mesh/box.h"
#include "dgfem/output/measurement.h"
#include "dgfem/solver.h"
#include "dgfem/system_file.h"
#include "support/devices.h"

namespace rtcg::dgfem {
namespace {

class CurvedStageTest : public test::DeviceTest {};

/// A box whose inside is bent, its surface too.
Mesh bent(ElementType type, int order) {
  const Mesh box = box_mesh({.type = type, .cells = {3, 3, 2}});
  return curved(box, order, [](const Point& x) -> Point {
    const double s = 0.06 * std::sin(2 * x[0] + 1) * std::cos(3 * x[1]), c = 0.05 * std::cos(2 * x[1] + x[0]);
    return {x[0] + s, x[1] + c, x[2]};
  });
}

TEST_P(CurvedStageTest, ConstantsStay) {
  for (const auto& [system, type] :
       {std::pair("euler", ElementType::triangle), std::pair("maxwell", ElementType::tetrahedron)}) {
    Problem problem;
    problem.mesh = bent(type, 3);
    problem.system = shipped_system(system, dimension_of(type));
    problem.order = 3;
    for (std::size_t f = 0; f < problem.system->fields.size(); ++f)
      problem.initial[problem.system->fields[f]] = f + 1 == problem.system->fields.size() ? "5.0" : "1.0";
    problem.boundaries["default"] = {"exact", problem.initial};
    Solver solver(stream(), problem);
    EXPECT_GT(solver.discretization().curved(), 0U);
    const std::vector<double> before = solver.fields();
    solver.advance(10);
    const std::vector<double> after = solver.fields();
    for (std::size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(after[i], before[i], 1e-12) << system << ' ' << i;
  }
}

/// A quarter of the ring between radii 1 and 2; in space, of one cell's height.
Mesh ring(ElementType type, int cells, int order) {
  const Mesh square = box_mesh({.type = type, .cells = {cells, cells, 1}, .high = {1, 1, 1.0 / cells}});
  return curved(square, order, [](const Point& x) -> Point {
    const double angle = std::numbers::pi / 2 * x[1];
    return {(1 + x[0]) * std::cos(angle), (1 + x[0]) * std::sin(angle), x[2]};
  });
}

/// The lowest mode between the ring's conductors, u(r) cos(k t) with u = J0(kr) Y0(k) - Y0(kr) J0(k), as a formula:
/// Bessel's functions by their series (Abramowitz and Stegun 9.1.12 and 9.1.13), by Horner's rule.
std::string ring_mode(double k) {
  const double j = std::cyl_bessel_j(0.0, k), y = std::cyl_neumann(0.0, k), euler = 0.57721566490153286;
  std::string regular = "0.0", harmonic = "0.0";
  for (int n = 30; n >= 0; --n) {
    const double factor = std::exp(-2 * std::lgamma(n + 1.0) - n * std::log(4.0)) * (n % 2 == 0 ? 1 : -1);
    double sum = 0;
    for (int i = 1; i <= n; ++i) sum += 1.0 / i;
    const std::string square = fmt::format("{:.17g} * (x * x + y * y)", k * k);
    regular = fmt::format("({:.17g} + {} * {})", factor, square, regular);
    harmonic = fmt::format("({:.17g} + {} * {})", -factor * sum, square, harmonic);
  }
  return fmt::format(
      "({0} * {1:.17g} - {2:.17g} * ((log(0.5 * {3:.17g} * sqrt(x * x + y * y)) + {4:.17g}) * {0} + {5}))", regular, y,
      2 / std::numbers::pi * j, k, euler, harmonic);
}

double ring_error(const Stream& stream, int cells, int order, int geometry_order,
                  ElementType type = ElementType::triangle) {
  double low = 3.0, high = 3.3;  // k is about 3.123
  const auto at_two = [](double k) {
    return std::cyl_bessel_j(0.0, 2 * k) * std::cyl_neumann(0.0, k) -
           std::cyl_neumann(0.0, 2 * k) * std::cyl_bessel_j(0.0, k);
  };
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (at_two(middle) * at_two(low) > 0 ? low : high) = middle;
  }
  Problem problem;
  problem.mesh = ring(type, cells, geometry_order);
  problem.system = type == ElementType::triangle ? shipped_system("maxwell_tm", 2) : shipped_system("maxwell", 3);
  problem.order = order;
  problem.boundaries["x-"] = problem.boundaries["x+"] = {"pec", {}};
  if (type == ElementType::tetrahedron) problem.boundaries["z-"] = problem.boundaries["z+"] = {"pec", {}};
  problem.boundaries["y-"] = problem.boundaries["y+"] = {"pmc", {}};
  const std::string mode = ring_mode(low);
  problem.initial["Ez"] = mode;
  problem.exact["Ez"] = fmt::format("{} * cos({:.17g} * t)", mode, low);
  Solver solver(stream, problem);
  const Measurement measure(solver, error_measures(problem.exact));
  solver.advance_to(1);
  return measure(solver).front();
}

TEST_P(CurvedStageTest, KeepsItsRateWhereStraightElementsCannot) {
  for (const int order : {2, 3, 4}) {
    const double coarse = ring_error(stream(), 4, order, order), fine = ring_error(stream(), 8, order, order);
    EXPECT_GT(std::log2(coarse / fine), order + 0.5) << order << ": " << coarse << ' ' << fine;
    const double straight_coarse = ring_error(stream(), 4, order, 1), straight_fine = ring_error(stream(), 8, order, 1);
    EXPECT_LT(std::log2(straight_coarse / straight_fine), 2.5) << order;
    EXPECT_LT(fine, 0.2 * straight_fine) << order;
  }
}

TEST_P(CurvedStageTest, EnergyNeverGrowsAndContentsStay) {
  Problem problem;
  problem.mesh = bent(ElementType::triangle, 3);
  problem.system = shipped_system("acoustics", 2);
  problem.order = 3;
  problem.boundaries["default"] = {"rigid", {}};
  problem.initial["p"] = "exp(-20 * ((x - 0.4) * (x - 0.4) + (y - 0.6) * (y - 0.6)))";
  Solver solver(stream(), problem);
  const Measurement energy(solver, energy_measures(*problem.system)),
      contents(solver, content_measures(*problem.system));
  double before = energy(solver).front();
  const double pressure = contents(solver).front();
  for (int i = 0; i < 10; ++i) {
    solver.advance(10);
    const double now = energy(solver).front();
    EXPECT_LE(now, before * (1 + 1e-12));
    before = now;
  }
  // The weight adjustment keeps contents as well as it resolves 1 / J.
  EXPECT_NEAR(contents(solver).front(), pressure, 1e-9);
}

/// Straight where x <= 0.5, bent beyond.
Mesh half_bent(ElementType type) {
  const Mesh box = box_mesh({.type = type, .cells = {4, 2, 2}});
  return curved(box, 3, [](const Point& x) -> Point {
    const double s = std::pow(std::max(0.0, x[0] - 0.5), 2);
    return {x[0] + s * std::sin(3 * x[1]), x[1] + s * std::cos(2 * x[1]), x[2]};
  });
}

TEST_P(CurvedStageTest, StraightNeighboursGainWhatCurvedOnesLose) {
  for (const ElementType type : {ElementType::triangle, ElementType::tetrahedron}) {
    Problem problem;
    problem.mesh = half_bent(type);
    problem.system = shipped_system("acoustics", dimension_of(type));
    problem.order = 3;
    problem.boundaries["default"] = {"rigid", {}};
    problem.initial["p"] = "exp(-20 * ((x - 0.4) * (x - 0.4) + (y - 0.6) * (y - 0.6)))";
    Solver solver(stream(), problem);
    ASSERT_GT(solver.discretization().straight, 0U);
    ASSERT_GT(solver.discretization().curved(), 0U);
    const Measurement energy(solver, energy_measures(*problem.system)),
        contents(solver, content_measures(*problem.system));
    const double pressure = contents(solver).front();
    double before = energy(solver).front();
    for (int i = 0; i < 5; ++i) {
      solver.advance_to(0.1 * (i + 1));
      const double now = energy(solver).front();
      EXPECT_LE(now, before * (1 + 1e-12));
      before = now;
    }
    EXPECT_NEAR(contents(solver).front(), pressure, 1e-6 * pressure);
  }
}

TEST_P(CurvedStageTest, ConstantsStayBesideStraightNeighbours) {
  for (const ScalarType precision : {ScalarType::f32, ScalarType::f64}) {
    Problem problem;
    problem.mesh = half_bent(ElementType::tetrahedron);
    problem.system = shipped_system("euler", 3);
    problem.order = 2;
    for (std::size_t f = 0; f < problem.system->fields.size(); ++f)
      problem.initial[problem.system->fields[f]] = f + 1 == problem.system->fields.size() ? "5.0" : "1.0";
    problem.boundaries["default"] = {"exact", problem.initial};
    Solver solver(stream(), problem, {.precision = precision});
    const std::vector<double> before = solver.fields();
    solver.advance(10);
    const std::vector<double> after = solver.fields();
    const double bound = precision == ScalarType::f32 ? 1e-4 : 1e-12;
    for (std::size_t i = 0; i < before.size(); ++i) ASSERT_NEAR(after[i], before[i], bound) << i;
  }
}

TEST_P(CurvedStageTest, KeepsItsRateInSpace) {
  for (const int order : {2, 3}) {
    const double coarse = ring_error(stream(), 2, order, order, ElementType::tetrahedron),
                 fine = ring_error(stream(), 4, order, order, ElementType::tetrahedron);
    EXPECT_GT(std::log2(coarse / fine), order + 0.5) << order << ": " << coarse << ' ' << fine;
  }
}

RTCG_INSTANTIATE_FOR_DEVICES(CurvedStageTest);

}  // namespace
}  // namespace rtcg::dgfem
