// Lp pooling (sthor's lpool): out = (sum over a window of |in|^order)^(1 / order), each channel on its own. Order 1 is
// the plain sum, with signs; a high order tends to the maximum. Windows whose powers leave single precision are summed
// again in units of their maximum, so that no order overflows or underflows.
#pragma once

#include "rtcg/array/array.h"
#include "vision/filterbank_shape.h"

namespace rtcg::vision {

struct Pooling {
  std::size_t height = 3, width = 3;  ///< of the window
  double order = 1;                   ///< any positive number
  std::size_t stride_y = 1, stride_x = 1;
  Border border = Border::valid;  ///< or zero: at stride 1 as large as the images

  /// UsageError for an empty window, a zero stride, an order that is not positive and finite, other borders.
  void check() const;
  bool operator==(const Pooling&) const = default;
};

/// images [image, y, x, channel] of any real or integer type; float32 [image, 1 + (y - height) / stride_y, 1 + (x -
/// width) / stride_x, channel]. UsageError for other shapes and for windows larger than the images.
Array pool(const Array& images, const Pooling& pooling);

}  // namespace rtcg::vision
