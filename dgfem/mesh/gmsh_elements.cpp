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

}  // namespace rtcg::dgfem
