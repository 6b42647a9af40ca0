// Gambit's neutral files (.neu) of triangles and tetrahedra, as Gambit and other programs write them: the counts of the
// header that files get wrong are not believed, boundary names may hold blanks, sections may be missing.
#pragma once

#include <string>
#include <string_view>

#include "dgfem/mesh/raw_mesh.h"

namespace rtcg::dgfem {

/// InputError "FILE:LINE: what" for anything that cannot be read as such a file.
RawMesh read_gambit(std::string_view text, const std::string& name);

}  // namespace rtcg::dgfem
