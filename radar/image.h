// Where an image is formed and what comes out: regular planes, voxel grids, or a plane with a height at every pixel.
//
// Pixel (i, j, k) lies at x = centre.x + (i - (nx - 1) / 2) dx, likewise y with j and z with k; pixels are stored
// [k][j][i], x fastest. All lengths in metres in the collection's frame.
#pragma once

#include <complex>
#include <cstddef>
#include <vector>

#include "radar/vector.h"

namespace rtcg::radar {

struct ImageGrid {
  std::size_t nx = 1, ny = 1, nz = 1;
  double dx = 1, dy = 1, dz = 1;
  Vec3 centre = Vec3::Zero();
  std::vector<float> heights;  ///< empty, or [ny][nx] heights added to centre.z (nz must be 1)

  std::size_t pixels() const { return nx * ny * nz; }
  double x(std::size_t i) const {
    return centre.x() + (static_cast<double>(i) - 0.5 * static_cast<double>(nx - 1)) * dx;
  }
  double y(std::size_t j) const {
    return centre.y() + (static_cast<double>(j) - 0.5 * static_cast<double>(ny - 1)) * dy;
  }
  double z(std::size_t k) const {
    return centre.z() + (static_cast<double>(k) - 0.5 * static_cast<double>(nz - 1)) * dz;
  }
  Vec3 position(std::size_t i, std::size_t j, std::size_t k) const {
    return {x(i), y(j), z(k) + (heights.empty() ? 0.0 : static_cast<double>(heights[j * nx + i]))};
  }
  /// Throws UsageError for zero extents, spacings that are not positive and finite, overflow, or a wrong number of
  /// heights.
  void check() const;
};

/// A complex image; double so that the reference path loses nothing.
struct Image {
  ImageGrid grid;
  std::vector<std::complex<double>> pixels;  ///< [nz][ny][nx]
};

}  // namespace rtcg::radar
