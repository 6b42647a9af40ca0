// Inputs on which the fuzzer once failed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "dgfem/mesh/connectivity.h"
#include "dgfem/mesh/gambit_reader.h"
#include "dgfem/mesh/gmsh_reader.h"
#include "dgfem/mesh/quality.h"
#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

TEST(FormerCrashes, OfMeshesAreMeshesOrErrorsOfOneLine) {
  const char* source = std::getenv("RTCG_SOURCE_DIR");
  const std::filesystem::path directory = std::filesystem::path(source ? source : ".") / "fuzz/crashes/mesh";
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    ++files;
    const std::string text = read_bytes(entry.path());
    for (const auto read : {read_gmsh, read_gambit}) {
      try {
        const Mesh mesh = assemble(read(text, entry.path().filename().string()));
        Findings findings;
        EXPECT_EQ(connect(mesh, findings).neighbour.size(),
                  mesh.size() * static_cast<std::size_t>(faces_of(mesh.type)));
        EXPECT_GE(mesh_quality(mesh).worst_ratio, 0);
      } catch (const InputError& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
      }
    }
  }
  EXPECT_GT(files, 0u);
}

}  // namespace
}  // namespace rtcg::dgfem
