// Gmsh's mesh files: versions 2.0 to 2.2, 4.0 and 4.1, as text or binary of either byte order, linear and complete
// high-order simplices, partitioned or not. Sections that hold no mesh are skipped. See "MSH file format" in Gmsh's
// manual.
#pragma once

#include <string>
#include <string_view>

#include "dgfem/mesh/raw_mesh.h"

namespace rtcg::dgfem {

/// InputError "FILE:LINE: what" (in binary parts "FILE: byte N: what") for anything else than the format, and for
/// shapes other than triangles and tetrahedra among the elements of highest dimension.
RawMesh read_gmsh(std::string_view text, const std::string& name);

}  // namespace rtcg::dgfem
