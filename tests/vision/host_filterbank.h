// The filterbank on the host, written for clarity: pad as the border says, then correlate where the filter fits.
#pragma once

#include <vector>

#include "vision/filterbank_shape.h"

namespace rtcg::vision::test {

/// Element `at` of a row of `extent` under a border, by walking in from outside; -1 where it is zero.
inline std::ptrdiff_t walk_in(std::ptrdiff_t at, std::ptrdiff_t extent, Border border) {
  if (at >= 0 && at < extent) return at;
  switch (border) {
    case Border::reflect: {  // bounce off the first and the last element
      std::ptrdiff_t place = 0, step = at < 0 ? 1 : -1;
      if (at >= 0) place = extent - 1;
      for (std::ptrdiff_t left = at < 0 ? -at : at - (extent - 1); left > 0; --left) place += step;
      return place;
    }
    case Border::replicate:
      while (at < 0) ++at;
      while (at >= extent) --at;
      return at;
    case Border::wrap:
      while (at < 0) at += extent;
      while (at >= extent) at -= extent;
      return at;
    default:
      return -1;
  }
}

/// images [image, y, x, channel], bank [filter, y, x, channel], sums in Sum; responses [image, y, x, filter].
template <class Sum, class T>
std::vector<Sum> host_filterbank(const FilterbankShape& shape, const std::vector<T>& images,
                                 const std::vector<T>& bank) {
  const auto whole = [](std::size_t n) { return static_cast<std::ptrdiff_t>(n); };
  const std::ptrdiff_t height = whole(shape.height), width = whole(shape.width), channels = whole(shape.channels);
  const std::ptrdiff_t fh = whole(shape.filter_height), fw = whole(shape.filter_width), filters = whole(shape.filters);
  const std::ptrdiff_t top = shape.border == Border::valid ? 0 : (fh - 1) / 2;
  const std::ptrdiff_t left = shape.border == Border::valid ? 0 : (fw - 1) / 2;
  const std::ptrdiff_t padded_height = shape.border == Border::valid ? height : height + fh - 1;
  const std::ptrdiff_t padded_width = shape.border == Border::valid ? width : width + fw - 1;
  std::vector<Sum> responses, padded(static_cast<std::size_t>(padded_height * padded_width * channels));
  for (std::ptrdiff_t b = 0; b < whole(shape.images); ++b) {
    for (std::ptrdiff_t y = 0; y < padded_height; ++y)
      for (std::ptrdiff_t x = 0; x < padded_width; ++x)
        for (std::ptrdiff_t c = 0; c < channels; ++c) {
          const std::ptrdiff_t from_y = walk_in(y - top, height, shape.border);
          const std::ptrdiff_t from_x = walk_in(x - left, width, shape.border);
          padded[(y * padded_width + x) * channels + c] =
              from_y < 0 || from_x < 0 ? Sum{0} : Sum(images[((b * height + from_y) * width + from_x) * channels + c]);
        }
    for (std::ptrdiff_t y = 0; y + fh <= padded_height; y += whole(shape.stride_y))
      for (std::ptrdiff_t x = 0; x + fw <= padded_width; x += whole(shape.stride_x))
        for (std::ptrdiff_t n = 0; n < filters; ++n) {
          Sum sum = 0;
          for (std::ptrdiff_t j = 0; j < fh; ++j)
            for (std::ptrdiff_t i = 0; i < fw; ++i)
              for (std::ptrdiff_t c = 0; c < channels; ++c)
                sum += padded[((y + j) * padded_width + x + i) * channels + c] *
                       Sum(bank[((n * fh + j) * fw + i) * channels + c]);
          responses.push_back(sum);
        }
  }
  return responses;
}

}  // namespace rtcg::vision::test
