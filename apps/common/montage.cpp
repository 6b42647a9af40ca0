#include "apps/common/montage.h"

#include <fmt/format.h>

#include "rtcg/error.h"

#ifdef RTCG_WITH_OPENCV
#include <algorithm>
#include <cmath>
#include <iterator>

#include "apps/common/drawing.h"
#endif

namespace rtcg::app {

#ifndef RTCG_WITH_OPENCV

void write_montage(const std::filesystem::path& file, const Montage&) {
  throw UsageError(fmt::format(
      "{}: this build has no OpenCV and so draws no pictures (configure with RTCG_WITH_OPENCV=ON)", file.string()));
}

#else

namespace {

constexpr int canvas_width = 1400, margin = 24, gap = 4, line = 34;
constexpr double letter_size = 0.6;
constexpr int wanted_tile = 120;  // pixels

struct Scale {
  double low = 0, high = 1;
};

/// Leaves the most extreme pixels, one in 200 at each end, beyond the scale: a few of them would darken all the rest.
Scale scale_of(const Montage::Block& block) {
  std::vector<float> finite;
  std::copy_if(block.values.begin(), block.values.end(), std::back_inserter(finite),
               [](float v) { return std::isfinite(v); });
  if (finite.empty()) return {};
  const auto quantile = [&](double share) {
    const auto at = finite.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(finite.size() - 1));
    std::nth_element(finite.begin(), at, finite.end());
    return static_cast<double>(*at);
  };
  double low = quantile(0.005), high = quantile(0.995);
  if (block.is_signed) high = std::max(std::abs(low), std::abs(high)), low = -high;
  if (low == high) low -= 1, high += 1;
  return {low, high};
}

/// How a block is laid out: tiles by rows, all as large as fits in few rows.
struct Layout {
  std::size_t shown = 0, columns = 1, rows = 1;
  cv::Size tile;
  int height() const { return line + static_cast<int>(rows) * (tile.height + gap); }
};

Layout layout_of(const Montage::Block& block) {
  Layout layout;
  layout.shown = std::min(block.tiles, most_tiles);
  constexpr int room = canvas_width - 2 * margin;
  // Images need more room than filters; a few tiles may be larger still.
  const std::size_t wanted = std::max(block.height, block.width) > 100 ? 6 : 12;
  const int fair = room / static_cast<int>(std::min(layout.shown, wanted)) - gap;
  const double largest = static_cast<double>(std::max(block.height, block.width));
  double factor = std::min(fair, 400) / largest;
  if (factor > 1) factor = std::floor(factor);  // pixels stay squares of equal size
  layout.tile = {std::max(1, static_cast<int>(std::lround(factor * static_cast<double>(block.width)))),
                 std::max(1, static_cast<int>(std::lround(factor * static_cast<double>(block.height))))};
  layout.columns = std::clamp<std::size_t>(static_cast<std::size_t>(room / (layout.tile.width + gap)), 1, layout.shown);
  layout.rows = (layout.shown + layout.columns - 1) / layout.columns;
  layout.columns = (layout.shown + layout.rows - 1) / layout.rows;
  return layout;
}

cv::Mat draw_tile(const float* values, const Montage::Block& block, const Scale& scale, cv::Size size) {
  const cv::Mat source(static_cast<int>(block.height), static_cast<int>(block.width), CV_32F,
                       const_cast<float*>(values));  // only read
  cv::Mat grey, picture;
  const double slope = 255 / (scale.high - scale.low);
  source.convertTo(grey, CV_8U, slope, -slope * scale.low);
  cv::cvtColor(grey, picture, cv::COLOR_GRAY2BGR);
  for (int y = 0; y < source.rows; ++y)
    for (int x = 0; x < source.cols; ++x)
      if (!std::isfinite(source.at<float>(y, x))) picture.at<cv::Vec3b>(y, x) = {40, 39, 214};
  cv::Mat sized;
  cv::resize(picture, sized, size, 0, 0, size.width < source.cols ? cv::INTER_AREA : cv::INTER_NEAREST);
  return sized;
}

}  // namespace

void write_montage(const std::filesystem::path& file, const Montage& montage) {
  std::vector<Layout> layouts;
  int height = margin + line;
  for (const Montage::Block& block : montage.blocks) {
    if (block.tiles == 0 || block.values.size() != block.tiles * block.height * block.width)
      throw UsageError(fmt::format("{}: {} values for {} tiles of {} x {}", file.string(), block.values.size(),
                                   block.tiles, block.height, block.width));
    layouts.push_back(layout_of(block));
    height += layouts.back().height() + margin;
  }
  cv::Mat canvas(height, canvas_width, CV_8UC3, cv::Scalar::all(255));
  Pen pen(canvas, letter_size);
  pen.text(pen.fitted(montage.title, canvas_width - 2 * margin), margin, margin, 0);
  int top = margin + line;
  for (std::size_t b = 0; b < montage.blocks.size(); ++b) {
    const Montage::Block& block = montage.blocks[b];
    const Layout& layout = layouts[b];
    const Scale scale = scale_of(block);
    const std::string part = layout.shown < block.tiles ? fmt::format(", the first {}", layout.shown) : "";
    pen.text(
        pen.fitted(fmt::format("{}{}: black is {:.3g}, white is {:.3g}", block.heading, part, scale.low, scale.high),
                   canvas_width - 2 * margin),
        margin, top + line / 3, 0);
    for (std::size_t k = 0; k < layout.shown; ++k) {
      const cv::Point corner(margin + static_cast<int>(k % layout.columns) * (layout.tile.width + gap),
                             top + line + static_cast<int>(k / layout.columns) * (layout.tile.height + gap));
      draw_tile(block.values.data() + k * block.height * block.width, block, scale, layout.tile)
          .copyTo(canvas(cv::Rect(corner, layout.tile)));
    }
    top += layout.height() + margin;
  }
  write_png(file, canvas);
}

#endif

}  // namespace rtcg::app
