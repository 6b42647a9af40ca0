#include "rtcg/array/shape.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "rtcg/error.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

constexpr std::int64_t huge = std::int64_t{1} << 40;

TEST(Shape, HoldsEightExtentsAndRefusesANinth) {
  Dims dims{1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(dims.size(), 8);
  EXPECT_EQ(dims.back(), 8);
  EXPECT_MESSAGE(UsageError, "an array has at most 8 dimensions", dims.push_back(9));
  EXPECT_MESSAGE(UsageError, "an array has at most 8 dimensions", Dims::filled(9, 1));
  dims.erase(2);
  EXPECT_EQ(dims, (Dims{1, 2, 4, 5, 6, 7, 8}));
  dims.insert(0, 9);
  EXPECT_EQ(dims, (Dims{9, 1, 2, 4, 5, 6, 7, 8}));
}

TEST(Shape, IsWrittenAsNumPyWritesIt) {
  EXPECT_EQ(to_string(Dims{}), "()");
  EXPECT_EQ(to_string(Dims{5}), "(5,)");
  EXPECT_EQ(to_string(Dims{3, 4}), "(3, 4)");
}

TEST(Shape, CountsElementsAndRefusesOverflow) {
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({3, 4, 5}), 60);
  EXPECT_EQ(element_count({3, 0, 5}), 0);
  EXPECT_EQ(element_count({std::numeric_limits<std::int64_t>::max()}), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(element_count({huge, huge, 0}), 0);
  EXPECT_MESSAGE(UsageError, "more than 2^63 - 1 elements", element_count({huge, huge}));
  EXPECT_MESSAGE(UsageError, "shape (2, -3) has a negative extent", element_count({2, -3}));
  EXPECT_MESSAGE(UsageError, "negative extent", element_count({0, -3}));
}

TEST(Shape, ContiguousStridesAreProductsOfLaterExtents) {
  EXPECT_EQ(contiguous_strides({2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_EQ(contiguous_strides({7}), Strides{1});
  EXPECT_EQ(contiguous_strides({}), Strides{});
}

TEST(Shape, BroadcastsAsNumPy) {
  EXPECT_EQ(broadcast({3, 1}, {4}), (Shape{3, 4}));
  EXPECT_EQ(broadcast({}, {2, 2}), (Shape{2, 2}));
  EXPECT_EQ(broadcast({1, 5}, {0, 5}), (Shape{0, 5}));
  EXPECT_EQ(broadcast({8, 1, 6, 1}, {7, 1, 5}), (Shape{8, 7, 6, 5}));
  EXPECT_MESSAGE(UsageError, "shapes (3, 2) and (3,) do not broadcast: 2 and 3", broadcast({3, 2}, {3}));
  EXPECT_MESSAGE(UsageError, "do not broadcast", broadcast({0}, {2}));
}

TEST(Shape, BroadcastStridesReadTheSameElements) {
  std::mt19937_64 random(11);
  for (int trial = 0; trial < 300; ++trial) {
    Shape target, shape;
    const int dimensions = static_cast<int>(random() % 5),
              skipped = dimensions == 0 ? 0 : static_cast<int>(random() % 2);
    for (int d = 0; d < dimensions; ++d) {
      target.push_back(static_cast<std::int64_t>(random() % 4));
      if (d >= skipped) shape.push_back(random() % 3 == 0 ? 1 : target[d]);
    }
    const Strides source = contiguous_strides(shape), strides = broadcast_strides(shape, source, target);
    for (std::int64_t linear = 0; linear < element_count(target); ++linear) {
      std::int64_t rest = linear, expected = 0, got = 0;
      for (int d = dimensions; d-- > 0;) {
        const std::int64_t i = rest % target[d];
        rest /= target[d];
        if (d >= skipped && shape[d - skipped] != 1) expected += i * source[d - skipped];
        got += i * strides[d];
      }
      ASSERT_EQ(got, expected) << to_string(shape) << " as " << to_string(target);
    }
  }
  EXPECT_MESSAGE(UsageError, "shape (3,) does not broadcast to (4,)", broadcast_strides({3}, {1}, {4}));
  EXPECT_MESSAGE(UsageError, "does not broadcast", broadcast_strides({1, 3}, {3, 1}, {3}));
}

TEST(Shape, AxesCountFromEitherEnd) {
  EXPECT_EQ(normalized_axis(-1, 3), 2);
  EXPECT_EQ(normalized_axis(0, 1), 0);
  EXPECT_MESSAGE(UsageError, "axis 3 is out of range for an array of 3 dimensions", normalized_axis(3, 3));
  EXPECT_MESSAGE(UsageError, "axis -4", normalized_axis(-4, 3));
  EXPECT_MESSAGE(UsageError, "0 dimensions", normalized_axis(0, 0));
}

}  // namespace
}  // namespace rtcg
