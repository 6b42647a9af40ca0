#include "dgfem/pml.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dgfem/mesh/box.h"
#include "dgfem/output/measurement.h"
#include "dgfem/output/probes.h"
#include "dgfem/system_file.h"
#include "rtcg/error.h"
#include "support/devices.h"

namespace rtcg::dgfem {
namespace {

class PmlTest : public test::DeviceTest {};

/// A square of this half width; what lies outside of [-1, 1]^2 is a region of its own, "layer".
Mesh square(double half, int cells) {
  Mesh mesh = box_mesh(
      {.type = ElementType::triangle, .cells = {cells, cells, 1}, .low = {-half, -half, 0}, .high = {half, half, 0}});
  mesh.regions.push_back(Group{{"layer"}});
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    const Point centre = mesh.centroid(e);
    if (std::max(std::abs(centre[0]), std::abs(centre[1])) > 1) mesh.region_of[e] = 1;
  }
  return mesh;
}

Problem pulse(const std::string& system, Mesh mesh) {
  Problem problem;
  problem.mesh = std::move(mesh);
  problem.system = shipped_system(system, 2);
  problem.order = 4;
  problem.initial[system == "acoustics" ? "p" : "Ez"] = "exp(-30 * ((x - 0.2) * (x - 0.2) + y * y))";
  problem.boundaries["default"] = {system == "acoustics" ? "rigid" : "pec", {}};
  return problem;
}

TEST_P(PmlTest, ReflectsAPulseBelow40Decibels) {
  for (const std::string system : {"maxwell_tm", "acoustics"}) {
    // The same cells inside; the large box's walls are too far to be heard of.
    Problem layered = pulse(system, square(1.5, 12)), open = pulse(system, square(3, 24));
    layered.pml = Pml{.regions = {"layer"}};
    Solver with(stream(), layered), without(stream(), open);
    std::vector<Probe> places;
    for (const auto& [x, y] : {std::pair(0.9, 0.1), std::pair(-0.9, 0.3), std::pair(0.85, 0.9), std::pair(0.0, -0.95)})
      places.push_back({std::to_string(x) + std::to_string(y), {x, y, 0}});
    const Probes here(with, places), there(without, places);
    double difference = 0, largest = 0;
    for (int i = 1; i <= 30; ++i) {
      with.advance_to(0.1 * i);
      without.advance_to(0.1 * i);
      const std::vector<double> a = here(with), b = there(without);
      for (std::size_t k = 0; k < a.size(); ++k) {
        difference = std::max(difference, std::abs(a[k] - b[k]));
        largest = std::max(largest, std::abs(b[k]));
      }
    }
    EXPECT_LT(20 * std::log10(difference / largest), -40) << system << ": " << difference << " of " << largest;
    EXPECT_GT(difference, 0) << "both runs are the same";
  }
}

/// Loops of magnetic field round z in the eighth of a cube that symmetry leaves; beyond 0.8 lies "layer".
Problem loops(int cells) {
  const double width = 0.8 / 3 * cells;
  Problem problem;
  problem.mesh = box_mesh({.cells = {cells, cells, cells}, .high = {width, width, width}});
  problem.mesh.regions.push_back(Group{{"layer"}});
  for (std::size_t e = 0; e < problem.mesh.size(); ++e) {
    const Point centre = problem.mesh.centroid(e);
    if (std::max({centre[0], centre[1], centre[2]}) > 0.8) problem.mesh.region_of[e] = 1;
  }
  problem.system = shipped_system("maxwell", 3);
  problem.order = 3;
  problem.initial = {{"Hx", "-y * exp(-12 * (x * x + y * y + z * z))"},
                     {"Hy", "x * exp(-12 * (x * x + y * y + z * z))"}};
  problem.boundaries["x-"] = problem.boundaries["y-"] = {"pmc", {}};
  problem.boundaries["default"] = {"pec", {}};
  return problem;
}

TEST_P(PmlTest, ReflectsAPulseBelow40DecibelsInSpace) {
  Problem layered = loops(6), open = loops(9);
  layered.pml = Pml{.regions = {"layer"}};
  Solver with(stream(), layered), without(stream(), open);
  const std::vector<Probe> places{
      {"side", {0.75, 0.1, 0.1}}, {"edge", {0.7, 0.72, 0.1}}, {"corner", {0.7, 0.68, 0.71}}, {"top", {0.2, 0.1, 0.76}}};
  const Probes here(with, places), there(without, places);
  double difference = 0, largest = 0;
  for (int i = 1; i <= 12; ++i) {
    with.advance_to(0.25 * i);
    without.advance_to(0.25 * i);
    const std::vector<double> a = here(with), b = there(without);
    for (std::size_t k = 0; k < a.size(); ++k) {
      difference = std::max(difference, std::abs(a[k] - b[k]));
      largest = std::max(largest, std::abs(b[k]));
    }
  }
  EXPECT_LT(20 * std::log10(difference / largest), -40) << difference << " of " << largest;
  EXPECT_GT(difference, 0) << "both runs are the same";
}

TEST_P(PmlTest, StaysBoundedLongAfter) {
  Problem problem = pulse("maxwell_tm", square(1.5, 6));
  problem.order = 2;
  problem.pml = Pml{.regions = {"layer"}};
  Solver solver(stream(), problem);
  const Measurement energy(solver, energy_measures(*problem.system));
  const double start = energy(solver).front();
  solver.advance_to(10);
  const double later = energy(solver).front();
  solver.advance_to(60);
  EXPECT_LT(later, 1e-3 * start);
  EXPECT_LT(energy(solver).front(), later);
}

TEST_P(PmlTest, SaysWhatIsWrong) {
  Problem problem = pulse("maxwell_tm", square(1.5, 6));
  problem.pml = Pml{.regions = {"layers"}};
  EXPECT_THROW(Solver(stream(), problem), InputError);
  problem.pml = Pml{.regions = {"layer", "default"}};
  EXPECT_THROW(Solver(stream(), problem), InputError);
}

TEST_P(PmlTest, SourcesAddTheirFormula) {
  // d(Ez)/dt = 3 t^2 everywhere and nothing else happens between magnetic walls: Ez = t^3.
  Problem problem = pulse("maxwell_tm", square(1.5, 3));
  problem.order = 2;
  problem.initial = {};
  problem.boundaries["default"] = {"pmc", {}};
  problem.sources = {{"", {{"Ez", "3 * t * t"}}}};
  problem.exact["Ez"] = "t * t * t";
  Solver solver(stream(), problem);
  const Measurement error(solver, error_measures(problem.exact));
  solver.advance_to(0.8);
  EXPECT_LT(error(solver).back(), 1e-12);
  problem.sources = {{"nowhere", {{"Ez", "1.0"}}}};
  EXPECT_THROW(Solver(stream(), problem), InputError);
}

RTCG_INSTANTIATE_FOR_DEVICES(PmlTest);

}  // namespace
}  // namespace rtcg::dgfem
