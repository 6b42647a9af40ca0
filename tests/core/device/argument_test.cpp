#include "rtcg/device/argument.h"

#include <gtest/gtest.h>

#include "rtcg/error.h"

namespace rtcg {
namespace {

TEST(Grid, CoversEveryItemWithWholeGroups) {
  EXPECT_EQ(Grid::over(0).groups[0], 1u);
  EXPECT_EQ(Grid::over(256).groups[0], 1u);
  EXPECT_EQ(Grid::over(257).groups[0], 2u);
  EXPECT_EQ(Grid::over(std::size_t{UINT32_MAX} * 1024, 1024).groups[0], UINT32_MAX);
}

TEST(Grid, RefusesWhatNoLaunchCanHaveRatherThanLaunchingLess) {
  EXPECT_THROW(Grid::over(100, 0), UsageError);
  EXPECT_THROW(Grid::of(0, 1), UsageError);
  EXPECT_THROW(Grid::of(1, 1, 1, 1, 0, 1), UsageError);
  EXPECT_THROW(Grid::of((std::size_t{1} << 32) + 1, 1), UsageError);
  EXPECT_THROW(Grid::over(SIZE_MAX, 1), UsageError);
}

}  // namespace
}  // namespace rtcg
