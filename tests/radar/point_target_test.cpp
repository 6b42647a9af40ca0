// Backprojection against closed forms and against the matched filter computed without range bins on the host.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numbers>
#include <random>

#include "host_imaging.h"
#include "radar/backprojection.h"
#include "radar/geometry.h"
#include "radar/quality.h"
#include "support/devices.h"

namespace rtcg::radar {
namespace {

using test::Complex;
constexpr double degree = std::numbers::pi / 180;
constexpr std::size_t pulse_count = 121, sample_count = 201;

ImageGrid plane(std::size_t nx, std::size_t ny, double spacing, const Vec3& centre = Vec3::Zero()) {
  ImageGrid grid;
  grid.nx = nx, grid.ny = ny, grid.dx = grid.dy = spacing, grid.centre = centre;
  return grid;
}

class PointTargetTest : public rtcg::test::DeviceTest {
 protected:
  StoredPulses pulses_of(const std::vector<PointTarget>& targets, double azimuth = 0, std::size_t pulses = pulse_count,
                         std::size_t samples = sample_count) const {
    return simulate(stream(), circular_trajectory(pulses, 7100, 7270, azimuth - 2 * degree, azimuth + 2 * degree),
                    targets, {.samples = samples});
  }
  Image form(PulseSource& pulses, const ImageGrid& grid, const ImagingOptions& options = {}) const {
    return form_image(stream(), pulses, grid, options);
  }
};

ImagingOptions with(std::size_t nfft, Precision precision = Precision::accurate) {
  ImagingOptions options;
  options.nfft = nfft, options.precision = precision;
  return options;
}

constexpr Precision both[] = {Precision::accurate, Precision::reference};

TEST_P(PointTargetTest, LandsAtItsOwnPlaceWithItsOwnAmplitude) {
  const PointTarget targets[] = {{{7.03, -3.21, 0}, {1, 0}}, {{-5.5, 8.25, 2}, {0, -0.5}}, {{0, 0, -1}, {-1, 0}}};
  for (const Precision precision : both)
    for (const PointTarget& target : targets) {
      StoredPulses pulses = pulses_of({target}, 0.7);
      const Vec3 centre{target.position.x() + 0.33, target.position.y() - 0.41, target.position.z()};
      const Image image = form(pulses, plane(91, 87, 0.1, centre), with(4096, precision));
      const PointQuality point = point_quality(image, target.position.x(), target.position.y(),
                                               geometry_of(pulses.collection()).range_direction);
      EXPECT_LT((point.peak - target.position).norm(), 4e-4) << point.peak.transpose();
      const Complex expected = target.amplitude * static_cast<double>(pulse_count * sample_count);
      EXPECT_NEAR(std::abs(point.value), std::abs(expected), 3e-3 * std::abs(expected));
      const Image pixel = form(pulses, plane(1, 1, 0.1, target.position), with(4096, precision));
      EXPECT_LT(std::abs(pixel.pixels[0] - expected), 1e-3 * std::abs(expected));
    }
}

TEST_P(PointTargetTest, HasTheClosedFormImpulseResponse) {
  StoredPulses pulses = pulses_of({{{3, -2, 0}}}, 30 * degree);
  const Geometry geometry = geometry_of(pulses.collection());
  // A pulse stands for the width between pulses, so Np of them span Np / (Np - 1) of the arc between the outer two.
  const double cross_cell = geometry.cross_range_resolution * (pulse_count - 1) / pulse_count;
  for (const Precision precision : both) {
    const Image image = form(pulses, plane(171, 171, 0.06, {3, -2, 0}), with(4096, precision));
    const PointQuality point = point_quality(image, 3, -2, geometry.range_direction);
    EXPECT_NEAR(point.range.irw, 0.8859 * geometry.range_resolution, 0.01 * geometry.range_resolution);
    EXPECT_NEAR(point.cross_range.irw, 0.8859 * cross_cell, 0.01 * cross_cell);
    for (const ImpulseResponse& cut : {point.range, point.cross_range}) {
      EXPECT_NEAR(cut.pslr_db, -13.26, 0.25);
      EXPECT_NEAR(cut.islr_db, -10.11, 0.3);
      EXPECT_EQ(cut.lobes, 10);
    }
  }
}

TEST_P(PointTargetTest, WindowsShapeTheirOwnDirectionAndKeepTheAmplitude) {
  StoredPulses pulses = pulses_of({{{3, -2, 0}}});
  const Geometry geometry = geometry_of(pulses.collection());
  ImagingOptions options = with(4096);
  options.range_window = Window::parse("hamming"), options.azimuth_window = Window::parse("taylor:4,-30");
  const Image image = form(pulses, plane(171, 171, 0.06, {3, -2, 0}), options);
  const PointQuality point = point_quality(image, 3, -2, geometry.range_direction);
  EXPECT_NEAR(std::abs(point.value), pulse_count * sample_count, 0.003 * pulse_count * sample_count);
  EXPECT_LT(point.range.pslr_db, -41);
  EXPECT_NEAR(point.range.irw, 1.303 * geometry.range_resolution, 0.02 * geometry.range_resolution);
  EXPECT_NEAR(point.cross_range.pslr_db, -30, 1);
}

TEST_P(PointTargetTest, ImagesAddLikeTheirPulses) {
  StoredPulses one = pulses_of({{{3, -2, 0}}}), two = pulses_of({{{-7, 1, 1}, {0.5, 2}}});
  const Complex a{0.5, -1}, b{2, 0.25};
  const std::size_t count = pulse_count * sample_count;
  std::vector<std::complex<float>> first(count), second(count), mixed(count);
  one.read(0, pulse_count, first), two.read(0, pulse_count, second);
  for (std::size_t n = 0; n < count; ++n)
    mixed[n] = std::complex<float>(a * Complex(first[n]) + b * Complex(second[n]));
  StoredPulses sum(one.collection(), mixed);
  const ImageGrid grid = plane(61, 41, 0.4);
  const Image image = form(sum, grid, with(4096)), part = form(one, grid, with(4096));
  Image expected = form(two, grid, with(4096));
  for (std::size_t n = 0; n < grid.pixels(); ++n) expected.pixels[n] = a * part.pixels[n] + b * expected.pixels[n];
  EXPECT_GT(signal_to_error_db(image, expected), 100);
}

TEST_P(PointTargetTest, AMirroredSceneGivesAMirroredImage) {
  const std::vector<PointTarget> targets{{{3, -2, 0}, {1, 0}}, {{-7, 5, 1}, {0.5, 2}}};
  std::vector<PointTarget> mirrored = targets;
  for (PointTarget& target : mirrored) target.position.y() *= -1;
  StoredPulses pulses = pulses_of(targets), other = pulses_of(mirrored);
  const ImageGrid grid = plane(61, 41, 0.4);
  const Image image = form(pulses, grid, with(4096, Precision::reference));
  Image flipped = form(other, grid, with(4096, Precision::reference));
  for (std::size_t j = 0; j < grid.ny / 2; ++j)
    std::swap_ranges(flipped.pixels.begin() + static_cast<std::ptrdiff_t>(j * grid.nx),
                     flipped.pixels.begin() + static_cast<std::ptrdiff_t>((j + 1) * grid.nx),
                     flipped.pixels.begin() + static_cast<std::ptrdiff_t>((grid.ny - 1 - j) * grid.nx));
  EXPECT_GT(signal_to_error_db(image, flipped), 100);
}

StoredPulses noise(const Collection& collection) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<std::complex<float>> samples(collection.pulses() * collection.samples);
  for (auto& sample : samples) sample = {normal(random), normal(random)};
  return {collection, samples};
}

TEST_P(PointTargetTest, ApproachesTheMatchedFilterAsBinsGetFiner) {
  StoredPulses pulses = noise(pulses_of({}, 0.3, 9, 53).collection());
  const ImageGrid grid = plane(13, 11, 0.57);
  const Image expected = test::host_image(pulses, grid);
  double before = 0;
  for (const std::size_t nfft : {64u, 256u, 1024u, 4096u}) {
    const double ser = signal_to_error_db(form(pulses, grid, with(nfft, Precision::reference)), expected);
    EXPECT_GT(ser, before + (nfft > 64 ? 20 : 3)) << nfft;
    before = ser;
  }
  EXPECT_GT(before, 70);
  EXPECT_GT(signal_to_error_db(form(pulses, grid, with(4096)), expected), 55);
}

TEST_P(PointTargetTest, WeightsRampAndCorrectionsAreThoseOfTheMatchedFilter) {
  Collection collection = pulses_of({}, 0.3, 9, 53).collection();
  for (std::size_t p = 0; p < collection.pulses(); ++p) {
    collection.range_correction.push_back(0.02 * static_cast<double>(p) - 0.1);
    collection.phase_correction.push_back(0.7 * static_cast<double>(p * p));
  }
  StoredPulses pulses = noise(collection);
  const ImageGrid grid = plane(13, 11, 0.57);
  const Window hamming = Window::parse("hamming"), taylor = Window::parse("taylor");
  for (const bool ramp : {false, true})
    for (const bool autofocus : {false, true}) {
      ImagingOptions options = with(4096, Precision::reference);
      options.range_window = hamming, options.azimuth_window = taylor, options.ramp = ramp,
      options.autofocus = autofocus;
      const Image image = form(pulses, grid, options);
      const Image expected = test::host_image(pulses, grid, {hamming, taylor, ramp, autofocus});
      EXPECT_GT(signal_to_error_db(image, expected), 65) << ramp << autofocus;
    }
}

TEST_P(PointTargetTest, OddAndSingleCountsOfPulsesAndSamples) {
  for (const auto& [pulses, samples] :
       std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {1, 53}, {3, 2}, {11, 129}}) {
    StoredPulses source = noise(pulses_of({}, 0.3, pulses, samples).collection());
    const ImageGrid grid = plane(9, 7, samples < 3 ? 0.01 : 0.3);
    const Image expected = test::host_image(source, grid);
    for (const Precision precision : both)
      EXPECT_GT(signal_to_error_db(form(source, grid, with(4096, precision)), expected), 50)
          << pulses << " pulses, " << samples << " samples";
  }
}

