// What the host solver reads, as plain arrays: operators, geometry, neighbours, materials and walls of a mesh of
// straight elements. Made from the mesh and its connectivity, not from what the device is given (link codes, system
// texts), so that the two solvers share nothing but the mesh. Free of Eigen, whose inline functions must not be
// compiled twice with different instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace rtcg::dgfem {

struct Discretization;
struct Mesh;
struct Connectivity;
struct AffineGeometry;
class ReferenceElement;

enum class HostSystem { maxwell, acoustics };

/// The factors that give the outer state of a wall: of E or p, then of H or the velocity; an absorbing wall is upwind
/// whatever the upwinding elsewhere.
struct HostWall {
  double first = 1, second = 1;
  bool absorbs = false;
};
/// pec, pmc, absorbing; rigid, pressure_release, absorbing. UsageError for others.
HostWall host_wall(HostSystem system, const std::string& kind);

/// Maxwell: epsilon and mu; acoustics: rho and c.
struct HostMaterial {
  double first = 1, second = 1;
};

struct HostMesh {
  HostSystem system = HostSystem::maxwell;
  int dimension = 0, nodes = 0, faces = 0, face_nodes = 0, orientations = 0;
  std::size_t elements = 0;

  int columns() const { return dimension * nodes + faces * face_nodes; }
  int fields() const { return system == HostSystem::maxwell ? 6 : dimension + 1; }

  std::vector<double> operators;              ///< [node][columns]: derivatives side by side, then LIFT
  std::vector<std::uint16_t> face_node;       ///< [face][face node] -> node
  std::vector<std::uint16_t> neighbour_node;  ///< [neighbour's face][orientation][own face node] -> its node
  std::vector<double> metric;                 ///< [element][i][d], dr_i/dx_d
  std::vector<double> normal;                 ///< [element][face][d]
  std::vector<double> face_scale;             ///< [element][face]
  std::vector<std::int32_t> neighbour;        ///< [element][face], -1 at a wall
  std::vector<std::int8_t> neighbour_face;    ///< [element][face]
  std::vector<std::int8_t> orientation;       ///< [element][face]
  std::vector<HostMaterial> materials;        ///< [element]
  std::vector<HostWall> walls;                ///< [element][face], read where there is no neighbour
};

/// `material` and `wall` are asked for each element and each outer face. UsageError for curved elements, and for
/// Maxwell's equations in the plane.
HostMesh host_mesh(HostSystem system, const Mesh& mesh, const ReferenceElement& reference,
                   const Connectivity& connectivity, const AffineGeometry& geometry,
                   const std::function<HostMaterial(std::size_t element)>& material,
                   const std::function<HostWall(std::size_t element, int face)>& wall);

/// The same problem as the device solver's: system by its name, materials by region, walls by their kinds.
HostMesh host_mesh(const Discretization& discretization);

/// A few of a host mesh's elements and those next to them, to look at the rates of the few where a large mesh's would
/// take too long. Elements next to the few lack neighbours; their own rates mean nothing.
struct HostSample {
  HostMesh mesh;
  std::vector<std::size_t> elements;  ///< of the large mesh, the few first
};
HostSample host_sample(const Discretization& discretization, std::span<const std::size_t> few);

}  // namespace rtcg::dgfem
