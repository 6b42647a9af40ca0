#include "radar/tile_image.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "rtcg/error.h"

namespace rtcg::radar {

namespace {

PixelRegion resolve(PixelRegion region, const ImageGrid& grid) {
  if (region.first_x >= grid.nx || region.first_y >= grid.ny)
    throw UsageError(fmt::format("region starts at pixel ({}, {}), outside the {} x {} image", region.first_x,
                                 region.first_y, grid.nx, grid.ny));
  if (region.count_x == 0) region.count_x = grid.nx - region.first_x;
  if (region.count_y == 0) region.count_y = grid.ny - region.first_y;
  if (region.count_x > grid.nx - region.first_x || region.count_y > grid.ny - region.first_y)
    throw UsageError(fmt::format("region of {} x {} pixels from ({}, {}) passes the edge of the {} x {} image",
                                 region.count_x, region.count_y, region.first_x, region.first_y, grid.nx, grid.ny));
  return region;
}

}  // namespace

TileImage::TileImage(const Stream& stream, const TilePlan& plan, const ImageGrid& grid, const PixelRegion& region,
                     bool in_double)
    : stream_(stream), plan_(plan), grid_(grid), region_(resolve(region, grid)), in_double_(in_double) {
  const std::size_t first_x = region_.first_x / plan.tile_x, first_y = region_.first_y / plan.tile_y;
  const std::size_t tiles_x = (region_.first_x + region_.count_x - 1) / plan.tile_x + 1 - first_x;
  const std::size_t tiles_y = (region_.first_y + region_.count_y - 1) / plan.tile_y + 1 - first_y;
  tiles_ = tiles_x * tiles_y * grid.nz;
  if (tiles_ > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    throw UsageError(fmt::format("an image of {} tiles is more than one run can form; use regions", tiles_));
  lattice_ = {grid.x(0),
              grid.y(0),
              grid.z(0),
              grid.dx,
              grid.dy,
              grid.dz,
              static_cast<int>(tiles_x),
              static_cast<int>(tiles_y),
              static_cast<int>(first_x),
              static_cast<int>(first_y)};
  const std::size_t pixels = tiles_ * plan.tile_pixels();
  pixels_ =
      in_double ? Buffer::of<std::complex<double>>(stream, pixels) : Buffer::of<std::complex<float>>(stream, pixels);
  pixels_.zero(stream);
  upload_heights(grid);
}

void TileImage::upload_heights(const ImageGrid& grid) {
  if (grid.heights.empty()) {
    heights_ = tile_heights_ = Buffer::from(stream_, std::vector<float>{0.0f});
    return;
  }
  std::vector<float> heights, means;
  heights.resize(tiles_ * plan_.tile_pixels());
  for (int ty = 0; ty < lattice_.tiles_y; ++ty) {
    for (int tx = 0; tx < lattice_.tiles_x; ++tx) {
      double sum = 0;
      for (std::size_t v = 0; v < plan_.tile_y; ++v) {
        const std::size_t j = std::min(static_cast<std::size_t>(ty + lattice_.first_y) * plan_.tile_y + v, grid.ny - 1);
        for (std::size_t u = 0; u < plan_.tile_x; ++u) {
          const std::size_t i =
              std::min(static_cast<std::size_t>(tx + lattice_.first_x) * plan_.tile_x + u, grid.nx - 1);
          const float height = grid.heights[j * grid.nx + i];
          heights[means.size() * plan_.tile_pixels() + plan_.place(u, v)] = height;
          sum += static_cast<double>(height);
        }
      }
      means.push_back(static_cast<float>(sum / static_cast<double>(plan_.tile_pixels())));
    }
  }
  heights_ = Buffer::from(stream_, heights);
  tile_heights_ = Buffer::from(stream_, means);
}

Image TileImage::download() const {
  Image image;
  image.grid = grid_;
  image.grid.nx = region_.count_x, image.grid.ny = region_.count_y;
  image.grid.centre.x() = 0.5 * (grid_.x(region_.first_x) + grid_.x(region_.first_x + region_.count_x - 1));
  image.grid.centre.y() = 0.5 * (grid_.y(region_.first_y) + grid_.y(region_.first_y + region_.count_y - 1));
  if (!grid_.heights.empty()) {
    image.grid.heights.clear();
    for (std::size_t j = 0; j < region_.count_y; ++j) {
      const auto from =
          grid_.heights.begin() + static_cast<std::ptrdiff_t>((region_.first_y + j) * grid_.nx + region_.first_x);
      image.grid.heights.insert(image.grid.heights.end(), from, from + static_cast<std::ptrdiff_t>(region_.count_x));
    }
  }
  image.pixels.resize(image.grid.pixels());

  // One row of tiles at a time bounds the host's second copy.
  const std::size_t tiles_x = static_cast<std::size_t>(lattice_.tiles_x), row_pixels = tiles_x * plan_.tile_pixels();
  const std::size_t pixel_bytes = in_double_ ? sizeof(std::complex<double>) : sizeof(std::complex<float>);
  std::vector<std::complex<double>> wide(in_double_ ? row_pixels : 0);
  std::vector<std::complex<float>> narrow(in_double_ ? 0 : row_pixels);
  for (std::size_t row = 0; row < grid_.nz * static_cast<std::size_t>(lattice_.tiles_y); ++row) {
    const std::size_t k = row / static_cast<std::size_t>(lattice_.tiles_y);
    const std::size_t line =
        (row % static_cast<std::size_t>(lattice_.tiles_y) + static_cast<std::size_t>(lattice_.first_y)) * plan_.tile_y;
    void* target = in_double_ ? static_cast<void*>(wide.data()) : static_cast<void*>(narrow.data());
    pixels_.read(target, row_pixels * pixel_bytes, row * row_pixels * pixel_bytes);
    for (std::size_t v = 0; v < plan_.tile_y; ++v) {
      if (line + v < region_.first_y || line + v >= region_.first_y + region_.count_y) continue;
      std::complex<double>* out =
          image.pixels.data() + (k * region_.count_y + line + v - region_.first_y) * region_.count_x;
      for (std::size_t i = 0; i < region_.count_x; ++i) {
        const std::size_t x = region_.first_x + i - static_cast<std::size_t>(lattice_.first_x) * plan_.tile_x;
        const std::size_t at = x / plan_.tile_x * plan_.tile_pixels() + plan_.place(x % plan_.tile_x, v);
        out[i] = in_double_ ? wide[at] : std::complex<double>(narrow[at]);
        if (!std::isfinite(out[i].real()) || !std::isfinite(out[i].imag()))
          throw NumericalError(
              fmt::format("pixel ({}, {}, {}) of the image is not finite", i, line + v - region_.first_y, k));
      }
    }
  }
  return image;
}

}  // namespace rtcg::radar
