#include "dgfem/geometry.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "dgfem/lattice.h"
#include "dgfem/mesh/box.h"
#include "dgfem/mesh/quality.h"
#include "dgfem/quadrature.h"
#include "dgfem/reference_element.h"
#include "dgfem/simplex_basis.h"

namespace rtcg::dgfem {
namespace {

class Geometries : public testing::TestWithParam<ElementType> {
 protected:
  /// A box with its inner vertices moved about, but in 2-D nothing along z.
  Mesh bent(int order) const {
    const double z = GetParam() == ElementType::tetrahedron ? 1 : 0;
    return curved(box_mesh({GetParam(), {2, 3, 2}}), order, [z](const Point& p) {
      return Point{p[0] + 0.1 * std::sin(2 * p[1] + p[2]), p[1] + 0.08 * std::cos(3 * p[0]) * (1 + z * p[2]),
                   p[2] + z * 0.1 * std::sin(p[0] * 2 + p[1])};
    });
  }
};
INSTANTIATE_TEST_SUITE_P(, Geometries, testing::Values(ElementType::triangle, ElementType::tetrahedron),
                         [](const auto& type) { return name_of(type.param); });

double area_of(const Mesh& mesh, std::size_t e, int face) {
  const auto v = face_vertices(mesh.type, face);
  const auto x = [&](unsigned m) { return Eigen::Vector3d(mesh.vertex(e, v[m]).data()); };
  return mesh.type == ElementType::triangle ? (x(1) - x(0)).norm() : (x(1) - x(0)).cross(x(2) - x(0)).norm() / 2;
}

TEST_P(Geometries, OfStraightElementsHaveTheirVolumesAreasAndNormals) {
  const Mesh mesh = bent(1);
  const AffineGeometry geometry = affine_geometry(mesh);
  const std::size_t dimension = static_cast<std::size_t>(mesh.dimension()), faces = dimension + 1;
  const double reference = mesh.dimension() == 2 ? 2 : 4.0 / 3;
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    EXPECT_NEAR(geometry.jacobian[e] * reference, element_shape(mesh, e).measure, 1e-14);
    for (std::size_t d = 0; d < dimension; ++d) {
      double closed = 0;
      for (std::size_t f = 0; f < faces; ++f) {
        const double area = geometry.face_scale[e * faces + f] * geometry.jacobian[e] * 2;
        EXPECT_NEAR(area, area_of(mesh, e, static_cast<int>(f)), 1e-14);
        closed += area * geometry.normal[(e * faces + f) * dimension + d];
      }
      EXPECT_NEAR(closed, 0, 1e-14);
    }
    for (std::size_t f = 0; f < faces; ++f) {
      // Away from the opposite vertex, and normal to the face.
      const auto vertices = face_vertices(mesh.type, static_cast<int>(f));
      double away = 0, length = 0;
      for (std::size_t d = 0; d < dimension; ++d) {
        const double n = geometry.normal[(e * faces + f) * dimension + d], foot = mesh.vertex(e, vertices[0])[d];
        away += n * (foot - mesh.vertex(e, opposite_vertex(mesh.type, static_cast<int>(f)))[d]);
        length += n * n;
      }
      EXPECT_NEAR(length, 1, 1e-14);
      EXPECT_GT(away, 0);
    }
    // dr_i/dx_d times the edges 0-v is 2 where v = i + 1, else 0.
    for (std::size_t i = 0; i < dimension; ++i)
      for (std::size_t v = 0; v < dimension; ++v) {
        double sum = 0;
        for (std::size_t d = 0; d < dimension; ++d)
          sum += geometry.metric[(e * dimension + i) * dimension + d] *
                 (mesh.vertex(e, static_cast<int>(v) + 1)[d] - mesh.vertex(e, 0)[d]);
        EXPECT_NEAR(sum, i == v ? 2 : 0, 1e-13);
      }
  }
}

TEST_P(Geometries, OfStraightHighOrderElementsAreTheAffineOnes) {
  const Mesh flat = box_mesh({GetParam(), {2, 2, 2}}), high = curved(flat, 4, [](const Point&p) {
                                                         return Point{2 * p[0] + p[1], p[1] - 0.5 * p[0], p[2]};
                                                       });
  EXPECT_TRUE(curved_elements(high).empty());
  const AffineGeometry geometry = affine_geometry(high);
  const ReferenceElement element(GetParam(), 3);
  const ElementMap map(high, element.nodes());
  const FaceMap on_faces(high, element.nodes_on_face());
  const int dimension = high.dimension();
  for (std::size_t e = 0; e < high.size(); ++e) {
    const PointMetrics at = map(e);
    for (Eigen::Index q = 0; q < at.jacobian.size(); ++q) {
      EXPECT_NEAR(at.jacobian(q), geometry.jacobian[e], 1e-13);
      for (int k = 0; k < dimension * dimension; ++k)
        EXPECT_NEAR(at.metric(q, k),
                    geometry.metric[e * static_cast<std::size_t>(dimension * dimension) + static_cast<std::size_t>(k)],
                    1e-11);
    }
    for (int f = 0; f < element.faces(); ++f) {
      const FaceMetrics face = on_faces(e, f);
      const std::size_t side = e * static_cast<std::size_t>(element.faces()) + static_cast<std::size_t>(f);
      EXPECT_NEAR(face.jacobian(0), geometry.face_scale[side] * geometry.jacobian[e], 1e-13);
      for (int d = 0; d < dimension; ++d)
        EXPECT_NEAR(face.normal(0, d),
                    geometry.normal[side * static_cast<std::size_t>(dimension) + static_cast<std::size_t>(d)], 1e-12);
    }
  }
}

TEST_P(Geometries, OfCurvedElementsKeepAFreeStream) {
  // Sum over i of d(J dr_i/dx_d)/dr_i is zero: exact where nodes hold polynomials of degree dimension - 1 times order
  // - 1.
  const int order = 3;
  const Mesh mesh = bent(order);
  EXPECT_EQ(curved_elements(mesh).size(), mesh.size());
  const ReferenceElement element(GetParam(), 4);
  const ElementMap map(mesh, element.nodes());
  const int dimension = mesh.dimension();
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    const PointMetrics at = map(e);
    for (int d = 0; d < dimension; ++d) {
      Eigen::VectorXd divergence = Eigen::VectorXd::Zero(at.jacobian.size());
      for (int i = 0; i < dimension; ++i)
        divergence += element.derivative(i) * at.metric.col(i * dimension + d).cwiseProduct(at.jacobian);
      EXPECT_LT(divergence.cwiseAbs().maxCoeff(), 1e-12);
    }
  }
}

