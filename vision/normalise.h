// Local contrast-divisive normalisation over a window of all channels: each value less the window's mean (where asked
// for), divided by the window's norm. With M values in a window, S their sum and Q the sum of their squares,
//
//   with remove_mean: num = centre - S / M, l2 = sqrt(max(Q - S^2 / M, 0)) + epsilon;  without: centre, sqrt(Q) +
//   epsilon both are multiplied by `stretch`; where l2 < threshold + epsilon, l2 = 1;  out = num / l2
//
// (lcdnorm of sthor and V1S). The variance is summed about means of pixels and columns, never as Q - S^2 / M, which
// cancels in single precision for bright flat images.
#pragma once

#include "rtcg/array/array.h"
#include "vision/filterbank_shape.h"

namespace rtcg::vision {

struct Normalisation {
  std::size_t height = 3, width = 3;  ///< of the window
  bool remove_mean = false;
  double stretch = 1, threshold = 1, epsilon = 1e-4;
  Border border = Border::valid;  ///< or zero: zeros around the image, which count as values of the window

  /// UsageError for an empty window, a stretch or an epsilon that is not positive, a negative threshold, other borders.
  void check() const;
  bool operator==(const Normalisation&) const = default;
};

/// images [image, y, x, channel] of any real or integer type; float32 [image, y - height + 1, x - width + 1, channel]
/// with border `valid`, as large as the images with `zero`. The window of output (y, x) starts at (y, x), its centre is
/// (height / 2, width / 2). UsageError for other shapes and for windows larger than the images.
Array normalise(const Array& images, const Normalisation& normalisation);

}  // namespace rtcg::vision
