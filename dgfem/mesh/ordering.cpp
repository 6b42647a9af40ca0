#include "dgfem/mesh/ordering.h"

#include <algorithm>

namespace rtcg::dgfem {

namespace {

constexpr int bits = 21;  // of each coordinate: 63 together

/// The position along the Hilbert curve of `dimension` coordinates (Skilling, AIP Conf. Proc. 707, 2004).
std::uint64_t hilbert_key(std::array<std::uint32_t, 3> x, unsigned dimension) {
  constexpr std::uint32_t top = 1u << (bits - 1);
  for (std::uint32_t q = top; q > 1; q >>= 1) {
    const std::uint32_t p = q - 1;
    for (unsigned i = 0; i < dimension; ++i) {
      if ((x[i] & q) != 0) {
        x[0] ^= p;
      } else {
        const std::uint32_t t = (x[0] ^ x[i]) & p;
        x[0] ^= t;
        x[i] ^= t;
      }
    }
  }
  for (unsigned i = 1; i < dimension; ++i) x[i] ^= x[i - 1];
  std::uint32_t t = 0;
  for (std::uint32_t q = top; q > 1; q >>= 1)
    if ((x[dimension - 1] & q) != 0) t ^= q - 1;
  for (unsigned i = 0; i < dimension; ++i) x[i] ^= t;
  std::uint64_t key = 0;
  for (int bit = bits - 1; bit >= 0; --bit)
    for (unsigned i = 0; i < dimension; ++i) key = key << 1 | (x[i] >> bit & 1u);
  return key;
}

}  // namespace

std::vector<std::int32_t> hilbert_order(const Mesh& mesh) {
  const auto dimension = static_cast<unsigned>(mesh.dimension());
  const auto [low, high] = mesh.bounding_box();
  double extent = 0;
  for (unsigned d = 0; d < dimension; ++d) extent = std::max(extent, high[d] - low[d]);
  const double scale = ((1 << bits) - 1) / extent;
  std::vector<std::pair<std::uint64_t, std::int32_t>> keys(mesh.size());
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    const Point at = mesh.centroid(e);
    std::array<std::uint32_t, 3> x{};
    for (unsigned d = 0; d < dimension; ++d) x[d] = static_cast<std::uint32_t>((at[d] - low[d]) * scale);
    keys[e] = {hilbert_key(x, dimension), static_cast<std::int32_t>(e)};
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::int32_t> order(keys.size());
  for (std::size_t e = 0; e < keys.size(); ++e) order[e] = keys[e].second;
  return order;
}

Mesh reordered(const Mesh& mesh, std::span<const std::int32_t> order) {
  Mesh result;
  result.type = mesh.type;
  result.regions = mesh.regions;
  result.boundary_of = mesh.boundary_of;
  result.boundaries = mesh.boundaries;
  result.geometry_order = mesh.geometry_order;
  result.vertices = mesh.vertices;
  result.remarks = mesh.remarks;
  std::vector<std::int32_t> number(mesh.points.size(), -1);
  result.points.reserve(mesh.points.size());
  const auto renumber = [&](std::int32_t p) {
    std::int32_t& place = number[static_cast<std::size_t>(p)];
    if (place < 0) {
      place = static_cast<std::int32_t>(result.points.size());
      result.points.push_back(mesh.points[static_cast<std::size_t>(p)]);
    }
    return place;
  };
  const auto copy = [&](const std::vector<std::int32_t>& from, std::size_t width, std::vector<std::int32_t>& to) {
    to.reserve(from.size());
    for (const std::int32_t e : order)
      for (std::size_t k = 0; k < width; ++k) to.push_back(renumber(from[static_cast<std::size_t>(e) * width + k]));
  };
  copy(mesh.elements, static_cast<std::size_t>(vertices_of(mesh.type)), result.elements);
  if (mesh.geometry_order > 1)
    copy(mesh.geometry_nodes, static_cast<std::size_t>(nodes_of(mesh.type, mesh.geometry_order)),
         result.geometry_nodes);
  result.region_of.reserve(order.size());
  for (const std::int32_t e : order) result.region_of.push_back(mesh.region_of[static_cast<std::size_t>(e)]);
  result.tagged_faces.reserve(mesh.tagged_faces.size());
  for (const std::int32_t p : mesh.tagged_faces) result.tagged_faces.push_back(renumber(p));
  result.periodic = mesh.periodic;
  for (PeriodicLink& link : result.periodic)
    for (auto& [a, b] : link.vertices) a = renumber(a), b = renumber(b);
  return result;
}

std::vector<std::int32_t> equal_parts(std::size_t elements, int parts) {
  std::vector<std::int32_t> part_of(elements);
  for (std::size_t e = 0; e < elements; ++e)
    part_of[e] = static_cast<std::int32_t>(e * static_cast<std::size_t>(parts) / elements);
  return part_of;
}

PartLayout part_layout(const Connectivity& connectivity, std::span<const std::int32_t> part_of, std::int32_t part) {
  const auto faces = static_cast<std::size_t>(faces_of(connectivity.type));
  PartLayout layout;
  std::vector<std::int32_t> border, halo;
  for (std::size_t e = 0; e < part_of.size(); ++e) {
    if (part_of[e] != part) continue;
    bool inside = true;
    for (std::size_t f = 0; f < faces; ++f) {
      const std::int32_t neighbour = connectivity.neighbour[e * faces + f];
      if (neighbour < 0 || part_of[static_cast<std::size_t>(neighbour)] == part) continue;
      inside = false;
      halo.push_back(neighbour);
    }
    (inside ? layout.elements : border).push_back(static_cast<std::int32_t>(e));
  }
  std::sort(halo.begin(), halo.end());
  halo.erase(std::unique(halo.begin(), halo.end()), halo.end());
  layout.interior = layout.elements.size();
  layout.elements.insert(layout.elements.end(), border.begin(), border.end());
  layout.owned = layout.elements.size();
  layout.elements.insert(layout.elements.end(), halo.begin(), halo.end());
  return layout;
}

}  // namespace rtcg::dgfem
