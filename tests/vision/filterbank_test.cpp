// The filterbank against sums in 64-bit integers: small integers are exact in fp32, whatever the order of summation.
#include "vision/filterbank.h"

#include <limits>
#include <random>

#include <fmt/format.h>

#include "rtcg/error.h"
#include "support/devices.h"
#include "vision/filterbank_tuning.h"
#include "vision/host_filterbank.h"

namespace rtcg::vision {
namespace {

using test::host_filterbank;

Shape dims(std::initializer_list<std::size_t> extents) {
  std::vector<std::int64_t> list(extents.begin(), extents.end());
  return Shape(list);
}

std::vector<float> small_integers(std::mt19937& random, std::size_t count) {
  std::uniform_int_distribution<int> value(-4, 4);
  std::vector<float> values(count);
  for (float& x : values) x = static_cast<float>(value(random));
  return values;
}

struct Problem {
  FilterbankShape shape;
  std::vector<float> images, bank;
  Problem(const FilterbankShape& extents, std::mt19937& random)
      : shape(extents),
        images(small_integers(random, shape.images * shape.height * shape.width * shape.channels)),
        bank(small_integers(random, shape.filters * shape.filter_height * shape.filter_width * shape.channels)) {}
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

class FilterbankTest : public rtcg::test::DeviceTest {};
RTCG_INSTANTIATE_FOR_DEVICES(FilterbankTest);

TEST_P(FilterbankTest, EveryBorderAndStrideEqualsIntegerSums) {
  std::mt19937 random(1);
  const Stream on = stream();
  for (const Border border : {Border::valid, Border::zero, Border::reflect, Border::replicate, Border::wrap})
    for (const std::size_t stride : {1, 2, 3}) {
      const Problem problem({.images = 2,
                             .height = 11,
                             .width = 17,
                             .channels = 3,
                             .filters = 5,
                             .filter_height = 4,
                             .filter_width = 5,
                             .stride_y = stride,
                             .stride_x = stride == 3 ? 2 : stride,
                             .border = border},
                            random);
      const Array responses = problem.filterbank(on)(problem.image_array(on));
      EXPECT_EQ(responses.shape(), dims({2, problem.shape.output_height(), problem.shape.output_width(), 5}));
      EXPECT_EQ(responses.to_vector<float>(), problem.reference()) << name_of(border) << " stride " << stride;
    }
}

TEST_P(FilterbankTest, OneKernelServesImagesOfAnySize) {
  std::mt19937 random(2);
  const Stream on = stream();
  for (const Border border : {Border::valid, Border::reflect}) {
    const Problem bank(
        {.height = 8, .width = 8, .channels = 2, .filters = 3, .filter_height = 3, .filter_width = 3, .border = border},
        random);
    const Filterbank filterbank = bank.filterbank(on);
    for (int k = 0; k < 100; ++k) {
      Problem problem = bank;
      problem.shape.images = 1 + random() % 3, problem.shape.height = 3 + random() % 20,
      problem.shape.width = 3 + random() % 40;
      problem.images = small_integers(random, problem.shape.images * problem.shape.height * problem.shape.width * 2);
      ASSERT_EQ(filterbank(problem.image_array(on)).to_vector<float>(), problem.reference()) << problem.shape.text();
    }
  }
}

}  // namespace
}  // namespace rtcg::vision
