// Meshes as VTK unstructured grids, by VTK: for ParaView, and from the many programs that write them. Regions and names
// travel as cell arrays "region" and "boundary" and field arrays "region_names" and "boundary_names" of lines
// "NUMBER NAME"; of other writers "gmsh:physical", "CellEntityIds" and "MaterialIds" are understood as groups.
#pragma once

#include <filesystem>

#include "dgfem/mesh/raw_mesh.h"

namespace rtcg::dgfem {

bool vtu_available();
/// InputError "FILE: what" for a file that VTK cannot read or cells other than points, lines, triangles and tetrahedra;
/// UsageError where the build has no VTK.
RawMesh read_vtu(const std::filesystem::path& file);
/// Elements and named faces; high-order elements as Lagrange cells. Periodic links are not kept. Written aside and
/// renamed; errors as above.
void write_vtu(const std::filesystem::path& file, const Mesh& mesh);

}  // namespace rtcg::dgfem
