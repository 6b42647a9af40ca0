#include "radar/window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <numeric>

#include "rtcg/error.h"

namespace rtcg::radar {
namespace {

/// |response| of the weights at a distance of `cells` Rayleigh cells, relative to the peak.
double response(const std::vector<double>& w, double cells) {
  std::complex<double> sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i)
    sum += std::polar(w[i], 2 * std::numbers::pi * cells * static_cast<double>(i) / static_cast<double>(w.size()));
  return std::abs(sum) / static_cast<double>(w.size());
}

/// Highest level beyond the first minimum, dB.
double highest_sidelobe_db(const std::vector<double>& w) {
  double cells = 0, highest = 0;
  while (response(w, cells + 0.01) < response(w, cells)) cells += 0.01;
  for (; cells < 40; cells += 0.01) highest = std::max(highest, response(w, cells));
  return 20 * std::log10(highest);
}

double half_power_cells(const std::vector<double>& w) {
  double low = 0, high = 3;
  for (int n = 0; n < 60; ++n) {
    const double middle = 0.5 * (low + high);
    (response(w, middle) > std::numbers::sqrt2 / 2 ? low : high) = middle;
  }
  return 2 * low;
}

TEST(Window, NoneIsOne) {
  for (const double w : weights(Window::parse("none"), 5)) EXPECT_EQ(w, 1.0);
}

TEST(Window, HammingIsSymmetricWithItsKnownEnds) {
  const auto w = weights(Window::parse("hamming"), 9);
  EXPECT_NEAR(w[0] / w[4], 0.08, 1e-12);
  EXPECT_NEAR(w[2] / w[4], 0.54, 1e-12);
  for (std::size_t i = 0; i < w.size(); ++i) EXPECT_NEAR(w[i], w[8 - i], 1e-14);
}

TEST(Window, HammingHasItsKnownSidelobesAndWidth) {
  const auto w = weights(Window::parse("hamming"), 1024);
  EXPECT_NEAR(highest_sidelobe_db(w), -42.7, 0.2);
  EXPECT_NEAR(half_power_cells(w), 1.303, 0.005);
}

TEST(Window, TaylorKeepsItsPromisedLevel) {
  EXPECT_NEAR(highest_sidelobe_db(weights(Window::parse("taylor"), 1024)), -35, 0.35);
  EXPECT_NEAR(highest_sidelobe_db(weights(Window::parse("taylor:6,-40"), 1024)), -40, 0.35);
  EXPECT_NEAR(highest_sidelobe_db(weights(Window::parse("taylor:5,-25"), 1024)), -25, 0.35);
}

TEST(Window, TaylorOfOneLobeIsNone) {
  for (const double w : weights(Window::parse("taylor:1,-30"), 7)) EXPECT_NEAR(w, 1, 1e-14);
}

TEST(Window, EveryWindowHasMeanOneAtAnyLength) {
  for (const char* name : {"none", "hamming", "taylor", "taylor:8,-60"})
    for (const std::size_t n : {1u, 2u, 3u, 117u, 424u}) {
      const auto w = weights(Window::parse(name), n);
      EXPECT_NEAR(std::accumulate(w.begin(), w.end(), 0.0) / static_cast<double>(n), 1, 1e-12) << name << " " << n;
    }
  EXPECT_TRUE(weights(Window::parse("hamming"), 0).empty());
}

TEST(Window, RefusesWhatItDoesNotKnow) {
  for (const char* text :
       {"", "hann", "Hamming", "taylor:", "taylor:4", "taylor:0,-35", "taylor:65,-35", "taylor:4,35", "taylor:4,-35,1",
        "taylor:4.5,-35", "taylor:4,nan", "taylor:4,-inf", "taylor4,-35", "taylor:4,-0"})
    EXPECT_THROW(Window::parse(text), UsageError) << text;
}

}  // namespace
}  // namespace rtcg::radar
