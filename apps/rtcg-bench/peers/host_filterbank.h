// Correlation with a bank of filters on the host, as a careful user would write it without the suite.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "vision/filterbank_shape.h"

namespace rtcg::bench {

/// A loop nest over threads, innermost over the filters, for which the bank is [y, x, channel, filter]; border `valid`.
void openmp_filterbank(const vision::FilterbankShape& shape, const float* images, const float* bank, float* responses);
/// Likewise, innermost over the columns, which is faster for few filters: images are [image, channel, y, x], the bank
/// is [filter, y, x, channel]; stride 1.
void openmp_planar_filterbank(const vision::FilterbankShape& shape, const float* images, const float* bank,
                              float* responses);

/// Channel by channel with OpenCV's filter2D on planar images, summed for each filter; planes and kernels are made
/// ahead. Empty where the suite is built without OpenCV. `bank` is [filter, y, x, channel].
std::function<void()> opencv_filterbank(const vision::FilterbankShape& shape, const std::vector<float>& images,
                                        const std::vector<float>& bank);

}  // namespace rtcg::bench
