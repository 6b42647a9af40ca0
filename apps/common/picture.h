// A plane of decibel values as a PNG that stands on its own: true proportions, y upwards, axes in metres, a colour bar.
// Shrinking takes the strongest of the pixels it joins, so that a bright point never disappears.
// Needs OpenCV at build time; the file is written aside and renamed.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace rtcg::app {

enum class ColourMap { grey, viridis };
/// "grey", "viridis"; UsageError otherwise.
ColourMap parse_colour_map(std::string_view text);

struct Picture {
  std::span<const float> decibels;  ///< [ny][nx], first row at y_first; -inf is allowed, NaN is shown as -inf
  std::size_t nx = 0, ny = 0;
  double x_first = 0, y_first = 0, dx = 1, dy = 1;  ///< m, of pixel centres; dx, dy > 0
  double top_db = 0, range_db = 50;                 ///< top of the scale and its extent, > 0
  ColourMap colours = ColourMap::grey;
  std::string title = {};  ///< ASCII
};

bool pictures_available();
/// UsageError when the build has no OpenCV or nothing fits, InputError when the file cannot be written.
void write_picture(const std::filesystem::path& file, const Picture& picture);

}  // namespace rtcg::app
