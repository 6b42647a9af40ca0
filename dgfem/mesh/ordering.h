// Numberings that keep what is near in space near in memory, and the layout of one part of a mesh: elements whose
// neighbours are all in the part, then those at another part, then the other parts' elements next to them (the halo). A
// solver computes the first while the traces of the last are on their way.
#pragma once

#include <span>

#include "dgfem/mesh/connectivity.h"

namespace rtcg::dgfem {

/// Elements along a Hilbert curve through their centroids: order[new number] = old number.
std::vector<std::int32_t> hilbert_order(const Mesh& mesh);
/// The mesh with its elements in this order and its points in the order of their first use.
Mesh reordered(const Mesh& mesh, std::span<const std::int32_t> order);

/// Parts of equal size (to one element) along the elements' present order: compact after hilbert_order.
std::vector<std::int32_t> equal_parts(std::size_t elements, int parts);

struct PartLayout {
  std::vector<std::int32_t>
      elements;              ///< of the whole mesh: interior, then at the border, then halo; each in present order
  std::size_t interior = 0;  ///< the first of elements
  std::size_t owned = 0;     ///< interior and those at the border
};
PartLayout part_layout(const Connectivity& connectivity, std::span<const std::int32_t> part_of, std::int32_t part);

}  // namespace rtcg::dgfem
