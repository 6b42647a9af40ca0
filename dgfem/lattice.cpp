#include "dgfem/lattice.h"

namespace rtcg::dgfem {

std::vector<Weights> lattice(int dimension, int order) {
  std::vector<Weights> nodes;
  nodes.reserve(static_cast<std::size_t>(simplex_nodes(dimension, order)));
  for (int k = 0; k <= (dimension > 2 ? order : 0); ++k)
    for (int j = 0; j <= (dimension > 1 ? order - k : 0); ++j)
      for (int i = 0; i <= order - j - k; ++i) nodes.push_back({order - i - j - k, i, j, k});
  return nodes;
}

int lattice_index(int dimension, int order, const Weights& weights) {
  // Whole layers of lower k and rows of lower j come first.
  int index = weights[1], rest = order;
  if (dimension > 2) {
    index += simplex_nodes(3, order) - simplex_nodes(3, order - weights[3]);
    rest -= weights[3];
  }
  if (dimension > 1) index += simplex_nodes(2, rest) - simplex_nodes(2, rest - weights[2]);
  return index;
}

std::vector<int> lattice_face(ElementType type, int order, int face) {
  const int dimension = dimension_of(type);
  const std::array<int, 3> vertices = face_vertices(type, face);
  std::vector<int> nodes;
  for (const Weights& on_face : lattice(dimension - 1, order)) {
    Weights weights{};
    for (unsigned m = 0; m < static_cast<unsigned>(dimension); ++m)
      weights[static_cast<unsigned>(vertices[m])] = on_face[m];
    nodes.push_back(lattice_index(dimension, order, weights));
  }
  return nodes;
}

int opposite_orientation(ElementType type, int orientation) {
  const std::array<int, 3> forth = face_permutation(type, orientation);
  for (int back = 0; back < orientations_of(type); ++back) {
    const std::array<int, 3> candidate = face_permutation(type, back);
    bool inverse = true;
    for (unsigned m = 0; m < 3; ++m) inverse &= candidate[static_cast<unsigned>(forth[m])] == static_cast<int>(m);
    if (inverse) return back;
  }
  return 0;
}

std::vector<std::vector<int>> orientation_nodes(ElementType type, int order) {
  const int face_dimension = dimension_of(type) - 1;
  std::vector<std::vector<int>> tables;
  for (int orientation = 0; orientation < orientations_of(type); ++orientation) {
    const std::array<int, 3> permutation = face_permutation(type, orientation);
    std::vector<int> table;
    for (const Weights& own : lattice(face_dimension, order)) {
      Weights other{};
      for (unsigned m = 0; m < 3; ++m) other[static_cast<unsigned>(permutation[m])] = own[m];
      table.push_back(lattice_index(face_dimension, order, other));
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

}  // namespace rtcg::dgfem
