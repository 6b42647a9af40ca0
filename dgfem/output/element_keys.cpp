#include "dgfem/output/element_keys.h"

#include <xxhash.h>

#include <algorithm>

namespace rtcg::dgfem {

std::vector<std::uint64_t> element_keys(const Mesh& mesh) {
  const int nodes = nodes_of(mesh.type, mesh.geometry_order);
  std::vector<Point> places(static_cast<std::size_t>(nodes));
  std::vector<std::uint64_t> keys;
  keys.reserve(mesh.size());
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    for (int n = 0; n < nodes; ++n) {
      Point& at = places[static_cast<std::size_t>(n)];
      at = mesh.points[static_cast<std::size_t>(mesh.nodes(e)[n])];
      for (double& x : at) x += 0.0;  // -0 and 0 are one place
    }
    keys.push_back(XXH3_64bits(places.data(), places.size() * sizeof places[0]));
  }
  return keys;
}

std::uint64_t mesh_fingerprint(std::span<const std::uint64_t> keys) {
  std::vector<std::uint64_t> sorted(keys.begin(), keys.end());
  std::sort(sorted.begin(), sorted.end());
  return XXH3_64bits(sorted.data(), sorted.size() * sizeof sorted[0]);
}

}  // namespace rtcg::dgfem
