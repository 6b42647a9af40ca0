#include "dgfem/geometry.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "dgfem/lattice.h"
#include "dgfem/quadrature.h"
#include "dgfem/reference_element.h"
#include "dgfem/simplex_basis.h"
#include "dgfem/warp_blend.h"

namespace rtcg::dgfem {

namespace {

using Eigen::Index;

/// Minus the gradient of the barycentric weight that is zero on a face, times two: its direction is outward, its length
/// the face's Jacobian over the element's. `metric` has rows i.
template <class Metric>
Eigen::VectorXd outward(const Metric& metric, ElementType type, int face) {
  const int opposite = opposite_vertex(type, face);
  if (opposite == 0) return metric.colwise().sum().transpose();
  return -metric.row(opposite - 1).transpose();
}

/// Coordinates of an element's nodes, [node, 3].
Eigen::MatrixXd node_coordinates(const Mesh& mesh, std::size_t e) {
  const Index count = nodes_of(mesh.type, mesh.geometry_order);
  Eigen::MatrixXd x(count, 3);
  const std::int32_t* nodes = mesh.nodes(e);
  for (Index n = 0; n < count; ++n)
    x.row(n) = Eigen::Map<const Eigen::RowVector3d>(mesh.points[static_cast<std::size_t>(nodes[n])].data());
  return x;
}

}  // namespace

AffineGeometry affine_geometry(const Mesh& mesh) {
  AffineGeometry geometry;
  const int dimension = mesh.dimension(), faces = faces_of(mesh.type);
  geometry.dimension = dimension;
  geometry.jacobian.reserve(mesh.size());
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    Eigen::Matrix3d tangent = Eigen::Matrix3d::Identity();  // [d, i]
    for (int i = 0; i < dimension; ++i)
      for (int d = 0; d < dimension; ++d)
        tangent(d, i) =
            (mesh.vertex(e, i + 1)[static_cast<unsigned>(d)] - mesh.vertex(e, 0)[static_cast<unsigned>(d)]) / 2;
    geometry.jacobian.push_back(tangent.determinant());
    const Eigen::Matrix3d inverse = tangent.inverse();
    const auto metric = inverse.topLeftCorner(dimension, dimension);
    for (int i = 0; i < dimension; ++i)
      for (int d = 0; d < dimension; ++d) geometry.metric.push_back(metric(i, d));
    for (int face = 0; face < faces; ++face) {
      const Eigen::VectorXd normal = outward(metric, mesh.type, face);
      const double length = normal.norm();
      geometry.face_scale.push_back(length);
      for (int d = 0; d < dimension; ++d) geometry.normal.push_back(normal(d) / length);
    }
  }
  return geometry;
}

std::vector<std::int32_t> curved_elements(const Mesh& mesh, double tolerance) {
  std::vector<std::int32_t> curved;
  if (mesh.geometry_order == 1) return curved;
  const std::vector<Weights> places = lattice(mesh.dimension(), mesh.geometry_order);
  const auto corners = static_cast<unsigned>(vertices_of(mesh.type));
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    double size = 0, off = 0;
    for (unsigned d = 0; d < 3; ++d)
      for (unsigned v = 1; v < corners; ++v)
        size = std::max(size, std::abs(mesh.vertex(e, static_cast<int>(v))[d] - mesh.vertex(e, 0)[d]));
    for (std::size_t n = 0; n < places.size(); ++n)
      for (unsigned d = 0; d < 3; ++d) {
        double straight = 0;
        for (unsigned v = 0; v < corners; ++v)
          straight += mesh.vertex(e, static_cast<int>(v))[d] * places[n][v] / mesh.geometry_order;
        off = std::max(off, std::abs(mesh.points[static_cast<std::size_t>(mesh.nodes(e)[n])][d] - straight));
      }
    if (off > tolerance * size) curved.push_back(static_cast<std::int32_t>(e));
  }
  return curved;
}

ElementMap::ElementMap(const Mesh& mesh, const Eigen::MatrixXd& points) : mesh_(mesh) {
  const int order = mesh.geometry_order;
  const Eigen::MatrixXd to_modes = simplex_basis(order, equispaced_nodes(mesh.type, order)).inverse();
  value_ = simplex_basis(order, points) * to_modes;
  gradient_ = simplex_basis_gradient(order, points);
  for (unsigned i = 0; i < static_cast<unsigned>(mesh.dimension()); ++i) gradient_[i] *= to_modes;
}

