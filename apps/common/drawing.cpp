#ifdef RTCG_WITH_OPENCV
#include "apps/common/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"

namespace rtcg::app {

namespace {
constexpr int font = cv::FONT_HERSHEY_SIMPLEX;
}

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

Pen::Pen(cv::Mat& canvas, double size)
    : canvas_(canvas), size_(size), thickness_(std::max(1, static_cast<int>(std::lround(1.6 * size)))) {}

cv::Size Pen::extent(const std::string& text) const {
  int below = 0;
  return cv::getTextSize(text, font, size_, thickness_, &below);
}

std::string Pen::fitted(std::string text, int width) const {
  while (!text.empty() && extent(text).width > width) text.pop_back();
  return text;
}

void Pen::text(const std::string& text, double x, double middle, double alignment) {
  const cv::Size size = extent(text);
  cv::putText(canvas_, text,
              {static_cast<int>(std::lround(x - alignment * size.width)),
               static_cast<int>(std::lround(middle + 0.5 * size.height))},
              font, size_, ink, thickness_, cv::LINE_AA);
}

void Pen::upright_text(const std::string& words, double middle_x, double middle_y) {
  const cv::Size size = extent(words);
  cv::Mat flat(2 * size.height, size.width + 4, CV_8UC3, cv::Scalar::all(255)), turned;
  cv::putText(flat, words, {2, size.height + size.height / 2}, font, size_, ink, thickness_, cv::LINE_AA);
  cv::rotate(flat, turned, cv::ROTATE_90_COUNTERCLOCKWISE);
  const cv::Rect place(static_cast<int>(middle_x) - turned.cols / 2, static_cast<int>(middle_y) - turned.rows / 2,
                       turned.cols, turned.rows);
  const cv::Rect visible = place & cv::Rect(0, 0, canvas_.cols, canvas_.rows);
  turned(visible - place.tl()).copyTo(canvas_(visible));
}

void Pen::line(int x0, int y0, int x1, int y1) {
  cv::line(canvas_, {x0, y0}, {x1, y1}, ink, 1, cv::LINE_8);
}

void Pen::frame(const cv::Rect& plot) {
  cv::rectangle(canvas_, plot.tl() - cv::Point(1, 1), plot.br(), ink, 1, cv::LINE_8);
}

void write_png(const std::filesystem::path& file, const cv::Mat& canvas) {
  std::vector<std::uint8_t> bytes;
  if (!cv::imencode(".png", canvas, bytes))
    throw InputError(fmt::format("{}: the picture could not be encoded", file.string()));
  write_file(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace rtcg::app
#endif
