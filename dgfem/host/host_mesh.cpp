#include "dgfem/host/host_mesh.h"

#include <fmt/format.h>

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

HostMesh host_mesh(const Discretization& discretization) {
  const System& system = *discretization.system;
  if (system.name != "maxwell" && system.name != "acoustics")
    throw UsageError(fmt::format("the host solver does not know the system '{}'", system.name));
  const HostSystem kind = system.name == "maxwell" ? HostSystem::maxwell : HostSystem::acoustics;
  const auto place = [&](const char* name) {
    std::size_t at = 0;
    while (at < system.materials.size() && system.materials[at].name != name) ++at;
    return at;
  };
  const std::size_t first = place(kind == HostSystem::maxwell ? "epsilon" : "rho");
  const std::size_t second = place(kind == HostSystem::maxwell ? "mu" : "c");
  return host_mesh(
      kind, discretization.mesh, discretization.reference, discretization.connectivity, discretization.geometry,
      [&](std::size_t e) {
        const std::vector<double>& values = discretization.materials[discretization.region[e]];
        return HostMaterial{values.at(first), values.at(second)};
      },
      [&](std::size_t e, int face) {
        const auto side = e * static_cast<std::size_t>(discretization.faces()) + static_cast<std::size_t>(face);
        return host_wall(kind,
                         discretization.conditions[static_cast<std::size_t>(-1 - discretization.link[side])].kind);
      });
}

}  // namespace rtcg::dgfem
