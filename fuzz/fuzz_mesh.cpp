// Whatever the bytes, reading them as a Gmsh or a Gambit mesh works or throws an InputError, and what was read can be
// ordered, connected and written.
#include <string_view>

#include "dgfem/mesh/connectivity.h"
#include "dgfem/mesh/gambit_reader.h"
#include "dgfem/mesh/gmsh_reader.h"
#include "dgfem/mesh/gmsh_writer.h"
#include "dgfem/mesh/ordering.h"
#include "dgfem/mesh/quality.h"
#include "rtcg/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rtcg::dgfem;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto read : {read_gmsh, read_gambit}) {
    try {
      const Mesh mesh = assemble(read(text, "input"));
      if (mesh.size() == 0) std::abort();
      const Mesh ordered = reordered(merged(mesh), hilbert_order(mesh));
      Findings findings;
      if (connect(ordered, findings).neighbour.size() != mesh.size() * static_cast<std::size_t>(faces_of(mesh.type)))
        std::abort();
      mesh_quality(ordered);
      gmsh_text(ordered, true);
    } catch (const rtcg::InputError&) {
    }
  }
  return 0;
}
