#ifdef RTCG_WITH_OPENCV
#include <memory>
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-enum-enum-conversion"
#include <opencv2/core.hpp>
#include <opencv2/imgproc.hpp>
#pragma GCC diagnostic pop
#endif

#include "apps/rtcg-bench/peers/host_filterbank.h"

namespace rtcg::bench {

#ifdef RTCG_WITH_OPENCV

std::function<void()> opencv_filterbank(const vision::FilterbankShape& shape, const std::vector<float>& images,
                                        const std::vector<float>& bank) {
  struct Data {
    std::vector<cv::Mat> planes, kernels;  // [image][channel], [filter][channel]
  };
  const auto data = std::make_shared<Data>();
  const auto plane = [&](const float* first, std::size_t height, std::size_t width) {
    cv::Mat mat(static_cast<int>(height), static_cast<int>(width), CV_32F);
    for (std::size_t k = 0; k < height * width; ++k) mat.ptr<float>()[k] = first[k * shape.channels];
    return mat;
  };
  for (std::size_t b = 0; b < shape.images; ++b)
    for (std::size_t c = 0; c < shape.channels; ++c)
      data->planes.push_back(
          plane(&images[b * shape.height * shape.width * shape.channels + c], shape.height, shape.width));
  for (std::size_t n = 0; n < shape.filters; ++n)
    for (std::size_t c = 0; c < shape.channels; ++c)
      data->kernels.push_back(plane(&bank[n * shape.filter_height * shape.filter_width * shape.channels + c],
                                    shape.filter_height, shape.filter_width));
  return [data, shape] {
    cv::Mat sum, part;
    for (std::size_t b = 0; b < shape.images; ++b)
      for (std::size_t n = 0; n < shape.filters; ++n)
        for (std::size_t c = 0; c < shape.channels; ++c) {
          cv::filter2D(data->planes[b * shape.channels + c], c == 0 ? sum : part, CV_32F,
                       data->kernels[n * shape.channels + c]);
          if (c > 0) sum += part;
        }
  };
}

#else

std::function<void()> opencv_filterbank(const vision::FilterbankShape&, const std::vector<float>&,
                                        const std::vector<float>&) {
  return {};
}

#endif

}  // namespace rtcg::bench
