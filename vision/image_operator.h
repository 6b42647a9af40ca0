// What the operators on stacks of images share: the stack they read, whole and in single precision, with the border
// that was asked for already around it.
#pragma once

#include <string_view>

#include "rtcg/array/array.h"
#include "vision/filterbank_shape.h"

namespace rtcg::vision {

/// Contiguous float32 [image, y, x, channel], extended by zeros, (f - 1) / 2 before and the rest of f - 1 after, where
/// `border` is zero. UsageError that begins with `name` for arrays of other dimensions or complex numbers, and where a
/// window of height x width does not fit.
Array image_stack(std::string_view name, const Array& images, std::size_t height, std::size_t width, Border border);

/// Images of another size by taking the nearest: row y of the result is row round(y (rows - 1) / (height - 1)), columns
/// likewise; ties go to even (V1S, NumPy's round). The first where only one is wanted.
Array resample(const Array& images, std::size_t height, std::size_t width);

}  // namespace rtcg::vision
