#include "dgfem/reference_element.h"

#include <fmt/format.h>

#include <Eigen/LU>

#include "dgfem/lattice.h"
#include "dgfem/simplex_basis.h"
#include "dgfem/warp_blend.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

namespace {

int checked_order(int order) {
  if (order < 1 || order > highest_order)
    throw UsageError(fmt::format("the order of an element is 1 to {}, not {}", highest_order, order));
  return order;
}

}  // namespace

ReferenceElement::ReferenceElement(ElementType type, int order)
    : type_(type), order_(checked_order(order)), nodes_(warp_blend_nodes(type, order)) {
  const Eigen::Index count = nodes_.rows(), on_face = nodes_per_face();
  vandermonde_ = simplex_basis(order, nodes_);
  inverse_vandermonde_ = vandermonde_.inverse();
  mass_ = inverse_vandermonde_.transpose() * inverse_vandermonde_;
  const std::array<Eigen::MatrixXd, 3> gradient = simplex_basis_gradient(order, nodes_);
  for (unsigned d = 0; d < static_cast<unsigned>(dimension()); ++d) derivative_[d] = gradient[d] * inverse_vandermonde_;

  for (int face = 0; face < faces(); ++face) face_nodes_.push_back(lattice_face(type, order, face));
  // On face 0 the face's coordinates are the element's first.
  nodes_on_face_.resize(on_face, dimension() - 1);
  for (Eigen::Index n = 0; n < on_face; ++n)
    nodes_on_face_.row(n) = nodes_.row(face_nodes_[0][static_cast<std::size_t>(n)]).head(dimension() - 1);
  const Eigen::MatrixXd face_inverse = simplex_basis(order, nodes_on_face_).inverse();
  face_mass_ = face_inverse.transpose() * face_inverse;
  Eigen::MatrixXd boundary = Eigen::MatrixXd::Zero(count, faces() * on_face);
  for (int face = 0; face < faces(); ++face)
    for (Eigen::Index n = 0; n < on_face; ++n)
      boundary.block(face_nodes(face)[static_cast<std::size_t>(n)], face * on_face, 1, on_face) = face_mass_.row(n);
  lift_ = vandermonde_ * (vandermonde_.transpose() * boundary);
}

Eigen::MatrixXd ReferenceElement::interpolation(const Eigen::MatrixXd& points) const {
  return simplex_basis(order_, points) * inverse_vandermonde_;
}

std::array<Eigen::MatrixXd, 3> ReferenceElement::interpolated_gradient(const Eigen::MatrixXd& points) const {
  std::array<Eigen::MatrixXd, 3> gradient = simplex_basis_gradient(order_, points);
  for (unsigned d = 0; d < static_cast<unsigned>(dimension()); ++d) gradient[d] *= inverse_vandermonde_;
  return gradient;
}

Eigen::MatrixXd face_points(ElementType type, int face, const Eigen::MatrixXd& on_face) {
  const int dimension = dimension_of(type);
  const std::array<int, 3> vertices = face_vertices(type, face);
  Eigen::MatrixXd points = Eigen::MatrixXd::Constant(on_face.rows(), dimension, -1);
  for (int m = 0; m < dimension; ++m) {
    // Vertex k > 0 adds twice its barycentric weight to coordinate k - 1; vertex 0 adds nothing.
    const int vertex = vertices[static_cast<unsigned>(m)];
    if (vertex == 0) continue;
    Eigen::ArrayXd weight = Eigen::ArrayXd::Ones(on_face.rows());
    if (m > 0) {
      weight = (on_face.col(m - 1).array() + 1) / 2;
    } else {
      for (int other = 1; other < dimension; ++other) weight -= (on_face.col(other - 1).array() + 1) / 2;
    }
    points.col(vertex - 1).array() += 2 * weight;
  }
  return points;
}

}  // namespace rtcg::dgfem
