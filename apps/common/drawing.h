// What every picture is drawn with: letters, rules, round places on an axis, and the PNG at the end. Needs OpenCV: only
// the .cpp files of pictures include this, under RTCG_WITH_OPENCV.
#pragma once

#include <filesystem>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <string>
#include <vector>

namespace rtcg::app {

inline const cv::Scalar ink(30, 30, 30);

/// Round places between two ends, about `wanted` of them.
std::vector<double> ticks(double low, double high, double wanted);

/// Draws on the canvas in one size of letters.
class Pen {
 public:
  Pen(cv::Mat& canvas, double size);

  cv::Size extent(const std::string& text) const;
  /// The beginning of the text that is no wider.
  std::string fitted(std::string text, int width) const;
  /// Horizontal alignment: 0 left, 0.5 centre, 1 right; `middle` is the height of the letters' centre.
  void text(const std::string& text, double x, double middle, double alignment);
  void upright_text(const std::string& words, double middle_x, double middle_y);
  void line(int x0, int y0, int x1, int y1);
  void frame(const cv::Rect& plot);

 private:
  cv::Mat& canvas_;
  double size_;
  int thickness_;
};

/// Written aside and renamed. InputError when that fails.
void write_png(const std::filesystem::path& file, const cv::Mat& canvas);

}  // namespace rtcg::app
