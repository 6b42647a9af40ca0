#include "apps/common/chart.h"

#include <fmt/format.h>

#include "rtcg/error.h"

#ifdef RTCG_WITH_OPENCV
#include <algorithm>
#include <cmath>
#include <limits>

#include "apps/common/drawing.h"
#endif

namespace rtcg::app {

#ifndef RTCG_WITH_OPENCV

void write_chart(const std::filesystem::path& file, const Chart&) {
  throw UsageError(fmt::format(
      "{}: this build has no OpenCV and so draws no charts (configure with RTCG_WITH_OPENCV=ON)", file.string()));
}

#else

namespace {

constexpr int width = 1280, height = 800, letter = 18;
constexpr double letter_size = 0.55;

cv::Scalar colour_of(Chart::Colour colour) {
  switch (colour) {  // blue, green, red as OpenCV orders them
    case Chart::Colour::blue:
      return {180, 119, 31};
    case Chart::Colour::orange:
      return {14, 127, 255};
    case Chart::Colour::green:
      return {44, 140, 44};
    case Chart::Colour::red:
      return {40, 39, 214};
    default:
      return {127, 127, 127};
  }
}

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void include(double value) { low = std::min(low, value), high = std::max(high, value); }
  double share(double value) const { return (value - low) / (high - low); }
  void widen(double share_of_extent) {
    const double extent = high - low,
                 margin = extent > 0 ? share_of_extent * extent : 0.5 * std::max(1.0, std::abs(low));
    low -= margin, high += margin;
  }
};

double scaled(const Chart& chart, double y) {
  return chart.logarithmic ? std::log10(y) : y;
}

struct Ranges {
  Range x, y;
};

Ranges ranges_of(const std::filesystem::path& file, const Chart& chart) {
  Ranges ranges;
  for (const Chart::Series& series : chart.series) {
    const bool has_heights = series.mark != Chart::Mark::at_edge;
    if (has_heights && series.x.size() != series.y.size())
      throw UsageError(fmt::format("{}: \"{}\" has {} places and {} heights", file.string(), series.name,
                                   series.x.size(), series.y.size()));
    for (std::size_t n = 0; n < series.x.size(); ++n) {
      const double x = series.x[n], y = has_heights ? series.y[n] : 1;
      if (!std::isfinite(x) || !std::isfinite(y) || (chart.logarithmic && y <= 0))
        throw UsageError(fmt::format("{}: \"{}\" has a point at ({:g}, {:g}), which cannot be drawn", file.string(),
                                     series.name, x, y));
      if (series.mark != Chart::Mark::level) ranges.x.include(x);
      if (has_heights) ranges.y.include(scaled(chart, y));
    }
  }
  if (ranges.x.low > ranges.x.high) throw UsageError(file.string() + ": a chart of no points");
  if (ranges.y.low > ranges.y.high) ranges.y.include(0);
  ranges.x.widen(0.02), ranges.y.widen(0.06);
  return ranges;
}

/// Heights to be labelled: round ones; over decades the 1, 2 and 5 of each.
std::vector<double> levels(const Chart& chart, const Range& y) {
  if (!chart.logarithmic) return ticks(y.low, y.high, 8);
  std::vector<double> result;
  for (int decade = static_cast<int>(std::floor(y.low)); decade <= y.high; ++decade)
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double level = decade + std::log10(factor);
      if (level >= y.low && level <= y.high) result.push_back(level);
    }
  if (result.size() >= 2) return result;
  result.clear();  // less than a decade
  for (const double level : ticks(std::pow(10.0, y.low), std::pow(10.0, y.high), 6))
    if (level > 0) result.push_back(std::log10(level));
  return result;
}

class Plot {
 public:
  Plot(cv::Mat& canvas, const cv::Rect& place, const Chart& chart, const Ranges& ranges)
      : canvas_(canvas), place_(place), chart_(chart), ranges_(ranges) {}