PointMetrics ElementMap::operator()(std::size_t element) const {
  const int dimension = mesh_.dimension();
  const Eigen::MatrixXd nodes = node_coordinates(mesh_, element);
  PointMetrics result{value_ * nodes, Eigen::VectorXd(value_.rows()),
                      Eigen::MatrixXd(value_.rows(), dimension * dimension)};
  std::array<Eigen::MatrixXd, 3> tangent;  // dx/dr_i at each point
  for (unsigned i = 0; i < static_cast<unsigned>(dimension); ++i) tangent[i] = gradient_[i] * nodes;
  for (Index q = 0; q < value_.rows(); ++q) {
    Eigen::Matrix3d at = Eigen::Matrix3d::Identity();
    for (int i = 0; i < dimension; ++i)
      for (int d = 0; d < dimension; ++d) at(d, i) = tangent[static_cast<unsigned>(i)](q, d);
    result.jacobian(q) = at.determinant();
    const Eigen::Matrix3d inverse = at.inverse();
    for (int i = 0; i < dimension; ++i)
      for (int d = 0; d < dimension; ++d) result.metric(q, i * dimension + d) = inverse(i, d);
  }
  return result;
}

Eigen::MatrixXd ElementMap::places(std::size_t element) const {
  return value_ * node_coordinates(mesh_, element);
}

FaceMap::FaceMap(const Mesh& mesh, const Eigen::MatrixXd& on_face) : mesh_(mesh) {
  for (int face = 0; face < faces_of(mesh.type); ++face)
    maps_.emplace_back(mesh, face_points(mesh.type, face, on_face));
}

FaceMetrics FaceMap::operator()(std::size_t element, int face) const {
  const int dimension = mesh_.dimension();
  PointMetrics at = maps_[static_cast<std::size_t>(face)](element);
  FaceMetrics result{std::move(at.x), Eigen::MatrixXd(at.jacobian.size(), dimension),
                     Eigen::VectorXd(at.jacobian.size())};
  for (Index q = 0; q < at.jacobian.size(); ++q) {
    Eigen::MatrixXd metric(dimension, dimension);
    for (int i = 0; i < dimension; ++i) metric.row(i) = at.metric.row(q).segment(i * dimension, dimension);
    const Eigen::VectorXd normal = outward(metric, mesh_.type, face);
    const double length = normal.norm();
    result.normal.row(q) = normal.transpose() / length;
    result.jacobian(q) = at.jacobian(q) * length;
  }
  return result;
}

std::vector<double> element_measures(const Mesh& mesh) {
  std::vector<double> measures;
  measures.reserve(mesh.size());
  for (std::size_t e = 0; e < mesh.size(); ++e)
    measures.push_back(signed_measure(mesh, e) / (mesh.dimension() == 2 ? 2 : 6));
  const Quadrature rule = simplex_quadrature(mesh.dimension(), mesh.dimension() * (mesh.geometry_order - 1));  // exact
  const ElementMap map(mesh, rule.points);
  for (const std::int32_t e : curved_elements(mesh))
    measures[static_cast<std::size_t>(e)] = rule.weights.dot(map(static_cast<std::size_t>(e)).jacobian);
  return measures;
}

void check_jacobians(const Mesh& mesh, Findings& findings) {
  if (mesh.geometry_order == 1) return;
  const ElementMap map(mesh, equispaced_nodes(mesh.type, 2 * mesh.geometry_order));
  std::size_t count = 0;
  Point first{};
  for (const std::int32_t e : curved_elements(mesh)) {
    const PointMetrics at = map(static_cast<std::size_t>(e));
    Index worst = 0;
    if (at.jacobian.minCoeff(&worst) > 0) continue;
    if (count++ == 0) first = {at.x(worst, 0), at.x(worst, 1), at.x(worst, 2)};
  }
  if (count > 0)
    findings.errors.push_back(fmt::format("{} curved elements are inverted somewhere, first at ({:g}, {:g}, {:g})",
                                          count, first[0], first[1], first[2]));
}

}  // namespace rtcg::dgfem
