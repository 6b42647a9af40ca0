// fuzz_seeds DIRECTORY: small valid files of every format, for the fuzzer to start from, one directory per target.
#include <cstdio>
#include <exception>

#include "dgfem/mesh/box.h"
#include "dgfem/mesh/gmsh_writer.h"
#include "radar/io/example_pulses.h"
#include "radar/io/image_file.h"
#include "radar/io/pulse_file.h"
#include "rtcg/io/aside_file.h"
#include "rtcg/io/hdf5.h"
#include "support/cphd_writer.h"
#include "support/mat_writer.h"

namespace {

namespace fs = std::filesystem;
using namespace rtcg;
using namespace rtcg::radar;

void save(const fs::path& file, const std::string& bytes) {
  fs::create_directories(file.parent_path());
  write_file(file, bytes);
}

std::string matlab() {
  const std::string three = mat::single(1, 3, {7000, 7001, 7002}),
                    twelve = mat::complex_single(4, 3, std::vector<float>(12, 1), std::vector<float>(12, 2));
  return mat::structure("data", {{"fp", twelve},
                                 {"freq", mat::single(4, 1, {9.288e9f, 9.2895e9f, 9.291e9f, 9.2925e9f})},
                                 {"x", three},
                                 {"y", three},
                                 {"z", three},
                                 {"r0", three},
                                 {"af", mat::structure("", {{"r_correct", three}, {"ph_correct", three}})}});
}

void pulses(const fs::path& directory) {
  save(directory / "a.mat", mat::file(matlab()));
  save(directory / "packed.mat", mat::file(mat::compressed(matlab())));
  const Collection c = example_collection(3, 4);
  const std::vector<std::complex<float>> samples = phase_history(c, {{1, 2, 3}});
  for (const char* format : {"CF8", "CI4", "CI2"}) {
    CphdExample example;
    example.format = format;
    example.signal = {1, 0, 1};
    example.plane_axes = example.format == "CI4";
    save(directory / (std::string(format) + ".cphd"), cphd_bytes(example, c, samples));
  }
  StoredPulses stored(c, samples);
  write_pulses(directory / "p.h5", stored);
}

void image(const fs::path& directory) {
  fs::create_directories(directory);
  Image example{{3, 2, 1, 1, 1, 1, {0, 0, 0}, std::vector<float>(6, 1.0f)}, std::vector<std::complex<double>>(6, 1.0)};
  write_image(directory / "plane.h5", example, {{"window", "none"}, {"nfft", 16.0}});
  example.grid.heights.clear();
  example.grid.nz = 2;
  example.pixels.resize(12);
  write_image(directory / "volume.h5", example, {}, ImageElement::full);
}

void heights(const fs::path& directory) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }\n";
  save(directory / "h.npy", "\x93NUMPY" + std::string("\x01\x00", 2) + static_cast<char>(header.size()) + '\0' +
                                header + std::string(48, '\0'));
  hdf5::File file = hdf5::File::create(directory / "t.h5");
  file.write<double>("/t/z", {3, 4}, std::vector<double>(12, 1.0));
  file.write<double>("/t/x", {4}, std::vector<double>{8, 9, 10, 11});
  file.write<double>("/t/y", {3}, std::vector<double>{18, 20, 22});
  file.close();
}

void mesh(const fs::path& directory) {
  for (const bool binary : {false, true})
    for (const dgfem::ElementType type : {dgfem::ElementType::triangle, dgfem::ElementType::tetrahedron}) {
      dgfem::Box box{type, {2, 1, 1}};
      box.periodic[0] = true;
      const dgfem::Mesh straight = dgfem::box_mesh(box);
      const std::string name = std::string(binary ? "binary" : "text") + (straight.dimension() == 2 ? "_2d" : "_3d");
      save(directory / (name + ".msh"), dgfem::gmsh_text(straight, binary));
      save(directory / (name + "_curved.msh"),
           dgfem::gmsh_text(dgfem::curved(straight, 3, [](const dgfem::Point& p) { return p; }), binary));
    }
  const std::string nodes = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n9 0 0 1\n$EndNodes\n";
  save(directory / "version_2.msh",
       "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"a\"\n$EndPhysicalNames\n" + nodes +
           "$Elements\n2\n1 4 4 1 1 1 -2 1 2 3 9\n2 2 2 7 1 1 2 3\n$EndElements\n$Periodic\n1\n2 1 2\nAffine 1 0\n1\n"
           "1 9\n$EndPeriodic\n");
  save(directory / "version_4_0.msh",
       "$MeshFormat\n4 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 5 "
       "0\n$EndEntities\n$PartitionedEntities\n"
       "1\n0\n0 0 0 1\n2 3 1 1 1 0 0 0 1 1 1 1 5 0\n$EndPartitionedEntities\n$Nodes\n1 4\n2 3 0 4\n1 0 0 0\n2 1 0 0\n"
       "3 0 1 0\n9 0 0 1\n$EndNodes\n$Elements\n1 1\n2 3 4 1\n1 1 2 3 9\n$EndElements\n");
  save(directory / "gambit.neu",
       "CONTROL INFO 1.3.\nx\nNUMNP NELEM\n4 2 1 1 2 2\nENDOFSECTION\nNODAL COORDINATES\n1 0 0\n2 1 0\n3 1 1\n4 0 1\n"
       "ENDOFSECTION\nELEMENTS/CELLS\n1 3 3 1 2 3\n2 3 3 1 3 4\nENDOFSECTION\nELEMENT GROUP\nGROUP: 1 ELEMENTS: 2 "
       "NFLAGS: 1\n"
       "fluid\n0\n1 2\nENDOFSECTION\nBOUNDARY CONDITIONS\nCyl 0.5 1 1 1 6\n1 3 1 7.5\nENDOFSECTION\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: fuzz_seeds DIRECTORY\n", stderr), 2;
  try {
    pulses(fs::path(argv[1]) / "pulses");
    image(fs::path(argv[1]) / "image");
    heights(fs::path(argv[1]) / "heights");
    mesh(fs::path(argv[1]) / "mesh");
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "fuzz_seeds: %s\n", error.what()), 1;
  }
  return 0;
}
