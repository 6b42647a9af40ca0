// The two simplices the solver knows and their conventions. A reference element has its vertices at -1 in every
// coordinate, but for vertex k > 0, which has coordinate k - 1 at +1. Face f is given by its vertices in ascending
// order: that order, not the outward one, numbers the nodes of a face.
#pragma once

#include <array>

namespace rtcg::dgfem {

enum class ElementType : int { triangle = 2, tetrahedron = 3 };

constexpr int dimension_of(ElementType type) {
  return static_cast<int>(type);
}
constexpr int vertices_of(ElementType type) {
  return dimension_of(type) + 1;
}
constexpr int faces_of(ElementType type) {
  return dimension_of(type) + 1;
}
/// Nodes of a simplex of this dimension (0 to 3) and order.
constexpr int simplex_nodes(int dimension, int order) {
  return dimension == 0   ? 1
         : dimension == 1 ? order + 1
         : dimension == 2 ? (order + 1) * (order + 2) / 2
                          : (order + 1) * (order + 2) * (order + 3) / 6;
}
constexpr int nodes_of(ElementType type, int order) {
  return simplex_nodes(dimension_of(type), order);
}
constexpr int face_nodes_of(ElementType type, int order) {
  return simplex_nodes(dimension_of(type) - 1, order);
}

/// Vertices of face f, ascending; of a triangle's face the first two.
constexpr std::array<int, 3> face_vertices(ElementType type, int face) {
  constexpr std::array<std::array<int, 3>, 3> triangle{{{0, 1, -1}, {1, 2, -1}, {0, 2, -1}}};
  constexpr std::array<std::array<int, 3>, 4> tetrahedron{{{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {0, 2, 3}}};
  return type == ElementType::triangle ? triangle[static_cast<unsigned>(face)]
                                       : tetrahedron[static_cast<unsigned>(face)];
}
/// The vertex that face f does not hold.
constexpr int opposite_vertex(ElementType type, int face) {
  constexpr std::array<int, 3> triangle{2, 0, 1};
  constexpr std::array<int, 4> tetrahedron{3, 2, 0, 1};
  return type == ElementType::triangle ? triangle[static_cast<unsigned>(face)]
                                       : tetrahedron[static_cast<unsigned>(face)];
}

constexpr const char* name_of(ElementType type) {
  return type == ElementType::triangle ? "triangle" : "tetrahedron";
}

}  // namespace rtcg::dgfem
