// Curves and points over two axes as a PNG that stands on its own: labelled axes with round places, a legend of what is
// drawn, optionally a logarithmic height. Needs OpenCV at build time; the file is written aside and renamed.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rtcg::app {

struct Chart {
  enum class Mark {
    dots,
    crosses,
    line,     ///< dots joined by straight lines
    steps,    ///< a line that keeps its height until the next point
    level,    ///< a dashed line right across at the first point's height
    at_edge,  ///< crosses on the upper edge, for what has no height; y is not looked at
  };
  enum class Colour { blue, orange, green, red, grey };
  struct Series {
    std::string name;  ///< in the legend, ASCII
    std::vector<double> x, y;
    Mark mark = Mark::dots;
    Colour colour = Colour::blue;
  };
  std::string title = {}, x_label = {}, y_label = {};  ///< ASCII
  std::vector<Series> series = {};
  bool logarithmic = false;  ///< heights; all of them > 0
  bool counts = false;       ///< places are whole numbers, and so are their labels
};

/// UsageError when the build has no OpenCV, when there is nothing to draw, or when a value is not finite.
void write_chart(const std::filesystem::path& file, const Chart& chart);

}  // namespace rtcg::app
