// Problems of random small integers, for which fp32 is exact in any order of summation, with their answers.
#pragma once

#include <random>
#include <vector>

#include "vision/filterbank.h"
#include "vision/host_filterbank.h"

namespace rtcg::vision::test {

inline Shape dims(std::initializer_list<std::size_t> extents) {
  return Shape(std::vector<std::int64_t>(extents.begin(), extents.end()));
}

inline std::vector<float> small_integers(std::mt19937_64& random, std::size_t count) {
  std::uniform_int_distribution<int> value(-4, 4);
  std::vector<float> values(count);
  for (float& x : values) x = static_cast<float>(value(random));
  return values;
}

struct IntegerProblem {
  FilterbankShape shape;
  std::vector<float> images, bank;

  IntegerProblem(const FilterbankShape& extents, std::mt19937_64& random)
      : shape(extents),
        bank(small_integers(random, shape.filters * shape.filter_height * shape.filter_width * shape.channels)) {
    draw_images(random);
  }
  void draw_images(std::mt19937_64& random) {
    images = small_integers(random, shape.images * shape.height * shape.width * shape.channels);
  }

  Array image_array(const Stream& stream) const {
    return Array::from(stream, images, dims({shape.images, shape.height, shape.width, shape.channels}));
  }
  Array bank_array(const Stream& stream) const {
    return Array::from(stream, bank, dims({shape.filters, shape.filter_height, shape.filter_width, shape.channels}));
  }
  Filterbank filterbank(const Stream& stream, Epilogue epilogue = {}) const {
    return Filterbank(stream, bank_array(stream),
                      {.stride_y = shape.stride_y,
                       .stride_x = shape.stride_x,
                       .border = shape.border,
                       .epilogue = std::move(epilogue)});
  }
  std::vector<float> reference() const {
    const auto sums = host_filterbank<std::int64_t>(shape, images, bank);
    return {sums.begin(), sums.end()};
  }
};

}  // namespace rtcg::vision::test
