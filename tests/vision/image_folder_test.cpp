#include "vision/image_folder.h"

#include <gtest/gtest.h>

#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::vision {
namespace {

/// Portable any-map: the bytes of the pixels follow a header of text.
void write_pnm(const std::filesystem::path& file, const char* kind, int width, int height, int most,
               const std::string& pixels) {
  std::filesystem::create_directories(file.parent_path());
  write_bytes(file, std::string(kind) + "\n" + std::to_string(width) + " " + std::to_string(height) + "\n" +
                        std::to_string(most) + "\n" + pixels);
}

class ImageFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    write_pnm(scratch_ / "b/two.pgm", "P5", 2, 1, 255, std::string("\x00\xff", 2));
    try {
      ImageFolder(scratch_.path(), {});
    } catch (const UsageError&) {
      GTEST_SKIP() << "built without OpenCV";
    }
  }
  const ScratchDirectory scratch_;
};

TEST_F(ImageFolderTest, ListsPicturesByPathWithTheirFolders) {
  write_pnm(scratch_ / "a/one.PGM", "P5", 1, 1, 255, "\x80");
  write_pnm(scratch_ / "c.ppm", "P6", 1, 1, 255, "\x10\x20\x30");
  write_bytes(scratch_ / "a/notes.txt", "no picture");
  const ImageFolder folder(scratch_.path(), {});
  ASSERT_EQ(folder.size(), 3u);
  EXPECT_EQ(folder.name(0), "a/one.PGM");
  EXPECT_EQ(folder.folder(0), "a");
  EXPECT_EQ(folder.name(2), "c.ppm");
  EXPECT_EQ(folder.folder(2), "");
  EXPECT_EQ(folder.read(1).pixels, (std::vector<float>{0, 1}));
  const auto single = open_images(scratch_ / "c.ppm", {});
  EXPECT_EQ(single->size(), 1u);
  EXPECT_EQ(single->read(0).channels, 1u);
}

TEST_F(ImageFolderTest, ReadsSixteenBitsWhole) {
  write_pnm(scratch_ / "deep/x.pgm", "P5", 2, 1, 65535, std::string("\x12\x34\xff\xff", 4));
  const HostImage image = ImageFolder(scratch_ / "deep", {}).read(0);
  EXPECT_FLOAT_EQ(image.pixels[0], 0x1234 / 65535.0f);
  EXPECT_FLOAT_EQ(image.pixels[1], 1);
}

TEST_F(ImageFolderTest, MakesColourAndGreyOfOneAnother) {
  write_pnm(scratch_ / "c/x.ppm", "P6", 2, 1, 255, "\xff\x01\x02\x01\xff\x02");
  const HostImage colour = ImageFolder(scratch_ / "c", {0, 0, 0, 3}).read(0);
  ASSERT_EQ(colour.pixels.size(), 6u);
  EXPECT_FLOAT_EQ(colour.pixels[0], 1);  // red comes first
  EXPECT_FLOAT_EQ(colour.pixels[4], 1);  // then green
  EXPECT_FLOAT_EQ(colour.pixels[5], 2 / 255.0f);
  const HostImage grey = ImageFolder(scratch_ / "c", {}).read(0);
  ASSERT_EQ(grey.pixels.size(), 2u);
  EXPECT_NEAR(grey.pixels[0], 0.299, 0.01);
  EXPECT_NEAR(grey.pixels[1], 0.587, 0.01);
  EXPECT_EQ(ImageFolder(scratch_ / "b", {0, 0, 0, 3}).read(0).pixels, (std::vector<float>{0, 0, 0, 1, 1, 1}));
}

TEST_F(ImageFolderTest, ResizesToASizeOrALongestEdge) {
  write_pnm(scratch_ / "r/x.pgm", "P5", 8, 4, 255, std::string(16, '\x00') + std::string(16, '\xff'));
  const HostImage exact = ImageFolder(scratch_ / "r", {2, 4, 0, 1}).read(0);
  EXPECT_EQ(exact.height, 2u);
  EXPECT_EQ(exact.width, 4u);
  EXPECT_EQ(exact.pixels, (std::vector<float>{0, 0, 0, 0, 1, 1, 1, 1}));
  const HostImage edge = ImageFolder(scratch_ / "r", {0, 0, 4, 1}).read(0);
  EXPECT_EQ(edge.height, 2u);
  EXPECT_EQ(edge.width, 4u);
  EXPECT_EQ(ImageFolder(scratch_ / "r", {0, 0, 16, 1}).read(0).width, 16u);
}

TEST_F(ImageFolderTest, BadFilesAndFoldersAreNamed) {
  std::filesystem::create_directories(scratch_ / "bad");
  write_bytes(scratch_ / "bad/x.png", "this is no picture");
  EXPECT_NE(
      message_of<InputError>([&] { ImageFolder(scratch_ / "bad", {}).read(0); }).find("x.png: it does not decode"),
      std::string::npos);
  std::filesystem::create_directories(scratch_ / "empty");
  EXPECT_NE(message_of<InputError>([&] { open_images(scratch_ / "empty", {}); }).find("no picture"), std::string::npos);
  EXPECT_NE(message_of<InputError>([&] { open_images(scratch_ / "nowhere", {}); }).find("nowhere: there is no such"),
            std::string::npos);
}

TEST_F(ImageFolderTest, JpegsThatEndTooSoonAreRefused) {
  // 8 x 8 grey, as libjpeg writes it.
  const std::string digits =
      "ffd8ffe000104a46494600010100000100010000ffdb004300281c1e231e19282321232d2b28303c64413c37373c7b585d49"
      "64918099968f808c8aa0b4e6c3a0aadaad8a8cc8ffcbdaeef5ffffff9bc1fffffffaffe6fdfff8ffc0000b08000800080101"
      "1100ffc40014000100000000000000000000000000000000ffc40017100003010000000000000000000000000000020562ff"
      "da0008010100003f0024cc9fffd9";
  std::string jpeg;
  for (std::size_t k = 0; k < digits.size(); k += 2)
    jpeg += static_cast<char>(std::stoi(digits.substr(k, 2), nullptr, 16));
  std::filesystem::create_directories(scratch_ / "j");
  write_bytes(scratch_ / "j/whole.jpg", jpeg + "something after the picture's end");
  EXPECT_EQ(ImageFolder(scratch_ / "j", {}).read(0).height, 8u);
  write_bytes(scratch_ / "j/cut.jpg", jpeg.substr(0, jpeg.size() - 4));
  EXPECT_NE(message_of<InputError>([&] {
              ImageFolder(scratch_ / "j", {}).read(0);
            }).find("cut.jpg: the file ends before its picture does"),
            std::string::npos);
}

}  // namespace
}  // namespace rtcg::vision
