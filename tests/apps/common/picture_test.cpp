#include "apps/common/picture.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>

#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::app {
namespace {

class PictureFile : public testing::Test {
 protected:
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory_.path()), std::filesystem::directory_iterator()));
  }
  ScratchDirectory directory_;
};

TEST_F(PictureFile, IsAPngOfTrueProportions) {
  if (!pictures_available()) GTEST_SKIP() << "built without OpenCV";
  std::vector<float> values(40 * 10, -60.0f);
  values[7 * 40 + 30] = 0;
  values[0] = -std::numeric_limits<float>::infinity();
  values[1] = std::nanf("");
  const auto file = directory_ / "a.png";
  write_picture(file, {.decibels = values,
                       .nx = 40,
                       .ny = 10,
                       .x_first = -20,
                       .y_first = 0,
                       .dx = 1,
                       .dy = 2,
                       .title = "forty by ten"});
  const std::string png = read_bytes(file);
  ASSERT_GT(png.size(), 1000u);
  EXPECT_EQ(png.substr(1, 3), "PNG");
  const auto word = [&](std::size_t at) {
    return (static_cast<unsigned char>(png[at + 2]) << 8) + static_cast<unsigned char>(png[at + 3]);
  };
  EXPECT_GT(word(16), word(20));  // 40 m wide, 20 m high
  EXPECT_EQ(files(), 1u);
}

TEST_F(PictureFile, RefusesNonsense) {
  if (!pictures_available()) GTEST_SKIP() << "built without OpenCV";
  const std::vector<float> values(6, 0.0f);
  EXPECT_THROW(write_picture(directory_ / "a.png", {.decibels = values, .nx = 4, .ny = 2}), UsageError);
  EXPECT_THROW(write_picture(directory_ / "a.png", {.decibels = values, .nx = 3, .ny = 2, .range_db = 0}), UsageError);
  EXPECT_THROW(write_picture(directory_ / "nowhere/a.png", {.decibels = values, .nx = 3, .ny = 2}), InputError);
  EXPECT_THROW(parse_colour_map("jet"), UsageError);
  EXPECT_EQ(files(), 0u);
}

}  // namespace
}  // namespace rtcg::app
