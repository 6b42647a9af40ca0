// The orders in which other programs list the nodes of a simplex: vertices, then what lies inside the edges, the faces
// and the element. They differ in how edges and faces run.
#pragma once

#include <vector>

namespace rtcg::dgfem {

/// Node k of Gmsh's list stands at lattice node gmsh_order(dimension, order)[k] (lattice.h).
std::vector<int> gmsh_order(int dimension, int order);
/// The same for VTK's Lagrange cells, and for its quadratic ones.
std::vector<int> vtk_order(int dimension, int order);

}  // namespace rtcg::dgfem
