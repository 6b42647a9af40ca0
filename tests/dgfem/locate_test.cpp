#include "dgfem/locate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "dgfem/geometry.h"
#include "dgfem/mesh/box.h"
#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

TEST(PointLocator, FindsPointsInStraightAndCurvedElements) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> weight(0.001, 1);
  for (const ElementType type : {ElementType::triangle, ElementType::tetrahedron})
    for (const int order : {1, 3}) {
      const Mesh mesh = curved(box_mesh({type, {4, 3, 2}, {0, 0, 0}, {2, 1, 1}}), order, [&](const Point& p) {
        return Point{p[0] + 0.1 * std::sin(3 * p[1]), p[1] + 0.05 * std::cos(3 * p[0]), p[2]};
      });
      const PointLocator locator(mesh);
      for (std::size_t e = 0; e < mesh.size(); ++e) {
        double sum = 0;
        Eigen::RowVectorXd reference(mesh.dimension());
        for (Eigen::Index d = 0; d < reference.size(); ++d) sum += reference(d) = weight(random);
        reference = 2 * reference / (sum + weight(random)) - Eigen::RowVectorXd::Ones(reference.size());
        const PointMetrics at = ElementMap(mesh, reference)(e);
        const auto found = locator.find({at.x(0, 0), at.x(0, 1), at.x(0, 2)});
        ASSERT_TRUE(found.has_value()) << e;
        EXPECT_EQ(found->element, static_cast<std::int32_t>(e));
        EXPECT_LT((found->reference - reference).norm(), 1e-11);
      }
    }
}

TEST(PointLocator, GivesSharedPointsToTheLowestElement) {
  const Mesh mesh = box_mesh({ElementType::tetrahedron, {3, 3, 3}});
  const PointLocator locator(mesh);
  std::vector<std::int32_t> lowest(mesh.points.size(), std::numeric_limits<std::int32_t>::max());
  for (std::size_t k = mesh.elements.size(); k-- > 0;)
    lowest[static_cast<std::size_t>(mesh.elements[k])] = static_cast<std::int32_t>(k / 4);
  for (std::size_t p = 0; p < mesh.points.size(); ++p) {
    const auto found = locator.find(mesh.points[p]);
    ASSERT_TRUE(found.has_value()) << p;
    EXPECT_EQ(found->element, lowest[p]);
  }
}

TEST(PointLocator, SaysWhereTheMeshIs) {
  const Mesh mesh = box_mesh({ElementType::triangle, {3, 3, 1}, {-1, 0, 0}, {2, 1, 0}});
  const PointLocator locator(mesh);
  EXPECT_FALSE(locator.find({2.001, 0.5, 0}).has_value());
  EXPECT_FALSE(locator.find({std::nan(""), 0.5, 0}).has_value());
  EXPECT_MESSAGE(InputError, "probe a at (0, 7, 0) is in no element; the mesh reaches from (-1, 0, 0) to (2, 1, 0)",
                 locator.require({0, 7, 0}, "probe a"));
  EXPECT_EQ(locator.require({2, 1, 0}, "corner").element, locator.find({2, 1, 0})->element);
}

}  // namespace
}  // namespace rtcg::dgfem
