// The filterbank where answers are known in closed form, and what it refuses.
#include "vision/filterbank.h"

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "rtcg/error.h"
#include "support/devices.h"
#include "vision/filterbank_problem.h"

namespace rtcg::vision {
namespace {

using test::dims;
using test::host_filterbank;
using test::IntegerProblem;

class FilterbankTest : public rtcg::test::DeviceTest {
 protected:
  std::mt19937_64 random_{7};
  std::vector<float> normal(std::size_t count) {
    std::normal_distribution<float> value;
    std::vector<float> values(count);
    for (float& x : values) x = value(random_);
    return values;
  }
};
RTCG_INSTANTIATE_FOR_DEVICES(FilterbankTest);

template <class E, class Call>
std::string message_of(const Call& call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}
#define EXPECT_MESSAGE(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_P(FilterbankTest, DeltasShiftTheImage) {
  const Stream on = stream();
  const std::vector<float> image = normal(std::size_t{20} * 30);
  for (std::size_t at = 0; at < 12; at += 5) {
    std::vector<float> delta(12);
    delta[at] = 1;
    const auto responses =
        Filterbank(on, Array::from(on, delta, dims({1, 3, 4})))(Array::from(on, image, dims({20, 30})))
            .to_vector<float>();
    ASSERT_EQ(responses.size(), 18u * 27);
    for (std::size_t y = 0; y < 18; ++y)
      for (std::size_t x = 0; x < 27; ++x)
        ASSERT_EQ(responses[y * 27 + x], image[(y + at / 4) * 30 + x + at % 4]) << y << " " << x;
  }
}

TEST_P(FilterbankTest, ConstantImagesGiveTheSumsOfTheFilters) {
  const Stream on = stream();
  IntegerProblem problem({.height = 9,
                          .width = 9,
                          .channels = 2,
                          .filters = 3,
                          .filter_height = 3,
                          .filter_width = 3,
                          .border = Border::replicate},
                         random_);
  float sum = 0;  // the last filter has zero mean
  for (std::size_t k = 36; k < 53; ++k) sum += problem.bank[k];
  problem.bank[53] = -sum;
  std::vector<float> sums(3);
  for (std::size_t k = 0; k < 54; ++k) sums[k / 18] += problem.bank[k];
  ASSERT_EQ(sums[2], 0);
  const auto responses =
      problem.filterbank(on)(Array::full(on, dims({1, 9, 9, 2}), Dtype::f32, 3.0f)).to_vector<float>();
  for (std::size_t k = 0; k < responses.size(); ++k) ASSERT_EQ(responses[k], 3 * sums[k % 3]);
}

TEST_P(FilterbankTest, RankOneFiltersEqualTwoPasses) {
  const Stream on = stream();
  const IntegerProblem column(
      {.height = 24, .width = 31, .filter_height = 5, .filter_width = 1, .border = Border::reflect}, random_);
  const IntegerProblem row(
      {.height = 24, .width = 31, .filter_height = 1, .filter_width = 4, .border = Border::reflect}, random_);
  std::vector<float> product;
  for (const float c : column.bank)
    for (const float r : row.bank) product.push_back(c * r);
  const Array image = column.image_array(on);
  EXPECT_EQ(
      Filterbank(on, Array::from(on, product, dims({1, 5, 4})), {.border = Border::reflect})(image).to_vector<float>(),
      row.filterbank(on)(column.filterbank(on)(image)).to_vector<float>());
}

TEST_P(FilterbankTest, SinusoidsComeOutWithTheFiltersTransferFunction) {
  const Stream on = stream();
  const double omega = 2 * std::numbers::pi / 7, envelope = 4;
  const std::size_t taps = 21;
  std::vector<float> filter, image;
  std::complex<double> transfer = 0;
  for (std::size_t i = 0; i < taps; ++i) {  // a Gabor function, one row
    const double x = static_cast<double>(i) - 10;
    filter.push_back(static_cast<float>(std::exp(-x * x / (2 * envelope * envelope)) * std::cos(omega * x)));
    transfer += std::polar(double{filter.back()}, omega * static_cast<double>(i));
  }
  for (std::size_t x = 0; x < 200; ++x) image.push_back(static_cast<float>(std::cos(omega * static_cast<double>(x))));
  const auto responses =
      Filterbank(on, Array::from(on, filter, dims({1, 1, taps})))(Array::from(on, image, dims({1, 200})))
          .to_vector<float>();
  for (std::size_t x = 0; x < responses.size(); ++x)
    EXPECT_NEAR(responses[x], (transfer * std::polar(1.0, omega * static_cast<double>(x))).real(), 1e-5);
  EXPECT_GT(std::abs(transfer), 4);
}

TEST_P(FilterbankTest, ErrorsStayBelowTheBoundOfRoundings) {
  const Stream on = stream();
  const FilterbankShape shape{
      .height = 30, .width = 40, .channels = 8, .filters = 9, .filter_height = 9, .filter_width = 9};
  const std::vector<float> images = normal(std::size_t{30} * 40 * 8), bank = normal(std::size_t{9} * 9 * 9 * 8);
  const auto magnitudes = [](std::vector<float> values) {
    for (float& x : values) x = std::abs(x);
    return values;
  };
  const auto exact = host_filterbank<double>(shape, images, bank);
  const auto sums = host_filterbank<double>(shape, magnitudes(images), magnitudes(bank));
  const Filterbank filterbank(on, Array::from(on, bank, dims({9, 9, 9, 8})));
  const Array image = Array::from(on, images, dims({1, 30, 40, 8}));
  const std::vector<float> responses = filterbank(image).to_vector<float>();
  const double roundings = 9 * 9 * 8 * 0x1p-24;
  for (std::size_t k = 0; k < responses.size(); ++k)
    ASSERT_LE(std::abs(responses[k] - exact[k]), roundings / (1 - roundings) * sums[k]);
  EXPECT_EQ(filterbank(image).to_vector<float>(), responses) << "the same images must give the same bits";
}

TEST_P(FilterbankTest, EpiloguesApplyInOrder) {
  const Stream on = stream();
  const IntegerProblem problem(
      {.height = 12, .width = 14, .channels = 2, .filters = 3, .filter_height = 3, .filter_width = 3}, random_);
  const std::vector<float> plain = problem.reference();
  const float bias[] = {5, -2, 0.5f};
  const auto expect = [&](const Epilogue& epilogue, const std::function<float(float, std::size_t)>& finish) {
    const auto responses = problem.filterbank(on, epilogue)(problem.image_array(on)).to_vector<float>();
    for (std::size_t k = 0; k < plain.size(); ++k)
      ASSERT_EQ(responses[k], finish(plain[k], k % 3)) << epilogue.text() << " of " << plain[k];
  };
  expect({.bias = {5, -2, 0.5f}}, [&](float x, std::size_t n) { return x + bias[n]; });
  expect({.minimum = 0.0f}, [](float x, std::size_t) { return std::max(x, 0.0f); });
  expect({.maximum = 10.0f}, [](float x, std::size_t) { return std::min(x, 10.0f); });
  expect({.threshold = 8.0f}, [](float x, std::size_t) { return x < 8 ? 0 : x; });
  expect({.expression = "x > 0 ? x * x + n : -x"},
         [](float x, std::size_t n) { return x > 0 ? x * x + static_cast<float>(n) : -x; });
  expect({.bias = {5, -2, 0.5f}, .threshold = 3.0f, .minimum = 1.0f, .maximum = 20.0f, .expression = "2 * x"},
         [&](float x, std::size_t n) {
           const float biased = x + bias[n];
           return 2 * std::clamp(biased < 3 ? 0 : biased, 1.0f, 20.0f);
         });
}

TEST_P(FilterbankTest, NotANumberReachesTheResponsesItContributesToAndNoOthers) {
  const Stream on = stream();
  std::vector<float> image(std::size_t{12} * 12, 1.0f);
  image[5 * 12 + 6] = std::numeric_limits<float>::quiet_NaN();
  const auto responses =
      Filterbank(on, Array::full(on, dims({1, 3, 3}), Dtype::f32, 1.0f),
                 {.epilogue = {.minimum = 0.0f, .maximum = 4.0f}})(Array::from(on, image, dims({12, 12})))
          .to_vector<float>();
  for (std::size_t y = 0; y < 10; ++y)
    for (std::size_t x = 0; x < 10; ++x)
      ASSERT_EQ(std::isnan(responses[y * 10 + x]), y >= 3 && y <= 5 && x >= 4 && x <= 6) << y << " " << x;
}

TEST_P(FilterbankTest, TakesViewsOtherTypesAndOtherStreams) {
  const Stream on = stream(), other = stream();
  IntegerProblem problem(
      {.images = 3, .height = 10, .width = 12, .channels = 2, .filters = 2, .filter_height = 3, .filter_width = 3},
      random_);
  const Filterbank filterbank = problem.filterbank(on);
  const std::vector<float> reference = problem.reference();
  EXPECT_EQ(filterbank(problem.image_array(on).astype(Dtype::i16)).to_vector<float>(), reference);
  EXPECT_EQ(filterbank(problem.image_array(on).astype(Dtype::f64)).to_vector<float>(), reference);
  EXPECT_EQ(filterbank(problem.image_array(other)).to_vector<float>(), reference);
  const std::size_t image = reference.size() / 3;
  EXPECT_EQ(filterbank(problem.image_array(on)(1)).to_vector<float>(),
            std::vector<float>(reference.begin() + static_cast<std::ptrdiff_t>(image),
                               reference.begin() + static_cast<std::ptrdiff_t>(2 * image)));
  const Array mirrored = problem.image_array(on).flip(2);
  EXPECT_EQ(filterbank(mirrored.flip(2)).to_vector<float>(), reference);
  EXPECT_EQ(filterbank(problem.image_array(on)).shape(), dims({3, 8, 10, 2}));
}

TEST_P(FilterbankTest, SaysWhatIsWrong) {
  const Stream on = stream();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> weights(std::size_t{2} * 3 * 3 * 4, 1.0f);
  weights[((1 * 3 + 2) * 3 + 0) * 4 + 3] = nan;
  EXPECT_MESSAGE(message_of<InputError>([&] {
                   Filterbank(on, Array::from(on, weights, dims({2, 3, 3, 4})));
                 }),
                 "weight [1, 2, 0, 3] (filter, y, x, channel) is nan");
  const Array bank = Array::full(on, dims({2, 3, 3, 4}), Dtype::f32, 1.0f);
  const auto images = [&](std::initializer_list<std::size_t> extents) {
    return Array::zeros(on, dims(extents), Dtype::f32);
  };
  const Filterbank filterbank(on, bank);
  EXPECT_MESSAGE(message_of<UsageError>([&] {
                   filterbank(images({1, 8, 8, 3}));
                 }),
                 "have 3 channels but the filters have 4");
  EXPECT_MESSAGE(message_of<UsageError>([&] { filterbank(images({8, 8})); }), "for a bank of 4 channels");
  EXPECT_MESSAGE(message_of<UsageError>([&] { filterbank(images({1, 2, 8, 4})); }), "do not fit into images of 2 x 8");
  EXPECT_MESSAGE(message_of<UsageError>([&] { filterbank(images({0, 8, 8, 4})); }), "must be positive");
  EXPECT_MESSAGE(message_of<UsageError>([&] {
                   Filterbank(on, bank, {.border = Border::reflect})(images({1, 1, 8, 4}));
                 }),
                 "reach farther");
  EXPECT_MESSAGE(message_of<UsageError>([&] { Filterbank(on, bank, {.stride_x = 0}); }), "strides must be positive");
  EXPECT_MESSAGE(message_of<UsageError>([&] { Filterbank(on, images({3, 3})); }), "not of 2 dimensions");
  EXPECT_MESSAGE(message_of<UsageError>([&] { Filterbank(on, images({0, 3, 3, 4})); }), "no weights");
  EXPECT_MESSAGE(message_of<UsageError>([&] { Filterbank(on, bank.astype(Dtype::c64)); }), "real numbers");
  EXPECT_MESSAGE(message_of<UsageError>([&] { Filterbank(on, bank, {.epilogue = {.bias = {1}}}); }),
                 "1 bias values for 2 filters");
  EXPECT_MESSAGE(message_of<InputError>([&] {
                   Filterbank(on, bank, {.epilogue = {.bias = {1, nan}}});
                 }),
                 "bias of filter 1 is NaN");
  EXPECT_MESSAGE(
      message_of<UsageError>([&] { Filterbank(on, bank, {.epilogue = {.minimum = 2.0f, .maximum = 1.0f}}); }),
      "minimum 2 is above the maximum 1");
  EXPECT_MESSAGE(message_of<UsageError>([&] { Filterbank(on, bank, {.epilogue = {.threshold = nan}}); }), "NaN");
  const std::string formula =
      message_of<InputError>([&] { Filterbank(on, bank, {.epilogue = {.expression = "x + z"}}); });
  EXPECT_MESSAGE(formula, "z");
  EXPECT_MESSAGE(formula, "^");
  EXPECT_MESSAGE(message_of<InputError>([&] { Filterbank(on, bank, {.epilogue = {.expression = "x + "}}); }), "^");
  Filterbank forced(on, bank);
  forced.use(Configuration({{"kernel", std::string("none")}}));
  EXPECT_MESSAGE(message_of<UsageError>([&] { forced(images({1, 8, 8, 4})); }), "filterbank of 1 x 8 x 8 x 4");
}

}  // namespace
}  // namespace rtcg::vision
