#include "vision/normalise.h"

#include "image_reference.h"
#include "support/loops.h"

namespace rtcg::vision {
namespace {

using test::Images, test::normalised, test::random_images;

class NormaliseTest : public rtcg::test::LoopTest {
 protected:
  void expect_as_defined(const Images& images, const Normalisation& normalisation, double tolerance) {
    const std::vector<double> expected = normalised(images, normalisation);
    const std::vector<float> found = normalise(images.on(stream), normalisation).to_vector<float>();
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) ASSERT_NEAR(found[k], expected[k], tolerance) << k;
  }
};

TEST_P(NormaliseTest, IsTheDeviationOverTheNormOfEachWindow) {
  std::mt19937 random(1);
  const auto extent = [&](std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(random);
  };
  for (const bool remove_mean : {false, true})
    for (const std::size_t channels : {1, 3, 64}) {
      const double stretches[] = {0.1, 1, 10};
      const Normalisation normalisation{extent(1, 9), extent(1, 9), remove_mean, stretches[extent(0, 2)], 1,
                                        1e-4,         Border::valid};
      const Images images = random_images(random, extent(1, 2), normalisation.height + extent(0, 12),
                                          normalisation.width + extent(0, 70), channels);
      SCOPED_TRACE(testing::Message() << "window " << normalisation.height << " x " << normalisation.width
                                      << (remove_mean ? ", less mean, " : ", ") << images.count << " x "
                                      << images.height << " x " << images.width << " x " << channels);
      expect_as_defined(images, normalisation, 3e-6 * normalisation.stretch);
    }
}

TEST_P(NormaliseTest, TakesAWindowAsLargeAsTheImage) {
  std::mt19937 random(2);
  expect_as_defined(random_images(random, 2, 37, 90, 1), {37, 90, true, 1, 0.5, 1e-4, Border::valid}, 1e-6);
}

TEST_P(NormaliseTest, BrightFlatImagesDoNotCancel) {
  std::mt19937 random(3);
  for (const std::size_t channels : {1, 4}) {
    // Values near 60000 with steps of 1/128: Q - S^2 / M in single precision would have no digit left.
    Images images = random_images(random, 1, 24, 24, channels, 0, 1);
    for (float& v : images.values) v = 60000.0f + std::floor(v * 128) / 128;
    expect_as_defined(images, {5, 5, true, 1, 1e-3, 1e-4, Border::valid}, channels == 1 ? 1e-6 : 2e-2);
  }
}

TEST_P(NormaliseTest, AConstantImageLessItsMeanIsZero) {
  for (const std::size_t channels : {1, 8}) {
    const Images images{1, 12, 12, channels, std::vector<float>(144 * channels, 1000.5f)};
    for (const float v : normalise(images.on(stream), {3, 3, true, 1, 1, 1e-4, Border::valid}).to_vector<float>())
      ASSERT_EQ(v, 0.0f);
  }
}

TEST_P(NormaliseTest, ZeroVarianceDoesNotDivideByZero) {
  const Images images{1, 6, 6, 1, std::vector<float>(36, 0.0f)};
  for (const double threshold : {0.0, 1.0})
    for (const float v :
         normalise(images.on(stream), {3, 3, false, 1, threshold, 1e-4, Border::valid}).to_vector<float>())
      ASSERT_EQ(v, 0.0f);
}

TEST_P(NormaliseTest, ContrastAboveTheThresholdDoesNotMatter) {
  std::mt19937 random(4);
  const Images images = random_images(random, 1, 16, 16, 3, 10, 20);
  Images brighter = images;
  for (float& v : brighter.values) v *= 64;
  const Normalisation normalisation{5, 5, true, 1, 1, 1e-4, Border::valid};
  const std::vector<float> a = normalise(images.on(stream), normalisation).to_vector<float>();
  const std::vector<float> b = normalise(brighter.on(stream), normalisation).to_vector<float>();
  for (std::size_t k = 0; k < a.size(); ++k) ASSERT_NEAR(a[k], b[k], 1e-5);
}

TEST_P(NormaliseTest, ChannelVectorsAreNoLongerThanOne) {
  std::mt19937 random(5);
  const Images images = random_images(random, 1, 16, 16, 16, -9, 9);
  const std::vector<float> found =
      normalise(images.on(stream), {3, 3, false, 1, 1, 1e-4, Border::valid}).to_vector<float>();
  for (std::size_t pixel = 0; pixel < found.size() / 16; ++pixel) {
    double square = 0;
    for (std::size_t c = 0; c < 16; ++c) square += std::pow(static_cast<double>(found[16 * pixel + c]), 2);
    ASSERT_LE(square, 1 + 1e-6);
    ASSERT_GT(square, 0);
  }
}

TEST_P(NormaliseTest, ZerosAroundTheImageCountAsValues) {
  const Images images{1, 2, 2, 1, {3, 3, 3, 3}};
  Normalisation normalisation{3, 3, true, 1, 1, 1e-4, Border::zero};
  const Images padded{1, 4, 4, 1, {0, 0, 0, 0, 0, 3, 3, 0, 0, 3, 3, 0, 0, 0, 0, 0}};
  const std::vector<double> expected = normalised(padded, normalisation);
  const std::vector<float> found = normalise(images.on(stream), normalisation).to_vector<float>();
  ASSERT_EQ(found.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(found[k], expected[k], 1e-6);
}

TEST_P(NormaliseTest, ReadsViewsAndIntegers) {
  std::vector<std::uint8_t> bytes(2 * 8 * 8 * 5);
  std::mt19937 random(6);
  for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
  const Array all = Array::from(stream, bytes, Shape{2, 8, 8, 5});
  const Array view = all(1, all_of, Slice{1, 7}, Slice{0, 4}).expand_dims(0);
  Images images{1, 8, 6, 4, view.astype(Dtype::f32).to_vector<float>()};
  const Normalisation normalisation{3, 4, true, 1, 1, 1e-4, Border::valid};
  const std::vector<double> expected = normalised(images, normalisation);
  const std::vector<float> found = normalise(view, normalisation).to_vector<float>();
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t k = 0; k < found.size(); ++k) ASSERT_NEAR(found[k], expected[k], 1e-6);
}

TEST_P(NormaliseTest, RefusesWhatCannotBeComputed) {
  const Array images = Array::zeros(stream, {1, 5, 5, 2}, Dtype::f32);
  const auto refuses = [&](const auto& change) {
    Normalisation normalisation;
    change(normalisation);
    EXPECT_THROW(normalise(images, normalisation), UsageError);
  };
  refuses([](Normalisation& n) { n.height = 0; });
  refuses([](Normalisation& n) { n.width = 6; });
  refuses([](Normalisation& n) { n.stretch = 0; });
  refuses([](Normalisation& n) { n.threshold = -1; });
  refuses([](Normalisation& n) { n.epsilon = NAN; });
  refuses([](Normalisation& n) { n.border = Border::reflect; });
  EXPECT_THROW(normalise(Array::zeros(stream, {5, 5, 2}, Dtype::f32), {}), UsageError);
  EXPECT_THROW(normalise(Array::zeros(stream, {0, 5, 5, 2}, Dtype::f32), {}), UsageError);
}

RTCG_INSTANTIATE_FOR_LOOPS(NormaliseTest);

}  // namespace
}  // namespace rtcg::vision
