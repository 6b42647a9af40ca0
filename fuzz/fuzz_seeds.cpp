// fuzz_seeds DIRECTORY: small valid files of every format, for the fuzzer to start from, one directory per target.
#include <cstdio>
#include <exception>

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

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: fuzz_seeds DIRECTORY\n", stderr), 2;
  try {
    pulses(fs::path(argv[1]) / "pulses");
    image(fs::path(argv[1]) / "image");
    heights(fs::path(argv[1]) / "heights");
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "fuzz_seeds: %s\n", error.what()), 1;
  }
  return 0;
}