TEST_P(PointTargetTest, IsTheAdjointOfTheSimulator) {
  const ImageGrid grid = plane(9, 7, 0.9);
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<PointTarget> scene;
  for (std::size_t j = 0; j < grid.ny; ++j)
    for (std::size_t i = 0; i < grid.nx; ++i)
      scene.push_back({grid.position(i, j, 0), {normal(random), normal(random)}});
  StoredPulses forward = pulses_of(scene, 0.3, 9, 53), data = noise(forward.collection());
  const std::size_t count = 9 * 53;
  std::vector<std::complex<float>> projected(count), measured(count);
  forward.read(0, 9, projected), data.read(0, 9, measured);
  Complex in_data = 0, in_image = 0;
  double scale = 0;
  for (std::size_t n = 0; n < count; ++n)
    in_data += Complex(measured[n]) * std::conj(Complex(projected[n])),
        scale += std::abs(measured[n]) * std::abs(projected[n]);
  const Image image = form(data, grid, with(4096, Precision::reference));
  for (std::size_t n = 0; n < scene.size(); ++n) in_image += image.pixels[n] * std::conj(scene[n].amplitude);
  EXPECT_LT(std::abs(in_data - in_image), 1e-4 * scale);
}

TEST_P(PointTargetTest, GotchaAgreesWithTheMatchedFilterAndIsInFocus) {
  const char* root = std::getenv("RTCG_SOURCE_DIR");
  std::vector<std::filesystem::path> files;
  for (const char* name : {"data_3dsar_pass1_az001_HH.mat", "data_3dsar_pass1_az002_HH.mat"})
    files.push_back(std::filesystem::path(root ? root : ".") / "../shared/data/radar" / name);
  if (!std::filesystem::exists(files[0]) || !std::filesystem::exists(files[1]))
    GTEST_SKIP() << files[0] << " is not there: the AFRL Gotcha files az001 and az002 (HH, pass 1) are needed";
  const auto pulses = open_pulses(files);

  // About the corner reflector at (-16, 21), where the scene is brightest.
  const ImageGrid patch = plane(9, 9, 0.2, {-16, 21, 0});
  const Image expected = test::host_image(*pulses, patch);
  const Image found = form(*pulses, patch, with(4096));
  EXPECT_GT(signal_to_error_db(found, expected), 45);
  EXPECT_GT(coherence(found, expected).minimum, 0.9999);

  const ImageGrid scene = plane(201, 201, 0.4);
  const Image image = form(*pulses, scene, with(4096));
  Collection wrong = pulses->collection();
  for (std::size_t p = 0; p < wrong.pulses(); ++p)
    wrong.reference_range[p] += 0.05 * std::pow(static_cast<double>(p) / static_cast<double>(wrong.pulses()) - 0.5, 2);
  std::vector<std::complex<float>> samples(wrong.pulses() * wrong.samples);
  pulses->read(0, wrong.pulses(), samples);
  StoredPulses defocused(wrong, samples);
  EXPECT_LT(image_entropy(image) + 0.2, image_entropy(form(defocused, scene, with(4096))));
}

RTCG_INSTANTIATE_FOR_DEVICES(PointTargetTest);

}  // namespace
}  // namespace rtcg::radar
