// Heights of the ground on a regular grid, for images that follow the terrain. Read from ESRI ASCII grids (.asc), whose
// x and y are taken as metres in the collection's frame.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "radar/image.h"

namespace rtcg::radar {

struct Terrain {
  std::size_t nx = 0, ny = 0;
  double x_first = 0, y_first = 0, cell = 1;  ///< m; of cell centres, y upwards
  std::vector<float> heights;                 ///< [ny][nx] m, NaN where the file has no data

  /// Bilinear. NaN outside the cell centres and next to missing cells.
  double height(double x, double y) const;
};

/// InputError with the file and what is wrong. Keywords in any case; xllcorner or xllcenter, likewise y.
Terrain read_terrain(const std::filesystem::path& file);

/// One height per pixel of the grid, relative to its centre.z. InputError naming the first pixel without one.
std::vector<float> heights_on(const Terrain& terrain, const ImageGrid& grid);

}  // namespace rtcg::radar