  cv::Point at(double x, double scaled_y) const {
    return {place_.x + static_cast<int>(std::lround(ranges_.x.share(x) * place_.width)),
            place_.br().y - static_cast<int>(std::lround(ranges_.y.share(scaled_y) * place_.height))};
  }
  void draw(const Chart::Series& series) {
    const cv::Scalar colour = colour_of(series.colour);
    cv::Point last;
    for (std::size_t n = 0; n < series.x.size(); ++n) {
      const bool has_height = series.mark != Chart::Mark::at_edge;
      const cv::Point point = at(series.x[n], has_height ? scaled(chart_, series.y[n]) : ranges_.y.high);
      if (series.mark == Chart::Mark::level) {
        for (int x = place_.x; x < place_.br().x; x += 14)
          cv::line(canvas_, {x, point.y}, {std::min(x + 8, place_.br().x), point.y}, colour, 1, cv::LINE_AA);
        break;
      }
      if (series.mark == Chart::Mark::steps && n > 0) {
        cv::line(canvas_, last, {point.x, last.y}, colour, 2, cv::LINE_AA);
        cv::line(canvas_, {point.x, last.y}, point, colour, 2, cv::LINE_AA);
      }
      if (series.mark == Chart::Mark::line && n > 0) cv::line(canvas_, last, point, colour, 2, cv::LINE_AA);
      if (series.mark != Chart::Mark::steps)
        mark(series.mark, point + cv::Point(0, has_height ? 0 : letter / 2), colour);
      last = point;
    }
  }
  /// The sign of a series for the legend.
  void sign(const Chart::Series& series, cv::Point where) {
    const cv::Scalar colour = colour_of(series.colour);
    if (series.mark == Chart::Mark::steps || series.mark == Chart::Mark::level)
      cv::line(canvas_, where - cv::Point(12, 0), where + cv::Point(12, 0), colour,
               series.mark == Chart::Mark::steps ? 2 : 1, cv::LINE_AA);
    else
      mark(series.mark, where, colour);
  }

 private:
  void mark(Chart::Mark mark, cv::Point point, const cv::Scalar& colour) {
    if (mark == Chart::Mark::dots || mark == Chart::Mark::line)
      cv::circle(canvas_, point, mark == Chart::Mark::line ? 5 : 3, colour, cv::FILLED, cv::LINE_AA);
    else
      cv::drawMarker(canvas_, point, colour, cv::MARKER_TILTED_CROSS, 9, 1, cv::LINE_AA);
  }

  cv::Mat& canvas_;
  cv::Rect place_;
  const Chart& chart_;
  const Ranges& ranges_;
};

}  // namespace

void write_chart(const std::filesystem::path& file, const Chart& chart) {
  const Ranges ranges = ranges_of(file, chart);
  cv::Mat canvas(height, width, CV_8UC3, cv::Scalar::all(255));
  Pen pen(canvas, letter_size);
  const cv::Rect place(6 * letter, 5 * letter, width - 8 * letter, height - 9 * letter);
  Plot plot(canvas, place, chart, ranges);

  const cv::Scalar pale(225, 225, 225);
  for (const double level : levels(chart, ranges.y)) {
    const int y = plot.at(ranges.x.low, level).y;
    cv::line(canvas, {place.x, y}, {place.br().x, y}, pale, 1, cv::LINE_8);
    pen.line(place.x - letter / 3, y, place.x - 1, y);
    pen.text(fmt::format("{:.5g}", chart.logarithmic ? std::pow(10.0, level) : level), place.x - 0.6 * letter, y, 1);
  }
  for (const double x : ticks(ranges.x.low, ranges.x.high, 10)) {
    if (chart.counts && x != std::floor(x)) continue;
    const int column = plot.at(x, ranges.y.low).x;
    pen.line(column, place.br().y, column, place.br().y + letter / 3);
    pen.text(fmt::format("{:.6g}", x), column, place.br().y + letter, 0.5);
  }
  for (const Chart::Series& series : chart.series) plot.draw(series);
  pen.frame(place);

  // A long title becomes smaller as far as it can be read, and is cut only beyond that.
  const double title_width = pen.extent(chart.title).width;
  Pen title(canvas, letter_size * std::clamp(place.width / std::max(title_width, 1.0), 0.65, 1.0));
  title.text(title.fitted(chart.title, place.width), place.x, 1.5 * letter, 0);
  pen.text(chart.x_label, place.x + 0.5 * place.width, place.br().y + 2.6 * letter, 0.5);
  pen.upright_text(chart.y_label, 0.9 * letter, place.y + 0.5 * place.height);
  int x = place.x + letter;
  for (const Chart::Series& series : chart.series) {
    plot.sign(series, {x, 3 * letter + letter / 2});
    pen.text(series.name, x + letter, 3.5 * letter, 0);
    x += pen.extent(series.name).width + 3 * letter;
  }
  write_png(file, canvas);
}

#endif

}  // namespace rtcg::app
