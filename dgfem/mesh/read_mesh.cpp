#include "dgfem/mesh/read_mesh.h"

#include <fmt/format.h>

#include "dgfem/mesh/gambit_reader.h"
#include "dgfem/mesh/gmsh_reader.h"
#include "dgfem/mesh/mesh_scanner.h"
#include "dgfem/mesh/vtu.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

Mesh read_mesh(const std::filesystem::path& file) {
  const std::string text = mesh_file_text(file), extension = file.extension().string();
  const std::string_view start = std::string_view(text).substr(0, 200);
  if (extension == ".msh" || start.find("$MeshFormat") != std::string_view::npos)
    return assemble(read_gmsh(text, file.string()));
  if (extension == ".neu" || start.find("CONTROL INFO") != std::string_view::npos)
    return assemble(read_gambit(text, file.string()));
  if (extension == ".vtu") return assemble(read_vtu(file));
  throw InputError(
      fmt::format("{}: not a mesh that can be read: Gmsh (.msh), Gambit neutral (.neu) or VTK (.vtu)", file.string()));
}

}  // namespace rtcg::dgfem