TEST_P(Geometries, OfCurvedElementsObeyTheDivergenceTheorem) {
  // Integral of J dr_i/dx_d dphi/dr_i = boundary integral of phi n_d, for every basis function and direction.
  const Mesh mesh = bent(3);
  const int dimension = mesh.dimension(), degree = 4 + 2 * dimension;
  const Quadrature volume = simplex_quadrature(dimension, degree), surface = simplex_quadrature(dimension - 1, degree);
  const ElementMap map(mesh, volume.points);
  const FaceMap on_faces(mesh, surface.points);
  const auto gradient = simplex_basis_gradient(4, volume.points);
  double total = 0, by_faces = 0;
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    const PointMetrics at = map(e);
    const Eigen::VectorXd weight = volume.weights.cwiseProduct(at.jacobian);
    total += weight.sum();
    for (int d = 0; d < dimension; ++d) {
      Eigen::VectorXd inside = Eigen::VectorXd::Zero(gradient[0].cols());
      for (int i = 0; i < dimension; ++i)
        inside +=
            gradient[static_cast<unsigned>(i)].transpose() * weight.cwiseProduct(at.metric.col(i * dimension + d));
      for (int f = 0; f < faces_of(mesh.type); ++f) {
        const FaceMetrics face = on_faces(e, f);
        const Eigen::VectorXd flux = surface.weights.cwiseProduct(face.jacobian).cwiseProduct(face.normal.col(d));
        inside -= simplex_basis(4, face_points(mesh.type, f, surface.points)).transpose() * flux;
        by_faces += flux.dot(face.x.col(d)) / dimension;
      }
      EXPECT_LT(inside.cwiseAbs().maxCoeff(), 1e-13);
    }
  }
  EXPECT_NEAR(total, by_faces, 1e-12);
}

