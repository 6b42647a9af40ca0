#include "dgfem/mesh/quality.h"

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

namespace rtcg::dgfem {

ElementShape element_shape(const Mesh& mesh, std::size_t e) {
  std::array<Eigen::Vector3d, 4> x;
  const int corners = vertices_of(mesh.type);
  for (int v = 0; v < corners; ++v)
    x[static_cast<unsigned>(v)] = Eigen::Map<const Eigen::Vector3d>(mesh.vertex(e, v).data());
  const auto edge = [&](unsigned a, unsigned b) { return (x[b] - x[a]).norm(); };
  const auto area = [&](unsigned a, unsigned b, unsigned c) { return (x[b] - x[a]).cross(x[c] - x[a]).norm() / 2; };
  ElementShape shape;
  shape.shortest_edge = std::numeric_limits<double>::infinity();
  for (unsigned a = 0; a < static_cast<unsigned>(corners); ++a)
    for (unsigned b = a + 1; b < static_cast<unsigned>(corners); ++b) {
      shape.shortest_edge = std::min(shape.shortest_edge, edge(a, b));
      shape.longest_edge = std::max(shape.longest_edge, edge(a, b));
    }
  if (mesh.type == ElementType::triangle) {
    shape.measure = signed_measure(mesh, e) / 2;
    const double a = edge(1, 2), b = edge(0, 2), c = edge(0, 1);
    shape.inradius = 2 * shape.measure / (a + b + c);
    shape.circumradius = a * b * c / (4 * shape.measure);
  } else {
    shape.measure = signed_measure(mesh, e) / 6;
    shape.inradius = 3 * shape.measure / (area(0, 1, 2) + area(0, 1, 3) + area(0, 2, 3) + area(1, 2, 3));
    // Products of opposite edges are the sides of a triangle whose area is 6 V R (Crelle 1821).
    const double p = edge(0, 1) * edge(2, 3), q = edge(0, 2) * edge(1, 3), r = edge(0, 3) * edge(1, 2);
    const double product = (p + q + r) * (-p + q + r) * (p - q + r) * (p + q - r);
    shape.circumradius = std::sqrt(std::max(product, 0.0)) / (24 * shape.measure);
  }
  const double ratio = mesh.dimension() * shape.inradius / shape.circumradius;
  shape.radius_ratio = std::isfinite(ratio) ? ratio : 0;
  return shape;
}

MeshQuality mesh_quality(const Mesh& mesh) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  MeshQuality quality;
  quality.smallest_measure = quality.shortest_edge = quality.smallest_inradius = quality.worst_ratio = infinity;
  for (std::size_t e = 0; e < mesh.size(); ++e) {
    const ElementShape shape = element_shape(mesh, e);
    quality.measure += shape.measure;
    quality.smallest_measure = std::min(quality.smallest_measure, shape.measure);
    quality.largest_measure = std::max(quality.largest_measure, shape.measure);
    quality.shortest_edge = std::min(quality.shortest_edge, shape.shortest_edge);
    quality.longest_edge = std::max(quality.longest_edge, shape.longest_edge);
    quality.smallest_inradius = std::min(quality.smallest_inradius, shape.inradius);
    quality.mean_ratio += shape.radius_ratio / static_cast<double>(mesh.size());
    if (shape.radius_ratio < quality.worst_ratio) {
      quality.worst_ratio = shape.radius_ratio;
      quality.worst_element = e;
    }
    ++quality.histogram[static_cast<std::size_t>(std::clamp(shape.radius_ratio * 10, 0.0, 9.0))];
  }
  return quality;
}

}  // namespace rtcg::dgfem
