#include "radar/image.h"

#include <limits>

#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg::radar {
namespace {

TEST(ImageGrid, PixelsLieAboutTheCentre) {
  const ImageGrid odd{5, 4, 1, 0.5, 2, 1, {10, 20, 30}, std::vector<float>(20, 1.5f)};
  odd.check();
  EXPECT_EQ(odd.position(2, 0, 0), Vec3(10, 17, 31.5));
  EXPECT_EQ(odd.position(4, 3, 0), Vec3(11, 23, 31.5));
}

TEST(ImageGrid, NonsenseIsRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto broken = [](const auto& change) {
    ImageGrid grid{4, 3, 1, 1, 1, 1, {0, 0, 0}, {}};
    change(grid);
    return message_of<UsageError>([&] { grid.check(); });
  };
  EXPECT_NE(broken([](auto& g) { g.ny = 0; }).find("4 x 0 x 1"), std::string::npos);
  EXPECT_NE(broken([](auto& g) { g.nx = g.ny = g.nz = std::size_t{1} << 22; }).find("address space"),
            std::string::npos);
  EXPECT_NE(broken([](auto& g) { g.dx = 0; }).find("dx is 0"), std::string::npos);
  EXPECT_NE(broken([](auto& g) { g.dy = -1; }).find("dy is -1"), std::string::npos);
  EXPECT_NE(broken([&](auto& g) { g.dz = nan; }).find("dz is nan"), std::string::npos);
  EXPECT_NE(broken([&](auto& g) { g.centre.z() = nan; }).find("centre is not finite"), std::string::npos);
  EXPECT_NE(broken([](auto& g) {
              g.dx = 1e11;
              g.nx = 100;
            }).find("extent overflows"),
            std::string::npos);
  EXPECT_NE(broken([](auto& g) { g.centre.x() = 1e300; }).find("extent overflows"), std::string::npos);
  EXPECT_NE(broken([](auto& g) { g.nx = g.ny = 1, g.dx = 1e300; }).find("dx is 1e+300"), std::string::npos);
  EXPECT_NE(broken([](auto& g) { g.dz = 1e-320; }).find("dz is"), std::string::npos);
  EXPECT_NE(broken([](auto& g) { g.heights.assign(12, 1e38f); }).find("pixel (0, 0)"), std::string::npos);
  EXPECT_NE(broken([](auto& g) { g.heights.resize(11); }).find("11 heights for 4 x 3"), std::string::npos);
  EXPECT_NE(broken([](auto& g) {
              g.nz = 2;
              g.heights.resize(12);
            }).find("single layer"),
            std::string::npos);
  EXPECT_NE(broken([&](auto& g) { g.heights.assign(12, static_cast<float>(nan)); }).find("pixel (0, 0)"),
            std::string::npos);
}

}  // namespace
}  // namespace rtcg::radar
