#include "apps/common/picture.h"

#include <fmt/format.h>

#include "rtcg/error.h"

#ifdef RTCG_WITH_OPENCV
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "apps/common/drawing.h"
#endif

namespace rtcg::app {

ColourMap parse_colour_map(std::string_view text) {
  if (text == "grey") return ColourMap::grey;
  if (text == "viridis") return ColourMap::viridis;
  throw UsageError(fmt::format("colour map '{}': unknown; there are grey and viridis", text));
}

#ifndef RTCG_WITH_OPENCV

bool pictures_available() {
  return false;
}

void write_picture(const std::filesystem::path& file, const Picture&) {
  throw UsageError(fmt::format(
      "{}: this build has no OpenCV and so writes no pictures (configure with RTCG_WITH_OPENCV=ON)", file.string()));
}

#else

namespace {

/// Pixels of the plot for pixels of the image; whole multiples when enlarging.
struct Scale {
  double x = 1, y = 1;
  int width = 1, height = 1;
};

Scale choose_scale(const Picture& picture) {
  constexpr double least = 800, most = 3000;
  const double wide = static_cast<double>(picture.nx) * picture.dx, high = static_cast<double>(picture.ny) * picture.dy;
  const double finest = std::min(picture.dx, picture.dy);
  double per_metre = 1 / finest;
  const double longest = std::max(wide, high);
  if (longest * per_metre < least) per_metre *= std::floor(least / (longest * per_metre));
  if (longest * per_metre > most) per_metre = most / longest;
  Scale scale;
  scale.width = std::max(1, static_cast<int>(std::lround(wide * per_metre)));
  scale.height = std::max(1, static_cast<int>(std::lround(high * per_metre)));
  scale.x = scale.width / static_cast<double>(picture.nx), scale.y = scale.height / static_cast<double>(picture.ny);
  return scale;
}

/// First and last + 1 of the image's pixels that plot pixel n shows.
std::pair<std::size_t, std::size_t> covered(int n, double scale, std::size_t count) {
  const auto first = static_cast<std::size_t>((n + 1e-9) / scale);
  const auto last = static_cast<std::size_t>(std::ceil((n + 1) / scale - 1e-9));
  return {std::min(first, count - 1), std::clamp(last, first + 1, std::max(first + 1, count))};
}

cv::Mat shade(const Picture& picture, const Scale& scale) {
  cv::Mat grey(scale.height, scale.width, CV_8UC1);
  for (int row = 0; row < scale.height; ++row) {
    const auto [j0, j1] = covered(scale.height - 1 - row, scale.y, picture.ny);
    for (int column = 0; column < scale.width; ++column) {
      const auto [i0, i1] = covered(column, scale.x, picture.nx);
      float strongest = -std::numeric_limits<float>::infinity();
      for (std::size_t j = j0; j < std::min(j1, picture.ny); ++j)
        for (std::size_t i = i0; i < std::min(i1, picture.nx); ++i)
          strongest = std::fmax(strongest, picture.decibels[j * picture.nx + i]);
      const double level = 1 + (static_cast<double>(strongest) - picture.top_db) / picture.range_db;
      grey.at<std::uint8_t>(row, column) = static_cast<std::uint8_t>(std::lround(255 * std::clamp(level, 0.0, 1.0)));
    }
  }
  return grey;
}

cv::Mat colour(const cv::Mat& grey, ColourMap map) {
  cv::Mat result;
  if (map == ColourMap::viridis)
    cv::applyColorMap(grey, result, cv::COLORMAP_VIRIDIS);
  else
    cv::cvtColor(grey, result, cv::COLOR_GRAY2BGR);
  return result;
}

void check(const std::filesystem::path& file, const Picture& picture) {
  const bool extents = picture.nx > 0 && picture.ny > 0 && picture.decibels.size() == picture.nx * picture.ny;
  if (!extents || !(picture.dx > 0) || !(picture.dy > 0) || !(picture.range_db > 0) ||
      !std::isfinite(picture.dx + picture.dy + picture.range_db + picture.top_db))
    throw UsageError(fmt::format(
        "{}: a picture of {} x {} pixels at {:g} x {:g} m over {:g} dB cannot be drawn from {} values", file.string(),
        picture.nx, picture.ny, picture.dx, picture.dy, picture.range_db, picture.decibels.size()));
}

cv::Mat draw(const Picture& picture) {
  const Scale scale = choose_scale(picture);
  const double size = std::clamp(std::max(scale.width, scale.height) / 1500.0, 0.55, 1.6);
  const int letter = static_cast<int>(22 * size), left = static_cast<int>(5.8 * letter),
            top = static_cast<int>(2.3 * letter), bottom = static_cast<int>(3.6 * letter);
  const int bar_gap = static_cast<int>(1.2 * letter), bar_width = letter, right = bar_gap + bar_width + 5 * letter;
  const int plot_height = std::max(scale.height, 8 * letter), plot_width = std::max(scale.width, 8 * letter);

  cv::Mat canvas(top + plot_height + bottom, left + plot_width + right, CV_8UC3, cv::Scalar::all(255));
  Pen pen(canvas, size);
  const cv::Rect plot(left + (plot_width - scale.width) / 2, top + (plot_height - scale.height) / 2, scale.width,
                      scale.height);
  colour(shade(picture, scale), picture.colours).copyTo(canvas(plot));
  pen.frame(plot);

  const double half = 0.5, x_low = picture.x_first - half * picture.dx,
               x_high = x_low + static_cast<double>(picture.nx) * picture.dx;
  const double y_low = picture.y_first - half * picture.dy,
               y_high = y_low + static_cast<double>(picture.ny) * picture.dy;
  for (const double x : ticks(x_low, x_high, std::clamp(scale.width / (5.0 * letter), 1.0, 8.0))) {
    const int at = plot.x + static_cast<int>((x - x_low) / (x_high - x_low) * plot.width);
    pen.line(at, plot.br().y, at, plot.br().y + letter / 3);
    pen.text(fmt::format("{:g}", x), at, plot.br().y + letter, 0.5);
  }
  for (const double y : ticks(y_low, y_high, std::clamp(scale.height / (3.0 * letter), 1.0, 8.0))) {
    const int at = plot.y + static_cast<int>((y_high - y) / (y_high - y_low) * plot.height);
    pen.line(plot.x - letter / 3, at, plot.x - 1, at);
    pen.text(fmt::format("{:g}", y), plot.x - 0.6 * letter, at, 1);
  }
  pen.text("x (m)", plot.x + 0.5 * plot.width, plot.br().y + 2.5 * letter, 0.5);
  pen.upright_text("y (m)", 0.9 * letter, plot.y + 0.5 * plot.height);

  const cv::Rect bar(left + plot_width + bar_gap, top, bar_width, plot_height);
  cv::Mat ramp(bar.height, bar.width, CV_8UC1);
  for (int row = 0; row < bar.height; ++row)
    ramp.row(row).setTo(std::lround(255.0 * (bar.height - 1 - row) / std::max(1, bar.height - 1)));
  colour(ramp, picture.colours).copyTo(canvas(bar));
  pen.frame(bar);
  for (const double level :
       ticks(picture.top_db - picture.range_db, picture.top_db, std::clamp(bar.height / (4.0 * letter), 1.0, 6.0))) {
    const int at = bar.y + static_cast<int>((picture.top_db - level) / picture.range_db * (bar.height - 1));
    pen.line(bar.br().x, at, bar.br().x + letter / 3, at);
    pen.text(fmt::format("{:g}", level), bar.br().x + 0.6 * letter, at, 0);
  }
  pen.text("dB", bar.x + 0.5 * bar.width, bar.y - letter, 0.5);

  pen.text(pen.fitted(picture.title, plot_width), left, top - 1.1 * letter, 0);
  return canvas;
}

}  // namespace

bool pictures_available() {
  return true;
}

void write_picture(const std::filesystem::path& file, const Picture& picture) {
  check(file, picture);
  write_png(file, draw(picture));
}

#endif

}  // namespace rtcg::app
