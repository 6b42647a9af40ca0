#include "vision/pool.h"

#include "image_reference.h"
#include "support/loops.h"

namespace rtcg::vision {
namespace {

using test::Images, test::pooled, test::random_images;

class PoolTest : public rtcg::test::LoopTest {
 protected:
  /// Within `relative` of the reference and of the largest value of the window.
  void expect_as_defined(const Images& images, const Pooling& pooling, double relative) {
    const std::vector<double> expected = pooled(images, pooling);
    const std::vector<float> found = pool(images.on(stream), pooling).to_vector<float>();
    ASSERT_EQ(found.size(), expected.size());
    double scale = 0;
    if (pooling.order == 1)
      for (const float v : images.values) scale = std::max(scale, static_cast<double>(std::abs(v)));
    for (std::size_t k = 0; k < found.size(); ++k)
      ASSERT_NEAR(found[k], expected[k],
                  relative * (std::abs(expected[k]) + scale * static_cast<double>(pooling.height * pooling.width)))
          << k;
  }
};

TEST_P(PoolTest, IsTheNormOfEachWindow) {
  std::mt19937 random(1);
  const auto extent = [&](std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(random);
  };
  for (const double order : {1.0, 2.0, 10.0, 3.0, 0.7}) {
    const std::size_t channels[] = {1, 3, 4, 8, 32};
    for (int trial = 0; trial < (order == 2 ? 3 : 1); ++trial) {
      Pooling pooling{extent(1, 6), extent(1, 6), order, extent(1, 3), extent(1, 3), {}};
      const Images images = random_images(random, extent(1, 3), pooling.height + extent(0, 12),
                                          pooling.width + extent(0, 12), channels[extent(0, 4)]);
      SCOPED_TRACE(testing::Message() << "order " << order << ", window " << pooling.height << " x " << pooling.width
                                      << ", strides " << pooling.stride_y << ", " << pooling.stride_x << ", "
                                      << images.count << " x " << images.height << " x " << images.width << " x "
                                      << images.channels);
      expect_as_defined(images, pooling, 2e-6);
    }
  }
}

TEST_P(PoolTest, TakesAWindowAsLargeAsTheImage) {
  std::mt19937 random(2);
  expect_as_defined(random_images(random, 2, 19, 23, 3), {19, 23, 2, 2, 2, {}}, 2e-6);
}

TEST_P(PoolTest, HighOrdersNeitherOverflowNorUnderflow) {
  std::mt19937 random(3);
  for (const double order : {10.0, 63.5})
    for (const float size : {1e6f, 3e37f, 1e-7f, 1e-36f}) {
      Images images = random_images(random, 1, 8, 8, 4, 0.5f * size, size);
      expect_as_defined(images, {3, 3, order, 2, 2, {}}, 1e-5);
    }
  Images zeros{1, 4, 4, 1, std::vector<float>(16, 0.0f)};
  for (const float v : pool(zeros.on(stream), {3, 3, 10, 1, 1, {}}).to_vector<float>()) EXPECT_EQ(v, 0.0f);
}

TEST_P(PoolTest, HighOrdersTendToTheMaximum) {
  Images images{1, 3, 3, 1, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  EXPECT_NEAR(pool(images.on(stream), {3, 3, 200, 1, 1, {}}).item<float>(), 9, 1e-4);
}

TEST_P(PoolTest, NotANumberStaysInItsWindows) {
  Images images{1, 1, 6, 1, {1, 2, NAN, 3, 4, 5}};
  for (const double order : {1.0, 10.0}) {
    const std::vector<float> found = pool(images.on(stream), {1, 2, order, 1, 1, {}}).to_vector<float>();
    for (std::size_t k = 0; k < found.size(); ++k)
      EXPECT_EQ(std::isnan(found[k]), k == 1 || k == 2) << order << " " << k;
  }
}

TEST_P(PoolTest, ZerosAroundTheImageKeepItsSize) {
  Images images{1, 2, 2, 1, {1, 2, 3, 4}};
  const Array found = pool(images.on(stream), {3, 3, 1, 1, 1, Border::zero});
  EXPECT_EQ(found.to_vector<float>(), std::vector<float>(4, 10.0f));
}

TEST_P(PoolTest, RefusesWhatCannotBeComputed) {
  const Array images = Array::zeros(stream, {1, 5, 5, 2}, Dtype::f32);
  EXPECT_THROW(pool(images, {6, 3, 1, 1, 1, {}}), UsageError);
  EXPECT_THROW(pool(images, {0, 3, 1, 1, 1, {}}), UsageError);
  EXPECT_THROW(pool(images, {3, 3, 0, 1, 1, {}}), UsageError);
  EXPECT_THROW(pool(images, {3, 3, 1, 0, 1, {}}), UsageError);
  EXPECT_THROW(pool(images, {3, 3, 1, 1, 1, Border::wrap}), UsageError);
  EXPECT_THROW(pool(images(0), {3, 3, 1, 1, 1, {}}), UsageError);
}

RTCG_INSTANTIATE_FOR_LOOPS(PoolTest);

}  // namespace
}  // namespace rtcg::vision
