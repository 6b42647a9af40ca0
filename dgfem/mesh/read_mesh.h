// One call for every mesh format.
#pragma once

#include <filesystem>

#include "dgfem/mesh/mesh.h"

namespace rtcg::dgfem {

/// Gmsh (.msh or by its first line), Gambit neutral (.neu), VTK unstructured grid (.vtu). InputError naming file and
/// line for what is wrong in it; UsageError for a .vtu where the build has no VTK.
Mesh read_mesh(const std::filesystem::path& file);

}  // namespace rtcg::dgfem
