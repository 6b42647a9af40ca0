// A nodal element of one type and order: the small dense matrices that every kernel and every diagnostic is made from,
// in double. Matrices act on columns of nodal values; nodes are numbered as in lattice.h. Immutable.
#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "dgfem/element_type.h"

namespace rtcg::dgfem {

inline constexpr int highest_order = 10;

class ReferenceElement {
 public:
  /// UsageError unless 1 <= order <= highest_order.
  ReferenceElement(ElementType type, int order);

  ElementType type() const { return type_; }
  int order() const { return order_; }
  int dimension() const { return dimension_of(type_); }
  int faces() const { return faces_of(type_); }
  int nodes_per_element() const { return static_cast<int>(nodes_.rows()); }
  int nodes_per_face() const { return face_nodes_of(type_, order_); }

  /// Warp & blend nodes, [nodes, dimension].
  const Eigen::MatrixXd& nodes() const { return nodes_; }
  /// Nodal values = vandermonde x coefficients of the orthonormal basis (simplex_basis.h); and back.
  const Eigen::MatrixXd& vandermonde() const { return vandermonde_; }
  const Eigen::MatrixXd& inverse_vandermonde() const { return inverse_vandermonde_; }
  /// Derivative along reference coordinate d, [nodes, nodes].
  const Eigen::MatrixXd& derivative(int d) const { return derivative_[static_cast<unsigned>(d)]; }
  /// Integrals of products of nodal functions over the reference element.
  const Eigen::MatrixXd& mass() const { return mass_; }
  /// The same over the reference face (an edge of length 2, a triangle of area 2) for the nodes of a face.
  const Eigen::MatrixXd& face_mass() const { return face_mass_; }
  /// mass^-1 x the face masses: [nodes, faces x nodes per face], face after face. Acts on fluxes times the ratio of the
  /// face's Jacobian to the element's (Hesthaven and Warburton 2008, section 6.1).
  const Eigen::MatrixXd& lift() const { return lift_; }
  /// The element's nodes on a face, in the order of the face's vertices.
  const std::vector<int>& face_nodes(int face) const { return face_nodes_[static_cast<unsigned>(face)]; }
  /// The nodes of a face in its own reference coordinates, [nodes per face, dimension - 1]; the same for all faces.
  const Eigen::MatrixXd& nodes_on_face() const { return nodes_on_face_; }

  /// Values at points (rows, reference coordinates) from nodal values: [points, nodes].
  Eigen::MatrixXd interpolation(const Eigen::MatrixXd& points) const;
  /// The same for the derivative along each reference coordinate.
  std::array<Eigen::MatrixXd, 3> interpolated_gradient(const Eigen::MatrixXd& points) const;

 private:
  ElementType type_;
  int order_;
  Eigen::MatrixXd nodes_, vandermonde_, inverse_vandermonde_, mass_, face_mass_, lift_, nodes_on_face_;
  std::array<Eigen::MatrixXd, 3> derivative_;
  std::vector<std::vector<int>> face_nodes_;
};

/// Points of a face's reference coordinates [points, dimension - 1] in the element's: [points, dimension].
Eigen::MatrixXd face_points(ElementType type, int face, const Eigen::MatrixXd& on_face);

}  // namespace rtcg::dgfem
