#include "dgfem/mesh/node_orders.h"

#include "dgfem/lattice.h"

namespace rtcg::dgfem {

namespace {

using Edge = std::array<unsigned, 2>;
using Face = std::array<unsigned, 3>;

/// How a program walks around a tetrahedron; all agree on lines and triangles.
struct Convention {
  std::array<Edge, 6> edges;
  std::array<Face, 4> faces;
};
constexpr Convention gmsh{{{{0, 1}, {1, 2}, {2, 0}, {3, 0}, {3, 2}, {3, 1}}},
                          {{{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {3, 1, 2}}}};
constexpr Convention vtk{{{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}}},
                         {{{0, 1, 3}, {2, 3, 1}, {0, 3, 2}, {0, 2, 1}}}};

class Walk {
 public:
  explicit Walk(const Convention& convention) : convention_(convention) {}

  std::vector<int> run(int dimension, int order) {
    simplex(dimension, order, {0, 1, 2, 3}, {});
    std::vector<int> places;
    places.reserve(nodes_.size());
    for (const Weights& weights : nodes_) places.push_back(lattice_index(dimension, order, weights));
    return places;
  }

 private:
  using Corners = std::array<unsigned, 4>;

  /// A simplex of `order` on these vertices; `base` are the weights it starts from.
  void simplex(int dimension, int order, const Corners& corners, const Weights& base) {
    if (order < 0) return;
    if (order == 0) return nodes_.push_back(base);
    for (unsigned v = 0; v <= static_cast<unsigned>(dimension); ++v) {
      nodes_.push_back(base);
      nodes_.back()[corners[v]] += order;
    }
    const auto along = [&](const Edge& edge) {
      for (int i = 1; i < order; ++i) {
        nodes_.push_back(base);
        nodes_.back()[corners[edge[0]]] += order - i;
        nodes_.back()[corners[edge[1]]] += i;
      }
    };
    if (dimension == 1) return along({0, 1});
    if (dimension == 2) {
      for (const Edge& edge : {Edge{0, 1}, {1, 2}, {2, 0}}) along(edge);
      return inside(2, order, corners, base);
    }
    for (const Edge& edge : convention_.edges) along(edge);
    for (const Face& face : convention_.faces)
      inside(2, order, {corners[face[0]], corners[face[1]], corners[face[2]], 0}, base);
    inside(3, order, corners, base);
  }
  /// What is left inside a simplex is one again.
  void inside(int dimension, int order, const Corners& corners, Weights base) {
    for (unsigned v = 0; v <= static_cast<unsigned>(dimension); ++v) ++base[corners[v]];
    simplex(dimension, order - dimension - 1, corners, base);
  }

  const Convention& convention_;
  std::vector<Weights> nodes_;
};

}  // namespace

std::vector<int> gmsh_order(int dimension, int order) {
  return Walk(gmsh).run(dimension, order);
}

std::vector<int> vtk_order(int dimension, int order) {
  return Walk(vtk).run(dimension, order);
}

}  // namespace rtcg::dgfem
