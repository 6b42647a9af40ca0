// Interpolation nodes on triangles and tetrahedra by warping and blending (Warburton, J. Eng. Math. 56, 2006): nearly
// as good as Fekete points, symmetric under every permutation of the vertices, Gauss-Lobatto on each edge.
#pragma once

#include <Eigen/Core>

#include "dgfem/element_type.h"

namespace rtcg::dgfem {

/// [nodes, dimension] in lattice order (lattice.h), order >= 1.
Eigen::MatrixXd warp_blend_nodes(ElementType type, int order);
/// The same numbering, evenly spaced.
Eigen::MatrixXd equispaced_nodes(ElementType type, int order);

}  // namespace rtcg::dgfem
