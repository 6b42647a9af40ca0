#include "radar/geometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "radar/simulate.h"

namespace rtcg::radar {
namespace {

constexpr double degree = std::numbers::pi / 180;

Collection collection_on(const std::vector<Vec3>& trajectory) {
  Collection collection;
  collection.samples = 401;
  collection.antenna = trajectory;
  for (const Vec3& antenna : trajectory) collection.reference_range.push_back(antenna.norm());
  collection.first_frequency.assign(trajectory.size(), 9.7e9);
  collection.frequency_step.assign(trajectory.size(), 1.5e6);
  return collection;
}

TEST(Geometry, OfAnArcAcrossTheCutOfTheAzimuth) {
  const Geometry g = geometry_of(collection_on(circular_trajectory(51, 6000, 8000, 177 * degree, 182 * degree)));
  EXPECT_NEAR(g.slant_range, 10000, 1e-6);
  EXPECT_NEAR(std::cos(g.elevation), 0.6, 1e-12);
  EXPECT_NEAR(g.aperture, 5 * degree, 1e-9);
  EXPECT_NEAR(g.largest_turn, 0.1 * degree, 1e-9);
  EXPECT_NEAR(g.azimuth, 179.5 * degree, 1e-9);
  EXPECT_NEAR(g.range_direction.x(), std::cos(179.5 * degree), 1e-9);
  EXPECT_NEAR(g.range_resolution, speed_of_light / (2 * 401 * 1.5e6 * 0.6), 1e-9);
  EXPECT_NEAR(g.cross_range_resolution, speed_of_light / 10e9 / (2 * 5 * degree * 0.6), 2e-4);
  EXPECT_NEAR(g.ground_swath, speed_of_light / 3e6 / 0.6, 1e-9);
  EXPECT_NEAR(g.cross_range_swath, speed_of_light / 10.3e9 / (2 * 0.1 * degree * 0.6), 1e-6);
}

TEST(Geometry, OfOnePulseAndOfOneStraightAboveHasNoFalseResolution) {
  const Geometry one = geometry_of(collection_on({{5000, 0, 5000}}));
  EXPECT_EQ(one.aperture, 0);
  EXPECT_TRUE(std::isinf(one.cross_range_resolution));
  EXPECT_TRUE(std::isinf(one.cross_range_swath));
  const Geometry above = geometry_of(collection_on({{0, 0, 5000}}));
  EXPECT_TRUE(std::isinf(above.range_resolution));
  EXPECT_EQ(suggested_grid(above).nx, 1001u);
}

TEST(Geometry, SuggestsPixelsFinerThanHalfTheResolutionWithinTheSwath) {
  const Geometry g = geometry_of(collection_on(circular_trajectory(51, 6000, 8000, 0, 5 * degree)));
  const ImageGrid grid = suggested_grid(g);
  EXPECT_DOUBLE_EQ(grid.dx, 0.1);  // 0.249 m by 0.286 m
  EXPECT_LE(static_cast<double>(grid.nx) * grid.dx, std::min(g.ground_swath, g.cross_range_swath));
  EXPECT_GE(static_cast<double>(grid.nx + 1) * grid.dx, std::min(g.ground_swath, g.cross_range_swath));
  EXPECT_EQ(suggested_grid(g, 64).nx, 64u);
}

TEST(Geometry, SlantReachIsTheFarthestCorner) {
  const Collection collection = collection_on({{3000, 0, 4000}});
  ImageGrid grid;
  grid.nx = 101, grid.ny = 51, grid.dx = grid.dy = 2;
  EXPECT_NEAR(slant_reach(collection, grid), std::sqrt(3100.0 * 3100 + 50 * 50 + 4000.0 * 4000) - 5000, 1e-9);
}

}  // namespace
}  // namespace rtcg::radar
