#include "radar/terrain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::radar {
namespace {

class TerrainFile : public testing::Test {
 protected:
  Terrain read(const std::string& text) {
    std::ofstream(file_) << text;
    return read_terrain(file_);
  }
  ScratchDirectory scratch_;
  std::filesystem::path file_ = scratch_ / "table";
};

const std::string head = "NCOLS 3\nnrows 2\nxllcorner -5\nyllcorner 10\ncellsize 10\nNODATA_value -1\n";

TEST_F(TerrainFile, FirstLineIsTheNorthAndCornersAreHalfACellOut) {
  const Terrain terrain = read(head + "1 2 3\n4 5 7\n");
  EXPECT_DOUBLE_EQ(terrain.height(0, 15), 4);
  EXPECT_DOUBLE_EQ(terrain.height(20, 15), 7);
  EXPECT_DOUBLE_EQ(terrain.height(0, 25), 1);
  EXPECT_DOUBLE_EQ(terrain.height(15, 20), 0.25 * (2 + 3 + 5 + 7));
  EXPECT_TRUE(std::isnan(terrain.height(-0.1, 15)));
  EXPECT_TRUE(std::isnan(terrain.height(0, 25.1)));
}

TEST_F(TerrainFile, HeightsOnAGridAreRelativeToItsCentre) {
  const Terrain terrain = read(head + "1 2 3\n4 5 7\n");
  ImageGrid grid;
  grid.nx = 3, grid.ny = 2, grid.dx = 10, grid.dy = 10, grid.centre = {10, 20, 2};
  EXPECT_EQ(heights_on(terrain, grid), (std::vector<float>{2, 3, 5, -1, 0, 1}));
  EXPECT_FLOAT_EQ(static_cast<float>(ImageGrid(grid).position(0, 0, 0).z()), 2);
  grid.nx = 4;
  EXPECT_THROW(heights_on(terrain, grid), InputError);
}

TEST_F(TerrainFile, MissingCellsSpoilOnlyWhatTouchesThem) {
  const Terrain terrain = read(head + "1 -1 3\n4 5 7\n");
  EXPECT_TRUE(std::isnan(terrain.height(10, 25)));
  EXPECT_TRUE(std::isnan(terrain.height(5, 20)));
  EXPECT_DOUBLE_EQ(terrain.height(5, 15), 4.5);
}

TEST_F(TerrainFile, WrongFilesAreRefused) {
  EXPECT_THROW(read(""), InputError);
  EXPECT_THROW(read("PNG rubbish"), InputError);
  EXPECT_THROW(read(head + "1 2 3\n4 5\n"), InputError);
  EXPECT_THROW(read(head + "1 2 3\n4 5 6 7\n"), InputError);
  EXPECT_THROW(read(head + "1 2 3\n4 five 6\n"), InputError);
  EXPECT_THROW(read("ncols 3000000000\nnrows 3000000000\nxllcorner 0\nyllcorner 0\ncellsize 1\n1\n"), InputError);
  EXPECT_THROW(read("ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 0\n1 2\n"), InputError);
  EXPECT_THROW(read_terrain(file_.string() + ".not_there"), InputError);
}

}  // namespace
}  // namespace rtcg::radar
