// Which element holds a point, and where in it: for probes and for fields of one mesh on another. A point on a face, an
// edge or a vertex belongs to the element of lowest number, so that the answer does not depend on rounding or parts.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "dgfem/mesh/mesh.h"

namespace rtcg::dgfem {

struct Located {
  std::int32_t element = -1;
  Eigen::RowVectorXd reference;  ///< [dimension], for ReferenceElement::interpolation
};

class PointLocator {
 public:
  /// Keeps a reference to the mesh.
  explicit PointLocator(const Mesh& mesh);
  /// Nothing where the point is in no element (in 2-D its z does not count).
  std::optional<Located> find(const Point& point) const;
  /// The same, but InputError with the mesh's extent; `what` names the point: "probe centre".
  Located require(const Point& point, const std::string& what) const;

 private:
  std::size_t bucket(const std::array<std::size_t, 3>& cell) const;
  std::array<std::size_t, 3> cell(const Point& point) const;
  std::optional<Eigen::RowVectorXd> inside(std::int32_t element, const Point& point) const;
  void spread(bool count);

  const Mesh& mesh_;
  std::vector<char> curved_;  // [element]
  Eigen::MatrixXd to_modes_;  // of the mesh's nodes
  Point low_{}, high_{};
  std::array<std::size_t, 3> cells_{1, 1, 1};
  std::vector<std::size_t> start_;  // [cell]: its elements, ascending, in members_
  std::vector<std::int32_t> members_;
};

}  // namespace rtcg::dgfem
