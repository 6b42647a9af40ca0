#include "dgfem/mesh/mesh.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

namespace rtcg::dgfem {

bool Group::is(std::string_view name) const {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string Group::text() const {
  return fmt::format("{}", fmt::join(names, "+"));
}

Point Mesh::centroid(std::size_t e) const {
  Point sum{};
  const int count = vertices_of(type);
  for (int v = 0; v < count; ++v)
    for (unsigned d = 0; d < 3; ++d) sum[d] += vertex(e, v)[d];
  for (double& x : sum) x /= count;
  return sum;
}

std::pair<Point, Point> Mesh::bounding_box() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::pair<Point, Point> box{{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
  for (const Point& point : points)
    for (unsigned d = 0; d < 3; ++d) {
      box.first[d] = std::min(box.first[d], point[d]);
      box.second[d] = std::max(box.second[d], point[d]);
    }
  return box;
}

double signed_measure(const Mesh& mesh, std::size_t e) {
  std::array<Point, 3> edge{};
  for (int v = 1; v < vertices_of(mesh.type); ++v)
    for (unsigned d = 0; d < 3; ++d)
      edge[static_cast<unsigned>(v - 1)][d] = mesh.vertex(e, v)[d] - mesh.vertex(e, 0)[d];
  const auto& [a, b, c] = edge;
  const double ab = a[0] * b[1] - a[1] * b[0];
  if (mesh.type == ElementType::triangle) return ab;
  return (a[1] * b[2] - a[2] * b[1]) * c[0] + (a[2] * b[0] - a[0] * b[2]) * c[1] + ab * c[2];
}

}  // namespace rtcg::dgfem
