// The problem a filterbank solves, as far as a kernel is made to measure for it: out[b, y, x, n] = sum over j, i, c of
// in[b, stride_y y + j, stride_x x + i, c] bank[n, j, i, c], a correlation (no flip) over all channels, channels
// fastest. Borders other than `valid` extend the image so that, at stride 1, responses are as large as the image: by (f
// - 1) / 2 (integer division) before it and the rest of f - 1 after it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rtcg::vision {

enum class Border {
  valid,      ///< no extension: only where the filter lies inside the image
  zero,       ///< 0 outside
  reflect,    ///< d c b | a b c d | c b a: the edge is not repeated
  replicate,  ///< a a a | a b c d | d d d
  wrap,       ///< b c d | a b c d | a b c
};
std::string_view name_of(Border border);
/// UsageError listing the names there are.
Border parse_border(std::string_view name);

struct FilterbankShape {
  std::size_t images = 1, height = 0, width = 0, channels = 1;
  std::size_t filters = 1, filter_height = 1, filter_width = 1;
  std::size_t stride_y = 1, stride_x = 1;
  Border border = Border::valid;

  std::size_t output_height() const;
  std::size_t output_width() const;
  std::size_t outputs() const { return images * output_height() * output_width() * filters; }
  /// Two for each multiply-add of each response.
  double flops() const;
  /// "1 x 256 x 256 x 8 by 64 x 9 x 9 x 8"
  std::string text() const;
  /// UsageError for a zero extent, a filter larger than the image under `valid`, one more than an image wider than what
  /// `reflect` or `wrap` can take from the image, or sizes that overflow.
  void check() const;

  bool operator==(const FilterbankShape&) const = default;
};

/// "256x256x8" as height, width, channels with "64x9x9x8" as filters, height, width, channels. UsageError saying what
/// is wrong with which text.
FilterbankShape parse_shape(std::string_view input, std::string_view bank);

}  // namespace rtcg::vision
