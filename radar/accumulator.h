// Adds blocks of range profiles to a tiled image: the part of imaging that costs pixels times pulses.
#pragma once

#include <memory>

#include "radar/tile_image.h"

namespace rtcg::radar {

class Accumulator {
 public:
  virtual ~Accumulator() = default;
  /// profiles: [count][nfft] complex in the precision of the image, of pulses first .. first + count.
  virtual void add(const Buffer& profiles, const Buffer& geometry, std::size_t first, std::size_t count) = 0;
};

/// {antenna x, y, z, r0, K, 1 / bin spacing} per pulse, doubles, as the kernels read it.
Buffer pulse_geometry(const Stream& stream, const Collection& collection, const ImagingOptions& options,
                      std::size_t nfft);

/// For blocks of at most `block` pulses of `samples` samples; `image` has to outlive it.
std::unique_ptr<Accumulator> make_accumulator(const Stream& stream, const TileImage& image, const ImageGrid& grid,
                                              const ImagingOptions& options, std::size_t samples, std::size_t nfft,
                                              std::size_t block);

}  // namespace rtcg::radar
