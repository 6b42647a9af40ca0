// An image on the device, stored tile by tile ([tile][tile_y][tile_x]) so that every group of work-items owns one
// contiguous piece. Tiles lie on a lattice fixed by the whole grid; a region is the tiles it touches, so that its
// pixels get the same bits as in the whole image.
#pragma once

#include "radar/tile_plan.h"
#include "rtcg/device/buffer.h"

namespace rtcg::radar {

/// As kernels see it (tile_parameters.cl): position of pixel (0, 0, 0), spacings, tiles held and the first of them.
struct TileLattice {
  double x0, y0, z0, dx, dy, dz;
  int tiles_x, tiles_y, first_x, first_y;
};

class TileImage {
 public:
  TileImage(const Stream& stream, const TilePlan& plan, const ImageGrid& grid, const PixelRegion& region,
            bool in_double);

  const TilePlan& plan() const { return plan_; }
  const TileLattice& lattice() const { return lattice_; }
  std::size_t tiles() const { return tiles_; }
  const Buffer& pixels() const { return pixels_; }
  const Buffer& heights() const {
    return heights_;
  }  ///< m above the grid's plane, one float per pixel; one zero without heights
  const Buffer& tile_heights() const { return tile_heights_; }  ///< their mean over each tile

  /// The region's pixels in image order. NumericalError when one is not finite.
  Image download() const;

 private:
  void upload_heights(const ImageGrid& grid);

  Stream stream_;
  TilePlan plan_;
  ImageGrid grid_;
  PixelRegion region_;
  TileLattice lattice_{};
  std::size_t tiles_ = 0;
  bool in_double_;
  Buffer pixels_, heights_, tile_heights_;
};

}  // namespace rtcg::radar
