// Banks of rank 1 as two passes.
#include "vision/separable.h"

#include <cmath>

#include "support/devices.h"
#include "vision/filterbank_problem.h"

namespace rtcg::vision {
namespace {

using test::dims;
using test::host_filterbank;
using test::IntegerProblem;

template <class Draw>
std::vector<float> products(const FilterbankShape& shape, Draw&& draw) {
  std::vector<float> bank;
  for (std::size_t n = 0; n < shape.filters; ++n) {
    std::vector<float> column(shape.filter_height), row(shape.filter_width * shape.channels);
    for (float& x : column) x = draw();
    for (float& x : row) x = draw();
    for (const float c : column)
      for (const float r : row) bank.push_back(c * r);
  }
  return bank;
}

constexpr FilterbankShape shape{
    .images = 2, .height = 21, .width = 33, .channels = 3, .filters = 5, .filter_height = 9, .filter_width = 8};

TEST(SeparableTest, FactorsIntegersIntoIntegers) {
  std::mt19937_64 random(1);
  std::vector<float> bank = products(shape, [&] { return static_cast<float>(random() % 13) - 6; });
  for (std::size_t k = 0; k < std::size_t{9} * 8 * 3; ++k) bank[k] = 0;  // a filter without weights has rank 0
  const auto factors = separate(shape, bank);
  ASSERT_TRUE(factors);
  EXPECT_EQ(factors->deviation, 0);
  for (const auto* list : {&factors->columns, &factors->rows})
    for (const float x : *list) EXPECT_EQ(x, std::round(x));
}

TEST(SeparableTest, RefusesBanksWithOneFilterOfHigherRank) {
  std::mt19937_64 random(2);
  std::normal_distribution<float> normal;
  std::vector<float> bank = products(shape, [&] { return normal(random); });
  const auto factors = separate(shape, bank);
  ASSERT_TRUE(factors);
  EXPECT_LT(factors->deviation, 1e-6);
  bank[3 * 9 * 8 * 3 + 50] += 0.001f;
  EXPECT_FALSE(separate(shape, bank));
  EXPECT_TRUE(separate(shape, bank, 0.1));
}

TEST(SeparableTest, PaysForLargeFiltersOnly) {
  FilterbankShape sizes{
      .height = 256, .width = 256, .channels = 8, .filters = 64, .filter_height = 9, .filter_width = 9};
  EXPECT_TRUE(separation_pays(sizes));
  sizes.filter_height = 1;
  EXPECT_FALSE(separation_pays(sizes));
  sizes.filter_height = 3, sizes.filter_width = 3, sizes.channels = 1;
  EXPECT_FALSE(separation_pays(sizes));
}

class SeparableFilterbankTest : public rtcg::test::DeviceTest {};
RTCG_INSTANTIATE_FOR_DEVICES(SeparableFilterbankTest);

TEST_P(SeparableFilterbankTest, TwoPassesOfIntegersEqualIntegerSums) {
  const Stream on = stream();
  std::mt19937_64 random(3);
  for (const Border border : {Border::valid, Border::zero, Border::reflect, Border::replicate, Border::wrap}) {
    FilterbankShape sizes = shape;
    sizes.border = border, sizes.stride_y = border == Border::valid ? 1 : 2, sizes.stride_x = 3;
    IntegerProblem problem(sizes, random);
    problem.bank = products(sizes, [&] { return static_cast<float>(random() % 5) - 2; });
    const Filterbank filterbank(on, problem.bank_array(on),
                                {.stride_y = sizes.stride_y,
                                 .stride_x = sizes.stride_x,
                                 .border = border,
                                 .epilogue = {.minimum = 0.0f},
                                 .allow_separation = true});
    ASSERT_TRUE(filterbank.separates(2, 21, 33));
    std::vector<float> expected = problem.reference();
    for (float& x : expected) x = std::max(x, 0.0f);
    EXPECT_EQ(filterbank(problem.image_array(on)).to_vector<float>(), expected) << name_of(border);
  }
}

TEST_P(SeparableFilterbankTest, ErrorsStayBelowTheStatedBound) {
  const Stream on = stream();
  std::mt19937_64 random(4);
  std::normal_distribution<float> normal;
  IntegerProblem problem(shape, random);
  problem.bank = products(shape, [&] { return normal(random); });
  for (float& x : problem.images) x = normal(random);
  const auto factors = separate(shape, problem.bank);
  ASSERT_TRUE(factors);
  const Filterbank filterbank(on, problem.bank_array(on), {.allow_separation = true});
  const auto responses = filterbank(problem.image_array(on)).to_vector<float>();
  const auto exact = host_filterbank<double>(shape, problem.images, problem.bank);
  std::vector<float> image_sizes = problem.images, bank_sizes = problem.bank, ones(problem.bank.size(), 1.0f);
  for (auto* list : {&image_sizes, &bank_sizes})
    for (float& x : *list) x = std::abs(x) * (1 + 0x1p-20f);  // of the factors' product, which is off by a rounding
  const auto sums = host_filterbank<double>(shape, image_sizes, bank_sizes);
  const auto pixels = host_filterbank<double>(shape, image_sizes, ones);
  const double roundings = (8 * 3 + 9 + 1) * 0x1p-24;
  for (std::size_t k = 0; k < exact.size(); ++k)
    ASSERT_LE(std::abs(responses[k] - exact[k]),
              roundings / (1 - roundings) * sums[k] + factors->deviation * pixels[k]);
}

TEST_P(SeparableFilterbankTest, SeparatesOnlyWhenAsked) {
  const Stream on = stream();
  const Array bank = Array::full(on, dims({2, 9, 9, 2}), Dtype::f32, 1.0f);
  EXPECT_FALSE(Filterbank(on, bank).separates(1, 64, 64));
  EXPECT_TRUE(Filterbank(on, bank, {.allow_separation = true}).separates(1, 64, 64));
}

}  // namespace
}  // namespace rtcg::vision
