// The kernels of one Fourier transform for one kind of layout, in order: one stage, the stages of a longer row, or
// those of Bluestein's convolution. Intermediate rows lie in one or two work areas.
#pragma once

#include <optional>
#include <vector>

#include "rtcg/array/fft.h"
#include "rtcg/array/fft_stage.h"
#include "rtcg/array/loop_shape.h"

namespace rtcg::detail {

/// What the kernels may rely on.
struct FftLayout {
  bool in_unit = true, out_unit = true;    ///< elements of a row are neighbours in memory
  bool in_near = false, out_near = false;  ///< rows are closer together than elements
  bool has_inner = false, wide = false;
  LoopShape loops = LoopShape::gpu;
  auto operator<=>(const FftLayout&) const = default;
};

class FftChain {
 public:
  /// The tables belong to `tables`.
  FftChain(const Stream& tables, const FftShape& shape, const FftLayout& layout);
  /// Ranges have been checked; layouts are of the kind given.
  void operator()(const Stream& stream, const FftRows& input, const FftRows& output, std::size_t outer,
                  std::size_t inner, double scale) const;

 private:
  enum class Place { input, output, first_work, second_work };
  struct Link {
    FftStage stage;
    FftTile tile;
    Place from, to;
    Buffer tables;
    std::optional<Kernel> kernel;
  };

  void add_transform(std::size_t length, const FftStage& first, const FftStage& last, Place from, Place to, Place work);
  void add_convolution();
  void add(FftStage stage, Place from, Place to);
  bool is_near(Place place) const;
  std::size_t longest(Place from, Place to) const;
  void launch(const Link& link, const Stream& stream, const FftRows& from, const FftRows& to, std::size_t outer,
              std::size_t inner, double scale) const;

  Stream tables_;
  DeviceProperties properties_;  ///< with the loop shape asked for
  FftShape shape_;
  FftLayout layout_;
  int sign_;
  std::size_t work_length_ = 0;  ///< elements of a row in a work area
  bool uses_work_[2] = {false, false};
  std::vector<Link> links_;
};

}  // namespace rtcg::detail
