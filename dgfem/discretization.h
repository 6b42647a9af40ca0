// A problem's mesh prepared for the device, still on the host: elements numbered for locality, faces as link codes,
// regions and boundary conditions as small numbers. Numbering: straight elements along a Hilbert curve, then curved
// ones likewise; elements of other parts (a halo) will follow both, so that their numbers never mix with owned ones.
#pragma once

#include "dgfem/geometry.h"
#include "dgfem/problem.h"
#include "dgfem/reference_element.h"

namespace rtcg::dgfem {

struct Discretization {
  /// InputError naming what there is for: names of regions or boundaries that the mesh lacks, faces without a
  /// condition, kinds and formulas that the system does not know, what connect() and check_jacobians() refuse;
  /// UsageError for orders outside 1 to 10, more than 255 regions, more elements than link codes hold.
  explicit Discretization(const Problem& problem);

  std::size_t size() const { return mesh.size(); }
  std::size_t curved() const { return size() - straight; }
  int nodes() const { return reference.nodes_per_element(); }
  int faces() const { return reference.faces(); }
  int fields() const { return static_cast<int>(system->fields.size()); }
  /// Degrees of freedom: nodes x fields x elements.
  double dofs() const { return static_cast<double>(size()) * nodes() * fields(); }
  /// Where nodes of an element lie, [node, 3]; curved elements too.
  Eigen::MatrixXd node_positions(std::size_t element) const;
  /// Of straight elements and, by their vertices, of curved ones.
  std::vector<double> inradii() const;

  std::shared_ptr<const System> system;
  ReferenceElement reference;
  Mesh mesh;                           ///< renumbered
  std::vector<std::int32_t> original;  ///< [element] -> its number in the problem's mesh
  Connectivity connectivity;
  AffineGeometry geometry;
  std::size_t straight = 0;  ///< elements before the curved ones

  /// [element][face]: (neighbour x faces + its face) x orientations + orientation, or -1 - condition at the boundary.
  std::vector<std::int32_t> link;
  std::vector<BoundaryCondition> conditions;   ///< each once
  std::vector<std::uint8_t> region;            ///< [element], into `materials`
  std::vector<std::uint8_t> neighbour_region;  ///< [element][face]; the element's own at the boundary
  std::vector<std::vector<double>> materials;  ///< [region]: System::region_values, each set once
  Values parameters;                           ///< every parameter of the system

 private:
  std::optional<ElementMap> curved_nodes_;
};

}  // namespace rtcg::dgfem
