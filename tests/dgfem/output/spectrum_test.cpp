#include "dgfem/output/spectrum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg::dgfem {
namespace {

constexpr double turn = 2 * std::numbers::pi;

class SpectrumTest : public test::DeviceTest {};

TEST_P(SpectrumTest, FindsResonancesFarBelowTheDistanceOfItsSamples) {
  const double spacing = 0.01;
  std::vector<double> samples;
  for (int k = 0; k < 3000; ++k) {  // 30 units of time: samples of the spectrum are 1 / 41 apart
    const double t = spacing * k;
    samples.push_back(4 + 2 * std::cos(turn * 3.21 * t + 0.4) + 0.05 * std::sin(turn * 7.7777 * t) +
                      0.9 * std::cos(turn * 20.001 * t));
  }
  const std::vector<Resonance> found = resonances(stream(), samples, spacing);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[0].frequency, 3.21, 1e-6);
  EXPECT_NEAR(found[1].frequency, 7.7777, 2e-5);
  EXPECT_NEAR(found[2].frequency, 20.001, 1e-6);
  EXPECT_NEAR(found[0].amplitude, 2, 1e-4);
  EXPECT_NEAR(found[1].amplitude, 0.05, 1e-4);
  EXPECT_NEAR(found[2].amplitude, 0.9, 1e-4);
  EXPECT_EQ(resonances(stream(), samples, spacing, 0.2).size(), 2u);

  const Spectrum whole = spectrum(stream(), samples, spacing);
  EXPECT_EQ(whole.amplitude.size(), 4097u);
  EXPECT_NEAR(whole.step, 1 / 81.92, 1e-15);
  EXPECT_LT(whole.amplitude[0], 1e-4);  // without the mean
  EXPECT_LT(whole.amplitude[static_cast<std::size_t>(12 / whole.step)], 2e-4);
  EXPECT_TRUE(resonances(stream(), std::vector<double>(100, 1.0), 1).empty());
  EXPECT_MESSAGE(UsageError, "3 samples make no spectrum", resonances(stream(), std::vector<double>(3), 1));
}

RTCG_INSTANTIATE_FOR_DEVICES(SpectrumTest);

TEST(FourierSums, AreTheIntegralsAlsoAfterARestart) {
  // v = cos(2 pi f t) over whole periods: T / 2 at f, 0 at 2 f; the trapezoidal rule is exact for these.
  const double f = 2;
  FourierSums sums({f, 2 * f}, 2), whole({f, 2 * f}, 2);
  const auto sample = [&](FourierSums& to, int k) {
    const double t = 0.5 + k / 64.0;
    to.add(t, std::vector{std::cos(turn * f * t), 3 * std::sin(turn * f * t)});
  };
  for (int k = 0; k <= 192; ++k) sample(whole, k);
  for (int k = 0; k <= 100; ++k) sample(sums, k);
  FourierSums second({f, 2 * f}, 2);
  ASSERT_TRUE(second.restore(sums.state()));
  for (int k = 101; k <= 192; ++k) sample(second, k);
  EXPECT_EQ(second.state(), whole.state());
  EXPECT_EQ(whole.duration(), 3);
  EXPECT_NEAR(std::abs(whole(0, 0) - 1.5), 0, 1e-13);
  EXPECT_NEAR(std::abs(whole(0, 1) - std::complex(0.0, -4.5)), 0, 1e-13);
  EXPECT_NEAR(std::abs(whole(1, 0)), 0, 1e-13);
  EXPECT_FALSE(FourierSums({f}, 2).restore(sums.state()));
  EXPECT_FALSE(FourierSums({f, 3 * f}, 2).restore(sums.state()));
  EXPECT_MESSAGE(UsageError, "time 3 does not follow 3.5", second.add(3, std::vector<double>(2)));
  EXPECT_MESSAGE(UsageError, "1 values given for 2 channels", second.add(4, std::vector<double>(1)));
}

TEST(EvenSpacing, IsCheckedAtEveryTime) {
  EXPECT_DOUBLE_EQ(even_spacing(std::vector{1.0, 1.5, 2.0, 2.5}), 0.5);
  EXPECT_MESSAGE(UsageError, "times are not evenly spaced: number 2 is 1.51",
                 even_spacing(std::vector{1.0, 1.51, 2.0}));
  EXPECT_MESSAGE(UsageError, "1 times have no distance", even_spacing(std::vector{1.0}));
}

}  // namespace
}  // namespace rtcg::dgfem
