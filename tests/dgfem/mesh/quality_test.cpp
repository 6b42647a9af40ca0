#include "dgfem/mesh/quality.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dgfem/mesh/box.h"

namespace rtcg::dgfem {
namespace {

Mesh single(ElementType type, std::vector<Point> points) {
  Mesh mesh;
  mesh.type = type;
  mesh.vertices = static_cast<std::int32_t>(points.size());
  mesh.points = std::move(points);
  for (std::int32_t v = 0; v < mesh.vertices; ++v) mesh.elements.push_back(v);
  mesh.region_of = {0};
  return mesh;
}

TEST(Quality, OfRegularElementsIsOne) {
  const Mesh triangle = single(ElementType::triangle, {{0, 0, 0}, {2, 0, 0}, {1, std::sqrt(3.0), 0}}),
             tetrahedron = single(ElementType::tetrahedron, {{1, 1, 1}, {-1, -1, 1}, {1, -1, -1}, {-1, 1, -1}});
  const ElementShape flat = element_shape(triangle, 0), solid = element_shape(tetrahedron, 0);
  EXPECT_NEAR(flat.radius_ratio, 1, 1e-14);
  EXPECT_NEAR(flat.measure, std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(flat.inradius, 1 / std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(std::abs(solid.radius_ratio), 1, 1e-14);
  EXPECT_NEAR(std::abs(solid.circumradius), std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(std::abs(solid.inradius), 1 / std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(solid.longest_edge, 2 * std::sqrt(2.0), 1e-14);
}

TEST(Quality, OfTheCornerTetrahedron) {
  const Mesh mesh = single(ElementType::tetrahedron, {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  const ElementShape shape = element_shape(mesh, 0);
  EXPECT_NEAR(shape.measure, 1.0 / 6, 1e-15);
  EXPECT_NEAR(shape.circumradius, std::sqrt(3.0) / 2, 1e-14);
  EXPECT_NEAR(shape.inradius, 1 / (3 + std::sqrt(3.0)), 1e-14);
}

TEST(Quality, OfABoxAddsUp) {
  const MeshQuality quality = mesh_quality(box_mesh({ElementType::tetrahedron, {2, 3, 4}, {0, 0, 0}, {2, 3, 4}}));
  EXPECT_NEAR(quality.measure, 24, 1e-12);
  EXPECT_NEAR(quality.smallest_measure, 1.0 / 6, 1e-13);
  EXPECT_NEAR(quality.longest_edge, std::sqrt(3.0), 1e-13);
  EXPECT_NEAR(quality.shortest_edge, 1, 1e-13);
  EXPECT_NEAR(quality.worst_ratio, quality.mean_ratio, 1e-12);
  std::size_t sum = 0;
  for (const std::size_t n : quality.histogram) sum += n;
  EXPECT_EQ(sum, 6u * 24);
}

}  // namespace
}  // namespace rtcg::dgfem
