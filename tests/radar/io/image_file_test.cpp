#include "radar/io/image_file.h"

#include <limits>

#include "rtcg/error.h"
#include "rtcg/io/hdf5.h"
#include "support/scratch_directory.h"

namespace rtcg::radar {
namespace {

Image example_image(std::size_t nz) {
  Image image;
  image.grid = {5, 3, nz, 0.25, 0.5, 2.0, {10, -20, 30}, {}};
  for (std::size_t i = 0; i < image.grid.pixels(); ++i)
    image.pixels.emplace_back(1.0 / 3 + static_cast<double>(i), -0.1 * static_cast<double>(i));
  return image;
}

TEST(ImageFile, VolumeInDoubleComesBackExactly) {
  const ScratchDirectory scratch;
  const Image image = example_image(4);
  write_image(scratch / "i.h5", image, {{"nfft", 4096.0}, {"window", "hamming"}}, ImageElement::full);
  EXPECT_EQ(hdf5::File::open(scratch / "i.h5").shape("/image"), (hdf5::Shape{4, 3, 5}));
  const StoredImage back = read_image(scratch / "i.h5");
  EXPECT_EQ(back.image.pixels, image.pixels);
  EXPECT_EQ(back.image.grid.nz, 4u);
  EXPECT_NEAR((back.image.grid.position(4, 0, 3) - image.grid.position(4, 0, 3)).norm(), 0, 1e-12);
  EXPECT_DOUBLE_EQ(back.image.grid.dz, 2.0);
  EXPECT_EQ(std::get<double>(back.parameters.at("nfft")), 4096);
  EXPECT_EQ(std::get<std::string>(back.parameters.at("window")), "hamming");
  EXPECT_EQ(back.parameters.size(), 2u);
}

TEST(ImageFile, PlaneHasTwoDimensionsAxesInMetresAndHeights) {
  const ScratchDirectory scratch;
  Image image = example_image(1);
  for (int i = 0; i < 15; ++i) image.grid.heights.push_back(0.5f * static_cast<float>(i));
  write_image(scratch / "i.h5", image);
  const hdf5::File file = hdf5::File::open(scratch / "i.h5");
  EXPECT_EQ(file.shape("/image"), (hdf5::Shape{3, 5}));
  EXPECT_EQ(file.element("/image"), hdf5::Element::complex64);
  EXPECT_EQ(file.read<double>("/x"), (std::vector<double>{9.5, 9.75, 10, 10.25, 10.5}));
  EXPECT_EQ(std::get<std::string>(file.attributes("/y").at("units")), "m");
  const StoredImage back = read_image(scratch / "i.h5");
  EXPECT_EQ(back.image.grid.heights, image.grid.heights);
  EXPECT_EQ(back.image.grid.dz, 2.0);
  for (std::size_t i = 0; i < 15; ++i) EXPECT_NEAR(std::abs(back.image.pixels[i] - image.pixels[i]), 0, 1e-6);
}

TEST(ImageFile, WrongFilesAreExplained) {
  const ScratchDirectory scratch;
  const auto write = [&](const std::vector<double>& x, const std::vector<std::complex<double>>& pixels,
                         const hdf5::Shape& shape) {
    hdf5::File file = hdf5::File::create(scratch / "w.h5");
    file.write<std::complex<double>>("/image", shape, pixels);
    file.write<double>("/x", {x.size()}, x);
    file.write<double>("/y", {2}, std::vector<double>{0, 1});
    file.write<double>("/z", {1}, std::vector<double>{0});
    file.close();
    return read_image(scratch / "w.h5");
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::complex<double>> six(6, 1.0);
  EXPECT_EQ(write({0, 1, 2}, six, {2, 3}).image.grid.nx, 3u);
  EXPECT_MESSAGE(InputError, "/x does not have the 3 values", write({0, 1}, six, {2, 3}));
  EXPECT_MESSAGE(InputError, "/x is not evenly ascending at element 1", write({0, 1.5, 2}, six, {2, 3}));
  EXPECT_MESSAGE(InputError, "/x is not evenly ascending", write({2, 1, 0}, six, {2, 3}));
  EXPECT_MESSAGE(InputError, "/x holds nan", write({0, nan, 2}, six, {2, 3}));
  EXPECT_MESSAGE(InputError, "/image has 1 dimensions", write({0, 1, 2}, six, {6}));
  EXPECT_MESSAGE(InputError, "/image has no pixels", write({}, {}, {2, 0}));
  std::vector<std::complex<double>> bad = six;
  bad[5] = {0, nan};
  EXPECT_MESSAGE(InputError, "not finite at x 2, y 1, z 0", write({0, 1, 2}, bad, {2, 3}));
  write_bytes(scratch / "text.h5", "no picture");
  EXPECT_MESSAGE(InputError, "text.h5: not an HDF5 file", read_image(scratch / "text.h5"));
  EXPECT_MESSAGE(InputError, "absent.h5", read_image(scratch / "absent.h5"));
  EXPECT_MESSAGE(InputError, "a directory", read_image(scratch.path()));
  EXPECT_MESSAGE(UsageError, "pixels for a grid",
                 write_image(scratch / "n.h5", Image{{2, 2, 1, 1, 1, 1, {0, 0, 0}, {}}, {}}));
}

}  // namespace
}  // namespace rtcg::radar
