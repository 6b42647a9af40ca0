#include "dgfem/host/host_mesh.h"

#include <fmt/format.h>

#include <unordered_map>

#include "dgfem/discretization.h"
#include "dgfem/lattice.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

HostWall host_wall(HostSystem system, const std::string& kind) {
  if (kind == "absorbing") return {0, 0, true};
  if (system == HostSystem::maxwell) {
    if (kind == "pec") return {-1, 1};
    if (kind == "pmc") return {1, -1};
  } else {
    if (kind == "rigid") return {1, -1};
    if (kind == "pressure_release") return {-1, 1};
  }
  throw UsageError(fmt::format("the host solver has no wall of the kind '{}'", kind));
}

HostMesh host_mesh(HostSystem system, const Mesh& mesh, const ReferenceElement& reference,
                   const Connectivity& connectivity, const AffineGeometry& geometry,
                   const std::function<HostMaterial(std::size_t element)>& material,
                   const std::function<HostWall(std::size_t element, int face)>& wall) {
  if (!curved_elements(mesh).empty()) throw UsageError("the host solver has no curved elements");
  if (system == HostSystem::maxwell && mesh.dimension() != 3)
    throw UsageError("the host solver has Maxwell's equations in space alone");
  HostMesh host;
  host.system = system;
  host.dimension = reference.dimension();
  host.nodes = reference.nodes_per_element();
  host.faces = reference.faces();
  host.face_nodes = reference.nodes_per_face();
  host.orientations = orientations_of(reference.type());
  host.elements = mesh.size();
  for (int row = 0; row < host.nodes; ++row) {
    for (int d = 0; d < host.dimension; ++d)
      for (int column = 0; column < host.nodes; ++column)
        host.operators.push_back(reference.derivative(d)(row, column));
    for (int column = 0; column < host.faces * host.face_nodes; ++column)
      host.operators.push_back(reference.lift()(row, column));
  }
  const auto permutations = orientation_nodes(reference.type(), reference.order());
  for (int face = 0; face < host.faces; ++face) {
    const std::vector<int>& nodes = reference.face_nodes(face);
    host.face_node.insert(host.face_node.end(), nodes.begin(), nodes.end());
    for (const std::vector<int>& permutation : permutations)
      for (const int m : permutation)
        host.neighbour_node.push_back(static_cast<std::uint16_t>(nodes[static_cast<std::size_t>(m)]));
  }
  host.metric = geometry.metric;
  host.normal = geometry.normal;
  host.face_scale = geometry.face_scale;
  host.neighbour = connectivity.neighbour;
  host.neighbour_face = connectivity.neighbour_face;
  host.orientation = connectivity.orientation;
  host.walls.resize(host.neighbour.size());
  for (std::size_t e = 0; e < host.elements; ++e) {
    host.materials.push_back(material(e));
    for (int face = 0; face < host.faces; ++face) {
      const std::size_t side = e * static_cast<std::size_t>(host.faces) + static_cast<std::size_t>(face);
      if (host.neighbour[side] < 0) host.walls[side] = wall(e, face);
    }
  }
  return host;
}

namespace {

HostSystem system_of(const Discretization& discretization) {
  const std::string& name = discretization.system->name;
  if (name == "maxwell") return HostSystem::maxwell;
  if (name == "acoustics") return HostSystem::acoustics;
  throw UsageError(fmt::format("the host solver does not know the system '{}'", name));
}

HostMaterial material_of(const Discretization& discretization, std::size_t element) {
  const std::vector<Quantity>& names = discretization.system->materials;
  const std::vector<double>& values = discretization.materials[discretization.region[element]];
  const auto value = [&](const char* name) {
    std::size_t at = 0;
    while (at < names.size() && names[at].name != name) ++at;
    return values.at(at);
  };
  return system_of(discretization) == HostSystem::maxwell ? HostMaterial{value("epsilon"), value("mu")}
                                                          : HostMaterial{value("rho"), value("c")};
}

HostWall wall_of(const Discretization& discretization, std::size_t element, int face) {
  const std::size_t side = element * static_cast<std::size_t>(discretization.faces()) + static_cast<std::size_t>(face);
  if (discretization.link[side] >= 0) return {};
  const auto condition = static_cast<std::size_t>(-1 - discretization.link[side]);
  return host_wall(system_of(discretization), discretization.conditions[condition].kind);
}

template <class T>
std::vector<T> rows_of(const std::vector<T>& values, std::span<const std::size_t> rows, std::size_t whole) {
  const std::size_t width = values.size() / whole;
  std::vector<T> result;
  for (const std::size_t row : rows)
    for (std::size_t k = 0; k < width; ++k) result.push_back(values[row * width + k]);
  return result;
}

}  // namespace

HostMesh host_mesh(const Discretization& discretization) {
  return host_mesh(
      system_of(discretization), discretization.mesh, discretization.reference, discretization.connectivity,
      discretization.geometry, [&](std::size_t e) { return material_of(discretization, e); },
      [&](std::size_t e, int face) { return wall_of(discretization, e, face); });
}

HostSample host_sample(const Discretization& discretization, std::span<const std::size_t> few) {
  const Connectivity& whole = discretization.connectivity;
  const auto faces = static_cast<std::size_t>(discretization.faces());
  HostSample sample;
  std::unordered_map<std::int32_t, std::int32_t> number;
  const auto add = [&](std::int32_t e) {
    if (number.try_emplace(e, static_cast<std::int32_t>(number.size())).second)
      sample.elements.push_back(static_cast<std::size_t>(e));
  };
  for (const std::size_t e : few) add(static_cast<std::int32_t>(e));
  for (const std::size_t e : few)
    for (std::size_t face = 0; face < faces; ++face)
      if (const std::int32_t other = whole.neighbour[e * faces + face]; other >= 0) add(other);
  Mesh mesh = discretization.mesh;
  mesh.region_of = rows_of(mesh.region_of, sample.elements, discretization.size());
  mesh.elements = rows_of(mesh.elements, sample.elements, discretization.size());
  Connectivity connectivity = whole;
  for (std::vector<std::int8_t>* list : {&connectivity.neighbour_face, &connectivity.orientation})
    *list = rows_of(*list, sample.elements, discretization.size());
  connectivity.neighbour = rows_of(whole.neighbour, sample.elements, discretization.size());
  for (std::int32_t& other : connectivity.neighbour) {
    const auto found = number.find(other);
    other = found == number.end() ? -1 : found->second;
  }
  AffineGeometry geometry = discretization.geometry;
  for (std::vector<double>* list : {&geometry.jacobian, &geometry.metric, &geometry.normal, &geometry.face_scale})
    *list = rows_of(*list, sample.elements, discretization.size());
  sample.mesh = host_mesh(
      system_of(discretization), mesh, discretization.reference, connectivity, geometry,
      [&](std::size_t e) { return material_of(discretization, sample.elements[e]); },
      [&](std::size_t e, int face) { return wall_of(discretization, sample.elements[e], face); });
  return sample;
}

}  // namespace rtcg::dgfem
