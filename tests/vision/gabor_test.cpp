#include "vision/gabor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "rtcg/error.h"
#include "support/devices.h"
#include "vision/filterbank.h"

namespace rtcg::vision {
namespace {

/// Amplitude of the filter's response to cos(2 pi (u x + v y)).
double amplitude(const float* filter, std::size_t size, double u, double v) {
  std::complex<double> sum = 0;
  for (std::size_t y = 0; y < size; ++y)
    for (std::size_t x = 0; x < size; ++x)
      sum += static_cast<double>(filter[y * size + x]) *
             std::polar(1.0, 2 * std::numbers::pi * (u * static_cast<double>(x) + v * static_cast<double>(y)));
  return std::abs(sum);
}

TEST(GaborTest, ThePublishedBankHas96FiltersOfZeroMeanAndUnitLength) {
  const GaborBank bank;
  const std::vector<float> filters = gabor_filters(bank);
  ASSERT_EQ(bank.filters(), 96u);
  ASSERT_EQ(filters.size(), 96u * 43 * 43);
  for (std::size_t n = 0; n < 96; ++n) {
    double sum = 0, square = 0;
    for (std::size_t p = 0; p < 43 * 43; ++p) {
      const double v = filters[n * 43 * 43 + p];
      sum += v, square += v * v;
    }
    EXPECT_NEAR(sum, 0, 1e-6);
    EXPECT_NEAR(square, 1, 1e-6);
  }
}

// With the Gaussian's tails inside of the filter its spectrum is the Gaussian's, at the wave's frequency, and its
// length that of the envelope: |G(u, v)| = sigma sqrt(2 pi) exp(-2 pi^2 sigma^2 |(u, v) - f|^2).
TEST(GaborTest, RespondsToAWaveAsTheClosedFormSays) {
  const double sigma = 3.5, frequency = 0.25;
  const GaborBank bank{43, 8, {frequency}, {0}, sigma};
  const std::vector<float> filters = gabor_filters(bank);
  for (std::size_t k = 0; k < 8; ++k) {
    const double angle = static_cast<double>(k) * std::numbers::pi / 8;
    for (const double offset : {0.0, 0.02, -0.05}) {
      const double u = (frequency + offset) * std::cos(angle), v = (frequency + offset) * std::sin(angle);
      const double expected =
          sigma * std::sqrt(2 * std::numbers::pi) * std::exp(-2 * std::pow(std::numbers::pi * sigma * offset, 2));
      EXPECT_NEAR(amplitude(&filters[k * 43 * 43], 43, u, v), expected, 1e-5) << k << " " << offset;
    }
  }
}

class GaborBankTest : public rtcg::test::DeviceTest {};

// A wave and the same a quarter of a period on: the root of the sum of their squared responses is |G| everywhere.
TEST_P(GaborBankTest, CorrelatesWithAWaveAsTheClosedFormSays) {
  const double sigma = 3.5, frequency = 0.25;
  const GaborBank bank{43, 4, {frequency}, {0}, sigma};
  std::vector<float> waves;
  for (const double phase : {0.0, std::numbers::pi / 2})
    for (int p = 0; p < 48 * 50; ++p)
      waves.push_back(static_cast<float>(std::cos(2 * std::numbers::pi * frequency * (p % 50) + phase)));
  const Stream on = stream();
  const Filterbank filters(on, gabor_bank(on, bank));
  const Array responses = filters(Array::from(on, waves, Shape{2, 48, 50, 1}));
  ASSERT_EQ(responses.shape(), (Shape{2, 6, 8, 4}));
  const std::vector<float> found = responses.to_vector<float>();
  for (int place = 0; place < 6 * 8; ++place)
    for (int k = 0; k < 4; ++k) {
      // The wave runs along x. A filter turned by k pi / 4 has peaks 2 f sin(k pi / 8) away from it and, being real, at
      // the opposite frequency.
      const double off = 2 * frequency * std::sin(std::min(k, 4 - k) * std::numbers::pi / 8);
      const double expected =
          sigma * std::sqrt(2 * std::numbers::pi) * std::exp(-2 * std::pow(std::numbers::pi * sigma * off, 2));
      ASSERT_NEAR(std::hypot(found[place * 4 + k], found[(6 * 8 + place) * 4 + k]), expected, 2e-5) << k;
    }
}
RTCG_INSTANTIATE_FOR_DEVICES(GaborBankTest);

TEST(GaborTest, CountsTheWaveFromTheCorner) {
  // Frequency 1/2 along x alternates in sign from the first column on: + at even columns.
  const std::vector<float> filters = gabor_filters({5, 1, {0.5}, {0}, 2});
  EXPECT_GT(filters[2 * 5 + 2], 0);
  EXPECT_LT(filters[2 * 5 + 1], 0);
  EXPECT_LT(filters[2 * 5 + 3], 0);
  EXPECT_NEAR(filters[2 * 5 + 1], filters[2 * 5 + 3], 1e-7);
}

TEST(GaborTest, ReadsWhatItWrites) {
  EXPECT_EQ(parse_gabor("gabor"), GaborBank{});
  const GaborBank bank = parse_gabor("gabor:size=9,orientations=4,frequencies=1/3;0.2,phases=0;1.5,sigma=2.5");
  EXPECT_EQ(bank, (GaborBank{9, 4, {1.0 / 3, 0.2}, {0, 1.5}, 2.5}));
  EXPECT_EQ(parse_gabor(to_text(bank)), bank);
}

TEST(GaborTest, RefusesTextsThatSayNothing) {
  for (const char* text : {"", "gabo", "gabor:", "gabor:size", "gabor:size=0", "gabor:size=-3", "gabor:size=3x",
                           "gabor:sizes=3", "gabor:frequencies=", "gabor:frequencies=1/0", "gabor:frequencies=1/2/3",
                           "gabor:sigma=0", "gabor:sigma=nan", "gabor:size=9,,"})
    EXPECT_THROW(parse_gabor(text), UsageError) << text;
  EXPECT_THROW(gabor_filters({1, 1, {0.5}, {0}, 0}), UsageError);
}

}  // namespace
}  // namespace rtcg::vision
