#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dgfem/mesh/coincidence.h"
#include "dgfem/mesh/connectivity.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

namespace {

std::vector<std::int32_t> vertices_of_boundary(const Mesh& mesh, const std::string& name) {
  std::vector<std::int32_t> vertices;
  const auto width = static_cast<std::size_t>(mesh.dimension());
  for (std::size_t f = 0; f < mesh.boundary_of.size(); ++f)
    if (mesh.boundaries[static_cast<std::size_t>(mesh.boundary_of[f])].is(name))
      for (std::size_t v = 0; v < width; ++v) vertices.push_back(mesh.tagged_faces[f * width + v]);
  if (vertices.empty()) {
    std::vector<std::string> names;
    for (const Group& boundary : mesh.boundaries)
      names.insert(names.end(), boundary.names.begin(), boundary.names.end());
    throw InputError(fmt::format("mesh: there is no boundary \"{}\" (there are: {})", name, fmt::join(names, ", ")));
  }
  std::sort(vertices.begin(), vertices.end());
  vertices.erase(std::unique(vertices.begin(), vertices.end()), vertices.end());
  return vertices;
}

Point middle(const Mesh& mesh, const std::vector<std::int32_t>& vertices) {
  Point sum{};
  for (const std::int32_t v : vertices)
    for (unsigned d = 0; d < 3; ++d)
      sum[d] += mesh.points[static_cast<std::size_t>(v)][d] / static_cast<double>(vertices.size());
  return sum;
}

}  // namespace

void add_periodic(Mesh& mesh, const std::string& here, const std::string& there) {
  const std::vector<std::int32_t> a = vertices_of_boundary(mesh, here), b = vertices_of_boundary(mesh, there);
  if (a.size() != b.size())
    throw InputError(fmt::format("mesh: the periodic boundaries \"{}\" and \"{}\" have {} and {} vertices", here, there,
                                 a.size(), b.size()));
  const Point from = middle(mesh, a), to = middle(mesh, b);
  const std::vector<std::int32_t> partner =
      partners(mesh.points, a, b, {to[0] - from[0], to[1] - from[1], to[2] - from[2]});
  const auto alone = std::find(partner.begin(), partner.end(), -1);
  if (alone != partner.end()) {
    const Point& at = mesh.points[static_cast<std::size_t>(a[static_cast<std::size_t>(alone - partner.begin())])];
    throw InputError(fmt::format(
        "mesh: {} vertices of the periodic boundary \"{}\" have no partner on \"{}\", first ({:g}, {:g}, {:g})",
        std::count(partner.begin(), partner.end(), -1), here, there, at[0], at[1], at[2]));
  }
  PeriodicLink link{here + "-" + there, {}};
  for (std::size_t k = 0; k < a.size(); ++k) link.vertices.emplace_back(a[k], partner[k]);
  mesh.periodic.push_back(std::move(link));
}

}  // namespace rtcg::dgfem
