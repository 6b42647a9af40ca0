// The operators on images in double precision, straight from their definitions.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "vision/normalise.h"
#include "vision/pool.h"

namespace rtcg::vision::test {

struct Images {
  std::size_t count = 1, height = 1, width = 1, channels = 1;
  std::vector<float> values;
  float at(std::size_t b, std::size_t y, std::size_t x, std::size_t c) const {
    return values[((b * height + y) * width + x) * channels + c];
  }
  Array on(const Stream& stream) const {
    return Array::from(stream, values,
                       Shape{static_cast<std::int64_t>(count), static_cast<std::int64_t>(height),
                             static_cast<std::int64_t>(width), static_cast<std::int64_t>(channels)});
  }
};

inline Images random_images(std::mt19937& random, std::size_t count, std::size_t height, std::size_t width,
                            std::size_t channels, float low = -1, float high = 1) {
  Images images{count, height, width, channels, std::vector<float>(count * height * width * channels)};
  std::uniform_real_distribution<float> uniform(low, high);
  for (float& value : images.values) value = uniform(random);
  return images;
}

inline std::vector<double> normalised(const Images& in, const Normalisation& n) {
  std::vector<double> out;
  for (std::size_t b = 0; b < in.count; ++b)
    for (std::size_t y = 0; y + n.height <= in.height; ++y)
      for (std::size_t x = 0; x + n.width <= in.width; ++x) {
        double sum = 0, squares = 0;
        const auto over_window = [&](const auto& add) {
          for (std::size_t j = 0; j < n.height; ++j)
            for (std::size_t i = 0; i < n.width; ++i)
              for (std::size_t c = 0; c < in.channels; ++c) add(static_cast<double>(in.at(b, y + j, x + i, c)));
        };
        over_window([&](double v) { sum += v; });
        const double mean = n.remove_mean ? sum / static_cast<double>(n.height * n.width * in.channels) : 0;
        over_window([&](double v) { squares += (v - mean) * (v - mean); });
        double norm = (std::sqrt(squares) + n.epsilon) * n.stretch;
        if (norm < n.threshold + n.epsilon) norm = 1;
        for (std::size_t c = 0; c < in.channels; ++c)
          out.push_back((in.at(b, y + n.height / 2, x + n.width / 2, c) - mean) * n.stretch / norm);
      }
  return out;
}

inline std::vector<double> pooled(const Images& in, const Pooling& p) {
  std::vector<double> out;
  for (std::size_t b = 0; b < in.count; ++b)
    for (std::size_t y = 0; y + p.height <= in.height; y += p.stride_y)
      for (std::size_t x = 0; x + p.width <= in.width; x += p.stride_x)
        for (std::size_t c = 0; c < in.channels; ++c) {
          long double sum = 0;  // its exponents hold what a double's would not
          for (std::size_t j = 0; j < p.height; ++j)
            for (std::size_t i = 0; i < p.width; ++i) {
              const long double v = in.at(b, y + j, x + i, c);
              sum += p.order == 1 ? v : std::pow(std::abs(v), static_cast<long double>(p.order));
            }
          out.push_back(static_cast<double>(p.order == 1 ? sum : std::pow(sum, 1 / static_cast<long double>(p.order))));
        }
  return out;
}

}  // namespace rtcg::vision::test
