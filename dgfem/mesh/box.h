// A box cut into simplices, each cell alike (2 triangles or, by Kuhn, 6 tetrahedra), so that opposite sides match: for
// tests, benchmarks and cases that need no mesher.
#pragma once

#include <functional>

#include "dgfem/mesh/mesh.h"

namespace rtcg::dgfem {

struct Box {
  ElementType type = ElementType::tetrahedron;
  std::array<std::int32_t, 3> cells{1, 1, 1};
  Point low{0, 0, 0}, high{1, 1, 1};  ///< z is that of the plane (low) in 2-D
  std::array<bool, 3> periodic{false, false, false};
};

/// Boundaries are named x-, x+, y-, y+, z-, z+, periodic ones too; there is one region, "default". UsageError for no
/// cells, no extent, or more points than fit.
Mesh box_mesh(const Box& box);

/// The same mesh with high-order elements: `map` moves every lattice node of the straight elements. It must keep
/// the elements positive; what lies on shared faces stays shared. UsageError unless 1 <= order <= 10.
Mesh curved(const Mesh& straight, int order, const std::function<Point(const Point&)>& map);

}  // namespace rtcg::dgfem
