// How the nodes of a simplex are numbered: by whole barycentric weights that add up to the order, the weight of vertex
// 1 running fastest, then those of vertices 2 and 3. Every list of nodes in the library (elements, faces, curved
// meshes) follows this order, so that faces meet by a permutation of their vertices alone.
#pragma once

#include <array>
#include <vector>

#include "dgfem/element_type.h"

namespace rtcg::dgfem {

/// Weights of the vertices; those beyond the dimension are 0.
using Weights = std::array<int, 4>;

/// Every node of a simplex of dimension 1 to 3, in order.
std::vector<Weights> lattice(int dimension, int order);
/// Where these weights stand in lattice(dimension, order).
int lattice_index(int dimension, int order, const Weights& weights);
/// The nodes of an element that lie on a face, as lattice() orders those of the face.
std::vector<int> lattice_face(ElementType type, int order, int face);

/// The permutations of a face's vertices by number: orientation o says that own face vertex m is the neighbour's face
/// vertex face_permutation(o)[m]. Triangles have 2 (edges), tetrahedra 6; 0 is the identity.
constexpr int orientations_of(ElementType type) {
  return type == ElementType::triangle ? 2 : 6;
}
constexpr std::array<int, 3> face_permutation(ElementType type, int orientation) {
  constexpr std::array<std::array<int, 3>, 6> all{{{0, 1, 2}, {1, 0, 2}, {0, 2, 1}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
  return type == ElementType::triangle && orientation > 1 ? std::array<int, 3>{-1, -1, -1}
                                                          : all[static_cast<unsigned>(orientation)];
}
/// The orientation as the neighbour sees it.
int opposite_orientation(ElementType type, int orientation);
/// [orientation][own face node] -> the neighbour's face node in the same place.
std::vector<std::vector<int>> orientation_nodes(ElementType type, int order);

}  // namespace rtcg::dgfem
