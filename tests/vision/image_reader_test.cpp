#include "vision/image_reader.h"

#include <gtest/gtest.h>

#include "rtcg/error.h"

namespace rtcg::vision {
namespace {

/// Single pixels that count; one of them may be bad.
class Counting : public ImageSource {
 public:
  explicit Counting(std::size_t size, std::size_t bad = SIZE_MAX) : size_(size), bad_(bad) {}
  std::size_t size() const override { return size_; }
  std::string name(std::size_t index) const override { return std::to_string(index); }
  std::string folder(std::size_t) const override { return {}; }
  HostImage read(std::size_t index) const override {
    if (index == bad_) throw InputError("image " + name(index));
    return {1, 1, 1, {static_cast<float>(index)}};
  }

 private:
  std::size_t size_, bad_;
};

TEST(ImageReaderTest, KeepsTheOrderWithAnyNumberOfThreads) {
  const Counting images(1000);
  for (const unsigned threads : {0u, 1u, 2u, 7u}) {
    ImageReader reader(images, 1, threads);
    for (std::size_t k = 0; k < 1000; ++k) ASSERT_EQ(reader.take().pixels.at(0), static_cast<float>(k));
    EXPECT_GE(reader.waited(), 0);
  }
}

TEST(ImageReaderTest, GivesWhatCameBeforeABadImageAndThenItsError) {
  for (const std::size_t bad : {1, 63, 64, 65, 500, 999}) {
    const Counting images(1000, bad);
    ImageReader reader(images, 64, 3);
    for (std::size_t k = 0; k < bad; ++k) ASSERT_EQ(reader.take().pixels.at(0), static_cast<float>(k));
    EXPECT_THROW(reader.take(), InputError) << bad;
  }
  EXPECT_THROW(ImageReader(Counting(3, 0), 64), InputError);
}

TEST(ImageReaderTest, StopsWhenLeftEarly) {
  const Counting images(100000);
  ImageReader reader(images, 64, 3);
  EXPECT_EQ(reader.take().pixels.at(0), 0.0f);
}

}  // namespace
}  // namespace rtcg::vision
