#include "radar/quality.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

#include "radar/window.h"
#include "rtcg/error.h"

namespace rtcg::radar {
namespace {

using Complex = std::complex<double>;

double sinc(double x) {
  return std::abs(x) < 1e-12 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
}

/// A point of given place, seen with a separable response along range (at `angle` from x) and cross range on a carrier.
struct Scene {
  double x = 0.37, y = -0.61, angle = 0, range_cell = 0.34, cross_cell = 0.5, amplitude = 7;
  Vec3 carrier{9, -4, 0};  // rad/m
  std::function<double(double)> range_response = sinc, cross_response = sinc;

  Vec3 direction() const { return {std::cos(angle), std::sin(angle), 0}; }
  Image image(std::size_t n = 301, double spacing = 0.2) const {
    Image result;
    result.grid = {
        .nx = n, .ny = n - 20, .nz = 1, .dx = spacing, .dy = spacing, .dz = 1, .centre = {1, -2, 3}, .heights = {}};
    for (std::size_t j = 0; j < result.grid.ny; ++j)
      for (std::size_t i = 0; i < result.grid.nx; ++i) {
        const double px = result.grid.x(i) - x, py = result.grid.y(j) - y;
        const double r = px * std::cos(angle) + py * std::sin(angle), c = -px * std::sin(angle) + py * std::cos(angle);
        result.pixels.push_back(std::polar(amplitude, carrier.x() * px + carrier.y() * py + 0.4) *
                                range_response(r / range_cell) * cross_response(c / cross_cell));
      }
    return result;
  }
};

void expect_unweighted(const ImpulseResponse& response, double cell) {
  EXPECT_NEAR(response.irw, 0.8859 * cell, 0.002 * cell);
  EXPECT_NEAR(response.pslr_db, -13.26, 0.02);
  EXPECT_NEAR(response.islr_db, -10.11, 0.05);
  EXPECT_EQ(response.lobes, 10);
}

TEST(PointQuality, SincHasItsClosedFormValues) {
  const Scene scene;
  const PointQuality quality = point_quality(scene.image(), 0.3, -0.5, scene.direction());
  EXPECT_NEAR(quality.peak.x(), scene.x, 1e-3);
  EXPECT_NEAR(quality.peak.y(), scene.y, 1e-3);
  EXPECT_EQ(quality.peak.z(), 3);
  EXPECT_NEAR(std::abs(quality.value), 7, 0.01);
  EXPECT_NEAR(std::arg(quality.value), 0.4, 0.02);
  EXPECT_NEAR(quality.range.position, scene.x, 1e-3);
  EXPECT_NEAR(quality.cross_range.position, scene.y, 1e-3);
  expect_unweighted(quality.range, scene.range_cell);
  expect_unweighted(quality.cross_range, scene.cross_cell);
}

TEST(PointQuality, CutsFollowAnObliqueRangeDirection) {
  for (const double angle : {0.5, 2.0, -2.6}) {
    Scene scene;
    scene.angle = angle;
    const PointQuality quality = point_quality(scene.image(), 0.3, -0.5, 3 * scene.direction());
    expect_unweighted(quality.range, scene.range_cell);
    expect_unweighted(quality.cross_range, scene.cross_cell);
    EXPECT_NEAR(quality.range.position, scene.x * std::cos(angle) + scene.y * std::sin(angle), 1e-3);
  }
}

TEST(PointQuality, CarrierNearTheNyquistFrequencyDoesNotMatter) {
  Scene scene;
  scene.carrier = {0.97 * std::numbers::pi / 0.2, -15.6, 0};
  const PointQuality quality = point_quality(scene.image(), 0.3, -0.5, scene.direction());
  expect_unweighted(quality.range, scene.range_cell);
  expect_unweighted(quality.cross_range, scene.cross_cell);
}

TEST(PointQuality, HammingLowersTheSidelobesAndWidensTheLobe) {
  const auto w = weights({.kind = Window::Kind::hamming}, 400);
  Scene scene;
  scene.range_response = [&](double cells) {
    double sum = 0;
    for (std::size_t i = 0; i < w.size(); ++i)
      sum += w[i] * std::cos(2 * std::numbers::pi * cells * (static_cast<double>(i) - 199.5) / 400);
    return sum / 400;
  };
  const PointQuality quality = point_quality(scene.image(), 0.3, -0.5, scene.direction());
  EXPECT_NEAR(quality.range.irw, 1.303 * scene.range_cell, 0.01 * scene.range_cell);
  EXPECT_NEAR(quality.range.pslr_db, -42.7, 0.5);
  EXPECT_LT(quality.range.islr_db, -32);
  expect_unweighted(quality.cross_range, scene.cross_cell);
}

TEST(PointQuality, NearTheEdgeFewerLobesAreCountedAndTooNearIsAnError) {
  Scene scene;
  scene.x = 26.5, scene.y = 0;
  EXPECT_LT(point_quality(scene.image(), 26.5, 0, scene.direction()).range.lobes, 10);
  scene.x = 30.5;
  EXPECT_THROW(point_quality(scene.image(), 30.5, 0, scene.direction()), InputError);
}

TEST(PointQuality, ErrorsForNoPeakAndNonsense) {
  const Scene scene;
  const Image image = scene.image();
  EXPECT_THROW(point_quality(image, 100, 0, scene.direction()), InputError);            // outside the image
  EXPECT_THROW(point_quality(image, 0.7, -0.61, scene.direction(), 0.22), InputError);  // on the flank of the main lobe
  EXPECT_THROW(point_quality(image, 1e300, -1e300, scene.direction()), InputError);
  EXPECT_THROW(point_quality(image, 0, 0, {0, 0, 1}), UsageError);
  EXPECT_THROW(point_quality(image, 0, 0, scene.direction(), 0), UsageError);
  Image empty = image;
  std::fill(empty.pixels.begin(), empty.pixels.end(), 0);
  EXPECT_THROW(point_quality(empty, 0, 0, scene.direction()), InputError);
}

Image of(std::vector<Complex> pixels, std::size_t nx, std::size_t ny) {
  Image image;
  image.grid.nx = nx, image.grid.ny = ny;
  image.pixels = std::move(pixels);
  return image;
}

TEST(Entropy, IsTheLogarithmOfTheNumberOfEqualPixels) {
  EXPECT_NEAR(image_entropy(of(std::vector<Complex>(12, Complex(3, 4)), 4, 3)), std::log(12), 1e-12);
  EXPECT_NEAR(image_entropy(of({0, 0, Complex(0, 5), 0}, 2, 2)), 0, 1e-15);
  EXPECT_THROW(image_entropy(of({0, 0}, 2, 1)), InputError);
  EXPECT_THROW(image_entropy(of({1, std::nan("")}, 2, 1)), InputError);
}

TEST(Contrast, IsZeroForEqualPixelsAndKnownForOne) {
  EXPECT_NEAR(image_contrast(of(std::vector<Complex>(12, 2), 4, 3)), 0, 1e-12);
  EXPECT_NEAR(image_contrast(of({0, 0, 0, 9}, 2, 2)), std::sqrt(3), 1e-12);  // powers 0, 0, 0, 4 of mean 1
}

TEST(SignalToError, IsTheRatioOfEnergies) {
  const Image reference = of({3, Complex(0, 4)}, 2, 1);
  EXPECT_NEAR(signal_to_error_db(of({Complex(3, 0.05), Complex(0, 4)}, 2, 1), reference), 40,
              1e-9);  // 25 against 0.0025
  EXPECT_TRUE(std::isinf(signal_to_error_db(reference, reference)));
  EXPECT_THROW(signal_to_error_db(of({1, 2}, 1, 2), reference), InputError);
}

TEST(CoherenceOfImages, IsOneUnderScaleAndPhaseAndFindsTheBadCorner) {
  std::vector<Complex> pixels;
  for (int n = 0; n < 400; ++n) pixels.push_back(std::polar(1.0 + n % 7, 0.3 * n * n));
  std::vector<Complex> turned = pixels;
  for (Complex& pixel : turned) pixel *= std::polar(0.2, 1.0);
  const Coherence same = coherence(of(turned, 20, 20), of(pixels, 20, 20));
  EXPECT_NEAR(same.minimum, 1, 1e-12);
  EXPECT_NEAR(same.percentile_1, 1, 1e-12);

  turned[0] = turned[0] * -20.0;  // one window of 324 sees this pixel
  const Coherence damaged = coherence(of(turned, 20, 20), of(pixels, 20, 20));
  EXPECT_LT(damaged.minimum, 0.5);
  EXPECT_NEAR(damaged.percentile_1, 1, 1e-12);
}

}  // namespace
}  // namespace rtcg::radar
