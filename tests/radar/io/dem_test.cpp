#include "radar/io/dem.h"

#include <cstring>
#include <limits>

#include "rtcg/error.h"
#include "rtcg/io/hdf5.h"
#include "support/scratch_directory.h"

namespace rtcg::radar {
namespace {

const ImageGrid grid{4, 3, 1, 0.5, 0.25, 1, {10, 20, 0}, {}};

void write_terrain(const std::filesystem::path& path, const std::vector<double>& x, const std::vector<double>& y) {
  hdf5::File file = hdf5::File::create(path);
  std::vector<double> heights;
  for (double b : y)
    for (double a : x) heights.push_back(1 + 2 * a - 3 * b + 0.5 * a * b);  // bilinear: interpolation is exact
  file.write<double>("/t/z", {y.size(), x.size()}, heights);
  file.write<double>("/t/x", {x.size()}, x);
  file.write<double>("/t/y", {y.size()}, y);
  file.close();
}

std::string npy(const std::string& type, const std::string& shape, const std::string& data,
                const std::string& order = "False") {
  const std::string header = "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
  std::string out = "\x93NUMPY";
  out += std::string("\x01\x00", 2) + static_cast<char>(header.size()) + '\0';
  return out + header + data;
}

template <class T>
std::string raw(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

TEST(Dem, HeightsAreInterpolatedWhereAxesAreGiven) {
  const ScratchDirectory scratch;
  write_terrain(scratch / "t.h5", {8, 9, 10, 11}, {18, 20, 22});
  const std::vector<float> heights = read_heights((scratch / "t.h5").string() + ":/t/z", grid);
  ASSERT_EQ(heights.size(), 12u);
  for (std::size_t j = 0; j < 3; ++j)
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(heights[j * 4 + i], 1 + 2 * grid.x(i) - 3 * grid.y(j) + 0.5 * grid.x(i) * grid.y(j), 1e-4);
}

TEST(Dem, ArraysOfTheImagesShapeAreTakenAsTheyAre) {
  const ScratchDirectory scratch;
  std::vector<float> values(12);
  for (std::size_t i = 0; i < 12; ++i) values[i] = 0.5f * static_cast<float>(i);
  write_bytes(scratch / "f.npy", npy("<f4", "(3, 4)", raw(values)));
  EXPECT_EQ(read_heights((scratch / "f.npy").string(), grid), values);
  std::string big;
  for (int i = 0; i < 12; ++i) big += std::string{static_cast<char>(0xff), static_cast<char>(0x80 + i)};
  write_bytes(scratch / "s.npy", npy(">i2", "(3, 4)", big));
  EXPECT_EQ(read_heights((scratch / "s.npy").string(), grid)[3], -125.0f);
}

TEST(Dem, AsciiGridsAreReadAndHeightsAreRelativeToThePlane) {
  const ScratchDirectory scratch;
  std::string text = "ncols 2\nnrows 2\nxllcenter -1000\nyllcenter -1000\ncellsize 2000\n5 5\n5 5\n";
  write_bytes(scratch / "t.asc", text);
  EXPECT_EQ(read_heights((scratch / "t.asc").string(), grid), std::vector<float>(12, 5.0f));
  write_bytes(scratch / "f.npy", npy("<f4", "(3, 4)", raw(std::vector<float>(12, 5.0f))));
  write_terrain(scratch / "t.h5", {8, 9, 10, 11}, {18, 20, 22});
  const std::string dataset = (scratch / "t.h5").string() + ":/t/z";
  const float below = read_heights(dataset, grid)[5] - 2.0f;
  ImageGrid raised = grid;
  raised.centre.z() += 2;
  EXPECT_EQ(read_heights((scratch / "t.asc").string(), raised), std::vector<float>(12, 3.0f));
  EXPECT_EQ(read_heights((scratch / "f.npy").string(), raised), std::vector<float>(12, 3.0f));
  EXPECT_NEAR(read_heights(dataset, raised)[5], below, 1e-4);
}

TEST(Dem, WrongTerrainIsExplained) {
  const ScratchDirectory scratch;
  const auto read = [&](const std::string& name, const std::string& bytes) {
    write_bytes(scratch / name, bytes);
    return read_heights((scratch / name).string(), grid);
  };
  const std::string twelve = raw(std::vector<float>(12));
  EXPECT_MESSAGE(InputError, "4 x 2 heights (x by y) for an image of 4 x 3",
                 read("a.npy", npy("<f4", "(2, 4)", twelve)));
  EXPECT_MESSAGE(InputError, "too short for 3 x 4", read("a.npy", npy("<f8", "(3, 4)", twelve)));
  EXPECT_MESSAGE(InputError, "too short", read("a.npy", npy("<f4", "(4294967296, 4294967296)", twelve)));
  EXPECT_MESSAGE(InputError, "another type", read("a.npy", npy("<i8", "(3, 4)", twelve)));
  EXPECT_MESSAGE(InputError, "column by column", read("a.npy", npy("<f4", "(3, 4)", twelve, "True")));
  EXPECT_MESSAGE(InputError, "has 1 dimensions", read("a.npy", npy("<f4", "(12,)", twelve)));
  EXPECT_MESSAGE(InputError, "not a .npy file", read("a.npy", "heights"));
  EXPECT_MESSAGE(InputError, "inside its header", read("a.npy", npy("<f4", "(3, 4)", twelve).substr(0, 30)));
  std::vector<float> bad(12);
  bad[6] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_MESSAGE(InputError, "row 1, column 2", read("a.npy", npy("<f4", "(3, 4)", raw(bad))));
  write_terrain(scratch / "t.h5", {8, 9, 10}, {18, 20, 22});
  EXPECT_MESSAGE(InputError, "a pixel at x = 10.25 m lies outside the terrain, 8 to 10 m",
                 read_heights((scratch / "t.h5").string() + ":/t/z", grid));
  write_terrain(scratch / "t.h5", {8, 9, 9.5, 11}, {18, 20, 22});
  EXPECT_MESSAGE(InputError, "x axis is not evenly ascending",
                 read_heights((scratch / "t.h5").string() + ":/t/z", grid));
  EXPECT_MESSAGE(InputError, "name the dataset", read_heights((scratch / "t.h5").string(), grid));
  EXPECT_MESSAGE(InputError, "no such dataset", read_heights((scratch / "t.h5").string() + ":/t/q", grid));
  EXPECT_MESSAGE(InputError, "no such file", read_heights((scratch / "none.npy").string(), grid));
}

}  // namespace
}  // namespace rtcg::radar
