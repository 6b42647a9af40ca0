// How reference elements lie in space. Straight-sided elements have one set of metrics each; the others are evaluated
// at whatever points an operator needs (ElementMap, FaceMap), through the mesh's own nodes (isoparametric). Coordinates
// are r_i in the reference element, x_d in space; J is the determinant of dx/dr.
#pragma once

#include <Eigen/Core>

#include "dgfem/mesh/connectivity.h"

namespace rtcg::dgfem {

/// Of the elements as if they were straight.
struct AffineGeometry {
  int dimension = 0;
  std::vector<double> jacobian;    ///< [element], J: measure over that of the reference element (2 or 4/3)
  std::vector<double> metric;      ///< [element][i][d], dr_i/dx_d
  std::vector<double> normal;      ///< [element][face][d], outward and of length one
  std::vector<double> face_scale;  ///< [element][face], the face's Jacobian (measure over 2) over J: what LIFT is given
};
AffineGeometry affine_geometry(const Mesh& mesh);

/// Elements whose nodes are off the straight element by more than `tolerance` times their size, ascending.
std::vector<std::int32_t> curved_elements(const Mesh& mesh, double tolerance = 1e-9);

struct PointMetrics {
  Eigen::MatrixXd x;         ///< [point, 3]
  Eigen::VectorXd jacobian;  ///< [point], J
  Eigen::MatrixXd metric;    ///< [point, i * dimension + d], dr_i/dx_d
};

/// Elements evaluated at the same reference points.
class ElementMap {
 public:
  /// `points` are rows of reference coordinates. Keeps a reference to the mesh.
  ElementMap(const Mesh& mesh, const Eigen::MatrixXd& points);
  PointMetrics operator()(std::size_t element) const;
  /// Where the points are, [point, 3], and nothing else.
  Eigen::MatrixXd places(std::size_t element) const;

 private:
  const Mesh& mesh_;
  Eigen::MatrixXd value_;
  std::array<Eigen::MatrixXd, 3> gradient_;
};

struct FaceMetrics {
  Eigen::MatrixXd x;         ///< [point, 3]
  Eigen::MatrixXd normal;    ///< [point, dimension], outward and of length one
  Eigen::VectorXd jacobian;  ///< [point]: integrals over the face are weights x jacobian on the reference face
};

/// Faces evaluated at the same points of the reference face.
class FaceMap {
 public:
  /// `on_face` are rows of dimension - 1 reference coordinates of a face (ReferenceElement::nodes_on_face).
  FaceMap(const Mesh& mesh, const Eigen::MatrixXd& on_face);
  FaceMetrics operator()(std::size_t element, int face) const;

 private:
  const Mesh& mesh_;
  std::vector<ElementMap> maps_;
};

/// Areas or volumes of the elements as they are, curved ones too.
std::vector<double> element_measures(const Mesh& mesh);

/// Adds an error for curved elements whose Jacobian is not positive everywhere it is looked at: at evenly spaced
/// points, twice as fine as the nodes.
void check_jacobians(const Mesh& mesh, Findings& findings);

}  // namespace rtcg::dgfem
