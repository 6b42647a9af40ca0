#include "apps/common/picture.h"

#include <fmt/format.h>

#include "rtcg/error.h"

#ifdef RTCG_WITH_OPENCV
#include <algorithm>
#include <cmath>
#include <limits>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <vector>

#include "rtcg/io/aside_file.h"
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

constexpr int font = cv::FONT_HERSHEY_SIMPLEX;
const cv::Scalar ink(30, 30, 30);

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

/// Round places between two ends, about `wanted` of them.
std::vector<double> ticks(double low, double high, double wanted) {
  const double rough = std::max((high - low) / wanted, 1e-12), decade = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * decade;
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * decade >= rough) {
      step = factor * decade;
      break;
    }
  std::vector<double> places;
  for (double n = std::ceil(low / step - 1e-9); n * step <= high + 1e-9 * step; ++n)
    places.push_back(n == 0 ? 0.0 : n * step);
  return places;
}

/// Draws on the canvas in one size of letters.
class Pen {
 public:
  Pen(cv::Mat& canvas, double size)
      : canvas_(canvas), size_(size), thickness_(std::max(1, static_cast<int>(std::lround(1.6 * size)))) {}

  cv::Size extent(const std::string& text) const {
    int below = 0;
    return cv::getTextSize(text, font, size_, thickness_, &below);
  }
  /// Horizontal alignment: 0 left, 0.5 centre, 1 right; `middle` is the height of the letters' centre.
  void text(const std::string& text, double x, double middle, double alignment) {
    const cv::Size size = extent(text);
    cv::putText(canvas_, text,
                {static_cast<int>(std::lround(x - alignment * size.width)),
                 static_cast<int>(std::lround(middle + 0.5 * size.height))},
                font, size_, ink, thickness_, cv::LINE_AA);
  }
  void upright_text(const std::string& words, double middle_x, double middle_y) {
    const cv::Size size = extent(words);
    cv::Mat flat(2 * size.height, size.width + 4, CV_8UC3, cv::Scalar::all(255)), turned;
    cv::putText(flat, words, {2, size.height + size.height / 2}, font, size_, ink, thickness_, cv::LINE_AA);
    cv::rotate(flat, turned, cv::ROTATE_90_COUNTERCLOCKWISE);
    const cv::Rect place(static_cast<int>(middle_x) - turned.cols / 2, static_cast<int>(middle_y) - turned.rows / 2,
                         turned.cols, turned.rows);
    const cv::Rect visible = place & cv::Rect(0, 0, canvas_.cols, canvas_.rows);
    turned(visible - place.tl()).copyTo(canvas_(visible));
  }
  void line(int x0, int y0, int x1, int y1) { cv::line(canvas_, {x0, y0}, {x1, y1}, ink, 1, cv::LINE_8); }
  void frame(const cv::Rect& plot) {
    cv::rectangle(canvas_, plot.tl() - cv::Point(1, 1), plot.br(), ink, 1, cv::LINE_8);
  }

 private:
  cv::Mat& canvas_;
  double size_;
  int thickness_;
};

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

  std::string title = picture.title;
  while (!title.empty() && pen.extent(title).width > plot_width) title.pop_back();
  pen.text(title, left, top - 1.1 * letter, 0);
  return canvas;
}

}  // namespace

bool pictures_available() {
  return true;
}

void write_picture(const std::filesystem::path& file, const Picture& picture) {
  check(file, picture);
  std::vector<std::uint8_t> bytes;
  if (!cv::imencode(".png", draw(picture), bytes))
    throw InputError(fmt::format("{}: the picture could not be encoded", file.string()));
  write_file(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

#endif

}  // namespace rtcg::app
