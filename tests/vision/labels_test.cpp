#include "vision/labels.h"

#include "rtcg/array/interchange/npy.h"
#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg::vision {
namespace {

/// Six images by name alone.
class Names : public ImageSource {
 public:
  std::size_t size() const override { return names.size(); }
  std::string name(std::size_t index) const override { return names.at(index); }
  std::string folder(std::size_t index) const override {
    return std::filesystem::path(names.at(index)).parent_path().generic_string();
  }
  HostImage read(std::size_t) const override { return {}; }

  std::vector<std::string> names{"cat/a.png", "cat/b.png", "dog/a.png", "dog/c.png", "dog/d.png", "owl/e.png"};
};

class LabelsTest : public test::DeviceTest {
 protected:
  Labels of(const std::string& text) { return read_labels(stream_, text, images_); }
  std::string file(const std::string& content) {
    write_bytes(scratch_ / "labels.csv", content);
    return (scratch_ / "labels.csv").string();
  }
  const ScratchDirectory scratch_;
  const Stream stream_{device()};
  Names images_;
};

using Classes = std::vector<std::size_t>;
using Words = std::vector<std::string>;

TEST_P(LabelsTest, CountsFoldersFilesAndArraysSayTheSame) {
  const Classes classes{0, 0, 1, 1, 1, 2};
  EXPECT_EQ(of("2x0,3x1,1x2").classes, classes);
  EXPECT_EQ(of("folders").classes, classes);
  EXPECT_EQ(of("folders").names, (Words{"cat", "dog", "owl"}));
  EXPECT_EQ(of(file("# by hand\ncat\ncat\n\ndog # sure\r\ndog\ndog\nowl\n")).classes, classes);
  EXPECT_EQ(of(file("file,label\ndog/a.png,1\nb.png,0\ncat/a.png,0\nc.png, 1\nd.png,1\ne.png,2\n")).classes, classes);
  write_npy(scratch_ / "labels.npy", Array::from(stream_, std::vector<std::int32_t>{-5, -5, 0, 0, 0, 70}));
  EXPECT_EQ(of((scratch_ / "labels.npy").string()).classes, classes);
  EXPECT_EQ(of((scratch_ / "labels.npy").string()).names, (Words{"-5", "0", "70"}));
  EXPECT_EQ(of("1x10,5x9").classes, (Classes{1, 0, 0, 0, 0, 0}));  // numbers by their values
}

TEST_P(LabelsTest, WhatDoesNotFitIsRefused) {
  EXPECT_MESSAGE(InputError, "5 labels for 6 images", of("2x0,3x1"));
  EXPECT_MESSAGE(InputError, "7 labels for 6 images", of(file("0\n0\n0\n1\n1\n1\n1\n")));
  EXPECT_MESSAGE(UsageError, "all images are labelled 'a'", of("6xa"));
  EXPECT_MESSAGE(InputError, "labels cannot be read", of("0x1,6x2"));
  EXPECT_MESSAGE(InputError, "labels cannot be read", of((scratch_ / "none.txt").string()));
  EXPECT_MESSAGE(InputError, "labels.csv:2: there is no image 'z.png'", of(file("b.png,0\nz.png,1\n")));
  EXPECT_MESSAGE(InputError, "labels.csv:1: there are several images 'a.png'", of(file("a.png,0\n")));
  EXPECT_MESSAGE(InputError, "labels.csv:2: image 'b.png' has a label already", of(file("b.png,0\nb.png,1\n")));
  EXPECT_MESSAGE(InputError, "no label for image 'cat/a.png'", of(file("b.png,0\n")));
  EXPECT_MESSAGE(InputError, "labels.csv:2: '7' names no image", of(file("b.png,0\n7\n")));
  EXPECT_MESSAGE(InputError, "labels.csv:1: 'b.png,'", of(file("b.png,\n")));
  write_npy(scratch_ / "real.npy", Array::from(stream_, std::vector<float>(6)));
  EXPECT_MESSAGE(InputError, "one dimension of integers", of((scratch_ / "real.npy").string()));
  images_.names[3] = "stray.png";
  EXPECT_MESSAGE(InputError, "stray.png: lies in no folder", of("folders"));
}

RTCG_INSTANTIATE_FOR_DEVICES(LabelsTest);

}  // namespace
}  // namespace rtcg::vision
