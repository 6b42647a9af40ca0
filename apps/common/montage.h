// Many small grey images in one PNG that stands on its own: filters, responses, features. Blocks of tiles below each
// other, each with its heading and one scale for all of its tiles, so that tiles can be compared; pixels that are not
// finite are red. Needs OpenCV at build time; the file is written aside and renamed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace rtcg::app {

struct Montage {
  struct Block {
    std::string heading;  ///< ASCII; the scale's ends are added
    std::size_t tiles = 0, height = 0, width = 0;
    std::vector<float> values;  ///< [tile][y][x]
    bool is_signed = false;     ///< zero is the middle grey
  };
  std::string title;  ///< ASCII
  std::vector<Block> blocks;
};

/// Tiles of a block that are drawn; a heading says so where there are more.
constexpr std::size_t most_tiles = 256;

/// UsageError when the build has no OpenCV or sizes do not agree, InputError when the file cannot be written.
void write_montage(const std::filesystem::path& file, const Montage& montage);

}  // namespace rtcg::app
