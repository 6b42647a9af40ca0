// Terrain heights for an image plane, from what people have: an HDF5 dataset, a NumPy array or an ESRI ASCII grid.
//
// "FILE.h5:/DATASET" is [y][x]; with one-dimensional datasets x and y beside it (metres in the collection's frame,
// evenly ascending) heights are interpolated bilinearly at the pixels, otherwise the dataset must have the image's
// shape. "FILE.npy" holds float32, float64 or int16 in the image's shape [ny][nx], row by row. Anything else is read as
// radar/terrain.h says. Heights are metres in the collection's frame.
#pragma once

#include <string>
#include <vector>

#include "radar/image.h"

namespace rtcg::radar {

/// [ny][nx] for ImageGrid::heights, so relative to the grid's centre.z. InputError for another shape, heights that are
/// not finite, or a pixel outside the axes.
std::vector<float> read_heights(const std::string& source, const ImageGrid& grid);

}  // namespace rtcg::radar
