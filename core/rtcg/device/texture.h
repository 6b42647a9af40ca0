// Images read through the texture unit (or its emulation on a CPU), with linear filtering where asked.
// Kernels declare `read_only image2d_t` or `image3d_t` and read with read_imagef; the prelude gives CUDA the same
// words. Coordinates are unnormalised: the centre of the first texel is at 0.5; integer coordinates name texels, with
// nearest only.
//
// CUDA takes filter and edge from the TextureDescription, OpenCL from the kernel's sampler: declare it as
// `const sampler_t s = RTCG_SAMPLER(linear, clamp);` with the words of the description, and both agree:
//   nearest  the texel whose square holds the point; linear  bilinear or trilinear between the nearest texel centres,
//            with 8 bits of fraction on a GPU, so within 2^-8 of the texels' difference for each axis, and exact on
//            PoCL;
//   clamp    outside reads the nearest texel of the edge; zero  outside reads 0, also as a neighbour of linear.
// Channels that the texture lacks are undefined.
#pragma once

#include <memory>
#include <span>

#include "rtcg/device/stream.h"

namespace rtcg {

class Texture {
 public:
  /// Throws DeviceError where the device has no images, UsageError for 3 channels or zero extents.
  Texture(const Stream& stream, const TextureDescription& description);
  const TextureDescription& description() const;
  std::size_t bytes() const;
  /// The whole texture, x fastest, channels interleaved; blocks.
  void write(const void* texels, std::size_t bytes) const;
  template <class T>
  void write(std::span<const T> texels) const {
    write(texels.data(), texels.size_bytes());
  }
  const Handle* argument() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rtcg