TEST_P(Geometries, NeighboursAgreeOnTheirCommonCurvedFace) {
  const Mesh mesh = bent(3);
  const Connectivity c = connect(mesh);
  const ReferenceElement element(GetParam(), 5);
  const FaceMap on_faces(mesh, element.nodes_on_face());
  const auto tables = orientation_nodes(GetParam(), 5);
  const auto faces = static_cast<std::size_t>(element.faces());
  for (std::size_t side = 0; side < c.neighbour.size(); ++side) {
    if (c.neighbour[side] < 0) continue;
    const FaceMetrics own = on_faces(side / faces, static_cast<int>(side % faces)),
                      other = on_faces(static_cast<std::size_t>(c.neighbour[side]), c.neighbour_face[side]);
    const std::vector<int>& table = tables[static_cast<std::size_t>(c.orientation[side])];
    for (std::size_t n = 0; n < table.size(); ++n) {
      const auto k = static_cast<Eigen::Index>(n);
      EXPECT_LT((own.x.row(k) - other.x.row(table[n])).norm(), 1e-13);
      EXPECT_LT((own.normal.row(k) + other.normal.row(table[n])).norm(), 1e-12);
      EXPECT_NEAR(own.jacobian(k), other.jacobian(table[n]), 1e-13);
    }
  }
}

TEST(Geometry, AreaOfARingConvergesWithTheOrderOfTheElements) {
  // Between radii 1 and 2 in a quarter of the plane: 3 pi / 4. Interpolation gives order + 1, and one more if that is
  // odd.
  for (const auto& [order, rate] : {std::pair(1, 2), {2, 4}, {3, 4}, {4, 6}}) {
    double last = 0;
    for (const std::int32_t cells : {4, 8}) {
      const Mesh mesh = curved(box_mesh({ElementType::triangle, {cells, 2 * cells, 1}}), order, [](const Point& p) {
        const double radius = 1 + p[0], angle = (1 - p[1]) * std::numbers::pi / 2;
        return Point{radius * std::sin(angle), radius * std::cos(angle), 0};
      });
      double area = 0;
      for (const double measure : element_measures(mesh)) area += measure;
      const double error = std::abs(std::abs(area) - 0.75 * std::numbers::pi);
      if (last > 0) {
        EXPECT_GT(std::log2(last / error), rate - 0.3) << order;
      }
      last = error;
    }
  }
}

TEST(Geometry, FindsInvertedCurvedElements) {
  Mesh mesh = curved(box_mesh({ElementType::triangle, {2, 2, 1}}), 2, [](const Point& p) { return p; });
  Findings findings;
  check_jacobians(mesh, findings);
  EXPECT_TRUE(findings.errors.empty());
  // A node of an edge pulled across the element.
  const auto vertices = static_cast<std::size_t>(mesh.vertices);
  mesh.points[vertices][0] += 0.4;
  mesh.points[vertices][1] += 0.3;
  check_jacobians(mesh, findings);
  ASSERT_EQ(findings.errors.size(), 1u);
  EXPECT_NE(findings.errors[0].find("curved elements are inverted somewhere, first at ("), std::string::npos);
}

}  // namespace
}  // namespace rtcg::dgfem
