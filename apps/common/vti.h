// Named float arrays on a regular grid as a VTK image (.vti) for ParaView. Needs VTK at build time.
#pragma once

#include <array>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace rtcg::app {

struct VtiImage {
  std::array<std::size_t, 3> points{1, 1, 1};  ///< x, y, z
  std::array<double, 3> origin{0, 0, 0}, spacing{1, 1, 1};
  struct Field {
    std::string name;
    std::vector<float> values;  ///< [z][y][x]
  };
  std::vector<Field> fields;  ///< at the points; the first is what ParaView shows at once
};

bool vti_available();
/// UsageError when the build has no VTK or sizes do not agree, InputError when the file cannot be written.
void write_vti(const std::filesystem::path& file, const VtiImage& image);

}  // namespace rtcg::app
