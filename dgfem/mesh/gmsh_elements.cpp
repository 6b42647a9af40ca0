#include "dgfem/mesh/gmsh_elements.h"

#include <array>

namespace rtcg::dgfem {

namespace {

constexpr std::array<std::array<int, 10>, 3> simplex_types{{{1, 8, 26, 27, 28, 62, 63, 64, 65, 66},
                                                            {2, 9, 21, 23, 25, 42, 43, 44, 45, 46},
                                                            {4, 11, 29, 30, 31, 71, 72, 73, 74, 75}}};

struct Other {
  int type;
  GmshElement element;
};
constexpr std::array<Other, 17> other_types{{{15, {0, 1, 0, "point"}},
                                             {3, {2, 4, 0, "quadrilateral"}},
                                             {10, {2, 9, 0, "quadrilateral"}},
                                             {16, {2, 8, 0, "quadrilateral"}},
                                             {20, {2, 9, 0, "triangle without inner nodes"}},
                                             {22, {2, 12, 0, "triangle without inner nodes"}},
                                             {24, {2, 15, 0, "triangle without inner nodes"}},
                                             {5, {3, 8, 0, "hexahedron"}},
                                             {12, {3, 27, 0, "hexahedron"}},
                                             {17, {3, 20, 0, "hexahedron"}},
                                             {6, {3, 6, 0, "prism"}},
                                             {13, {3, 18, 0, "prism"}},
                                             {18, {3, 15, 0, "prism"}},
                                             {7, {3, 5, 0, "pyramid"}},
                                             {14, {3, 14, 0, "pyramid"}},
                                             {19, {3, 13, 0, "pyramid"}},
                                             {84, {1, 1, 0, "line of one node"}}}};

using Corners = std::array<unsigned, 4>;

/// Appends the nodes of a simplex of `order` on the given vertices, `base` being the weights it starts from.
void append(int dimension, int order, const Corners& corners, const Weights& base, std::vector<Weights>& nodes) {
  if (order < 0) return;
  if (order == 0) return nodes.push_back(base);
  const auto at = [&](unsigned v, int weight) {
    Weights result = base;
    result[corners[v]] += weight;
    return result;
  };
  for (unsigned v = 0; v <= static_cast<unsigned>(dimension); ++v) nodes.push_back(at(v, order));
  // The edges in Gmsh's order and direction.
  constexpr std::array<std::array<unsigned, 2>, 1> line{{{0, 1}}};
  constexpr std::array<std::array<unsigned, 2>, 3> triangle{{{0, 1}, {1, 2}, {2, 0}}};
  constexpr std::array<std::array<unsigned, 2>, 6> tetrahedron{{{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}}};
  const auto along = [&](const auto& edges) {
    for (const auto& edge : edges)
      for (int i = 1; i < order; ++i) {
        Weights weights = at(edge[0], order - i);
        weights[corners[edge[1]]] += i;
        nodes.push_back(weights);
      }
  };
  if (dimension == 1) return along(line);
  // What is left inside is a simplex again.
  const auto inside = [&](int of_dimension, std::array<unsigned, 4> on) {
    Weights inner = base;
    Corners vertices{};
    for (unsigned v = 0; v <= static_cast<unsigned>(of_dimension); ++v) {
      vertices[v] = corners[on[v]];
      ++inner[vertices[v]];
    }
    append(of_dimension, order - of_dimension - 1, vertices, inner, nodes);
  };
  if (dimension == 2) {
    along(triangle);
    inside(2, {0, 1, 2, 0});
    return;
  }
  along(tetrahedron);
  for (const std::array<unsigned, 4>& face :
       {std::array<unsigned, 4>{0, 2, 1, 0}, {0, 1, 3, 0}, {0, 3, 2, 0}, {3, 1, 2, 0}})
    inside(2, face);
  inside(3, {0, 1, 2, 3});
}

}  // namespace

std::optional<GmshElement> gmsh_element(int type) {
  constexpr std::array<const char*, 3> names{"line", "triangle", "tetrahedron"};
  for (int dimension = 1; dimension <= 3; ++dimension)
    for (int order = 1; order <= 10; ++order)
      if (gmsh_type(dimension, order) == type)
        return GmshElement{dimension, simplex_nodes(dimension, order), order,
                           names[static_cast<unsigned>(dimension - 1)]};
  for (const Other& other : other_types)
    if (other.type == type) return other.element;
  return std::nullopt;
}

int gmsh_type(int dimension, int order) {
  return simplex_types[static_cast<unsigned>(dimension - 1)][static_cast<unsigned>(order - 1)];
}

std::vector<int> gmsh_order(int dimension, int order) {
  std::vector<Weights> nodes;
  append(dimension, order, {0, 1, 2, 3}, {}, nodes);
  std::vector<int> places;
  places.reserve(nodes.size());
  for (const Weights& weights : nodes) places.push_back(lattice_index(dimension, order, weights));
  return places;
}

}  // namespace rtcg::dgfem
