#include <vector>

#include "apps/rtcg-bench/peers/host_filterbank.h"

namespace rtcg::bench {

void openmp_filterbank(const vision::FilterbankShape& shape, const float* images, const float* bank, float* responses) {
  const auto rows = static_cast<std::ptrdiff_t>(shape.output_height());
  const std::size_t columns = shape.output_width(), filters = shape.filters, channels = shape.channels;
  const std::size_t run = shape.filter_width * channels;
#pragma omp parallel
  {
    std::vector<float> sums(filters);
#pragma omp for schedule(static) collapse(2)
    for (std::size_t b = 0; b < shape.images; ++b)
      for (std::ptrdiff_t y = 0; y < rows; ++y)
        for (std::size_t x = 0; x < columns; ++x) {
          float* const sum = sums.data();
          for (std::size_t n = 0; n < filters; ++n) sum[n] = 0;
          for (std::size_t j = 0; j < shape.filter_height; ++j) {
            const float* const pixels =
                images + ((b * shape.height + static_cast<std::size_t>(y) * shape.stride_y + j) * shape.width +
                          x * shape.stride_x) *
                             channels;
            const float* const weights = bank + j * run * filters;
            for (std::size_t k = 0; k < run; ++k)
              for (std::size_t n = 0; n < filters; ++n) sum[n] += pixels[k] * weights[k * filters + n];
          }
          float* const response =
              responses + ((b * static_cast<std::size_t>(rows) + static_cast<std::size_t>(y)) * columns + x) * filters;
          for (std::size_t n = 0; n < filters; ++n) response[n] = sum[n];
        }
  }
}

void openmp_planar_filterbank(const vision::FilterbankShape& shape, const float* images, const float* bank,
                              float* responses) {
  const auto rows = static_cast<std::ptrdiff_t>(shape.output_height());
  const std::size_t columns = shape.output_width(), filters = shape.filters, channels = shape.channels;
#pragma omp parallel
  {
    std::vector<float> sums(columns);
#pragma omp for schedule(static) collapse(2)
    for (std::size_t b = 0; b < shape.images; ++b)
      for (std::ptrdiff_t y = 0; y < rows; ++y)
        for (std::size_t n = 0; n < filters; ++n) {
          float* const sum = sums.data();
          for (std::size_t x = 0; x < columns; ++x) sum[x] = 0;
          const float* weight = bank + n * shape.filter_height * shape.filter_width * channels;
          for (std::size_t j = 0; j < shape.filter_height; ++j)
            for (std::size_t i = 0; i < shape.filter_width; ++i)
              for (std::size_t c = 0; c < channels; ++c, ++weight) {
                const float w = *weight;
                const float* const pixels =
                    images + ((b * channels + c) * shape.height + static_cast<std::size_t>(y) + j) * shape.width + i;
                for (std::size_t x = 0; x < columns; ++x) sum[x] += w * pixels[x];
              }
          const std::size_t row = b * static_cast<std::size_t>(rows) + static_cast<std::size_t>(y);
          for (std::size_t x = 0; x < columns; ++x) responses[(row * columns + x) * filters + n] = sum[x];
        }
  }
}

}  // namespace rtcg::bench
