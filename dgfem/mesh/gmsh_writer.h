// Writes a mesh as Gmsh 4.1, for Gmsh itself and for every program that reads its format.
#pragma once

#include <filesystem>

#include "dgfem/mesh/mesh.h"

namespace rtcg::dgfem {

/// The whole file's bytes. Regions, named faces, periodic links and high-order nodes are kept: reading it back gives
/// the same mesh.
std::string gmsh_text(const Mesh& mesh, bool binary);
/// Written aside and renamed. InputError when it cannot be.
void write_gmsh(const std::filesystem::path& file, const Mesh& mesh, bool binary = false);

}  // namespace rtcg::dgfem
