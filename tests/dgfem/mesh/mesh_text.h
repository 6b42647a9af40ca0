// Small mesh files made by the tests themselves, and the meshes of the data folder.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "dgfem/mesh/mesh.h"

namespace rtcg::dgfem {

inline double total_measure(const Mesh& mesh) {
  double sum = 0;
  for (std::size_t e = 0; e < mesh.size(); ++e) sum += signed_measure(mesh, e);
  return sum / (mesh.dimension() == 2 ? 2 : 6);
}

inline std::filesystem::path shared_mesh(const std::string& name) {
  const char* source = std::getenv("RTCG_SOURCE_DIR");
  return std::filesystem::path(source ? source : ".") / "../shared/data/meshes" / name;
}

/// Two tetrahedra on either side of the plane z = 0 in Gmsh 2.2; node tags have gaps and come in no order.
inline std::string two_tetrahedra(
    const std::string& elements = "1 4 2 5 1 1000 7 30 2\n2 4 2 6 2 30 7 1000 99\n3 2 2 5 3 1000 7 30\n") {
  const auto count = std::count(elements.begin(), elements.end(), '\n');
  return "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
         "$PhysicalNames\n3\n3 5 \"upper  \"\n3 6 \"lower\"\n2 5 \"between\"\n$EndPhysicalNames\n"
         "$Nodes\n5\n1000 0 0 0\n30 0 1 0\n7 1 0 0\n99 0 0 -1\n2 0 0 1\n$EndNodes\n$Elements\n" +
         std::to_string(count) + "\n" + elements + "$EndElements\n";
}

}  // namespace rtcg::dgfem
