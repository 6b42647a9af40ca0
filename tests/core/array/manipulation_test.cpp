#include "rtcg/array/manipulation.h"

#include <gtest/gtest.h>

#include <random>

#include "rtcg/error.h"
#include "support/loops.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

class ManipulationTest : public test::LoopTest {
 protected:
  ~ManipulationTest() override { set_checked(false); }
  Array numbers(const Shape& shape) const {
    return Array::arange(stream, element_count(shape), Dtype::i32).reshape(shape);
  }
};

std::vector<int> ints(const Expression& x) {
  return x.astype(Dtype::i32).evaluate().to_vector<int>();
}

TEST_P(ManipulationTest, ConcatenatesAlongAnyAxisAndPromotes) {
  const Array a = numbers({2, 3}), b = numbers({2, 1});
  EXPECT_EQ(concatenate({a, b, a * 10}, 1).to_vector<int>(),
            (std::vector<int>{0, 1, 2, 0, 0, 10, 20, 3, 4, 5, 1, 30, 40, 50}));
  EXPECT_EQ(concatenate({a(0), a(1)}).to_vector<int>(), (std::vector<int>{0, 1, 2, 3, 4, 5}));
  const Array mixed = concatenate({a(0), sqrt(a(1).astype(Dtype::f64))}, -1);
  EXPECT_EQ(mixed.dtype(), Dtype::f64);
  EXPECT_EQ(mixed(4).item<double>(), 2.0);
  EXPECT_EQ(concatenate({a, numbers({0, 3})}).shape(), (Shape{2, 3}));
  EXPECT_MESSAGE(UsageError, "shapes (2, 3) and (2, 1) differ elsewhere than along axis 0", concatenate({a, b}, 0));
  EXPECT_MESSAGE(UsageError, "shapes (2, 3) and (3,) differ", concatenate({a, a(0)}));
  EXPECT_MESSAGE(UsageError, "no arrays", concatenate(std::span<const Expression>()));
  EXPECT_MESSAGE(UsageError, "no array among the operands", concatenate({indices({3}), indices({4})}));
}

TEST_P(ManipulationTest, StacksAndSplits) {
  const Array a = numbers({2, 3});
  EXPECT_EQ(stack({a, -a}).shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(stack({a(0), a(1), a(0)}, 1).to_vector<int>(), (std::vector<int>{0, 3, 0, 1, 4, 1, 2, 5, 2}));
  EXPECT_MESSAGE(UsageError, "stack: shapes (2, 3) and (3,) differ", stack({a, a(0)}));
  const auto thirds = split(a, 3, 1);
  ASSERT_EQ(thirds.size(), 3u);
  EXPECT_EQ(thirds[2].to_vector<int>(), (std::vector<int>{2, 5}));
  thirds[0].assign(9);  // parts are views
  EXPECT_EQ(a.to_vector<int>(), (std::vector<int>{9, 1, 2, 9, 4, 5}));
  const std::int64_t cuts[] = {1, 1};
  const auto uneven = split(a, cuts, 1);
  ASSERT_EQ(uneven.size(), 3u);
  EXPECT_EQ(uneven[1].shape(), (Shape{2, 0}));
  EXPECT_EQ(uneven[2].to_vector<int>(), (std::vector<int>{1, 2, 4, 5}));
  EXPECT_MESSAGE(UsageError, "split: 2 equal parts of an extent of 3", split(a, 2, 1));
  const std::int64_t backwards[] = {2, 1};
  EXPECT_MESSAGE(UsageError, "position 1 after 2 in an extent of 3", split(a, backwards, 1));
}

TEST_P(ManipulationTest, RepeatsTilesAndRolls) {
  const Array a = numbers({2, 3});
  EXPECT_EQ(ints(repeat(a, 2, 1)), (std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5}));
  EXPECT_EQ(ints(repeat(a, 2, 0)), (std::vector<int>{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
  EXPECT_EQ(ints(tile(a, {1, 2})), (std::vector<int>{0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5}));
  EXPECT_EQ(ints(tile(a(0), {2})), (std::vector<int>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(ints(roll(a, 1, 1)), (std::vector<int>{2, 0, 1, 5, 3, 4}));
  EXPECT_EQ(ints(roll(a.transpose(), -4, 0)), (std::vector<int>{1, 4, 2, 5, 0, 3}));
  EXPECT_EQ(ints(roll(a, 6, 0)), ints(a));
  EXPECT_MESSAGE(UsageError, "repeat: -1 times", repeat(a, -1, 0));
  EXPECT_MESSAGE(UsageError, "tile: 1 counts for shape (2, 3)", tile(a, {2}));
}

TEST_P(ManipulationTest, RollsFuseIntoOneKernel) {
  const Array u = numbers({40, 50});
  const Expression laplace = roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) + roll(u, -1, 1) - 4 * Expression(u);
  const auto values = laplace.evaluate().to_vector<int>();
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 50; ++j) {
      const auto at = [](int r, int c) { return (r + 40) % 40 * 50 + (c + 50) % 50; };
      ASSERT_EQ(values[static_cast<std::size_t>(at(i, j))],
                at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1) - 4 * at(i, j));
    }
}

TEST_P(ManipulationTest, PadsInFourModes) {
  const Array a = numbers({5});
  EXPECT_EQ(ints(pad(a, {{2, 1}}, PadMode::constant, 7)), (std::vector<int>{7, 7, 0, 1, 2, 3, 4, 7}));
  EXPECT_EQ(ints(pad(a, {{2, 3}}, PadMode::edge)), (std::vector<int>{0, 0, 0, 1, 2, 3, 4, 4, 4, 4}));
  EXPECT_EQ(ints(pad(a, {{2, 4}}, PadMode::reflect)), (std::vector<int>{2, 1, 0, 1, 2, 3, 4, 3, 2, 1, 0}));
  EXPECT_EQ(ints(pad(a, {{2, 5}}, PadMode::wrap)), (std::vector<int>{3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4}));
  EXPECT_EQ(ints(pad(numbers({2, 2}), {{1, 0}, {0, 2}}, PadMode::constant, -1)),
            (std::vector<int>{-1, -1, -1, -1, 0, 1, -1, -1, 2, 3, -1, -1}));
  EXPECT_EQ(ints(pad(numbers({0}), {{1, 1}}, PadMode::constant, 3) + a(0)), (std::vector<int>{3, 3}));
  EXPECT_MESSAGE(UsageError, "5 before and 0 after an extent of 5 along axis 0", pad(a, {{5, 0}}, PadMode::reflect));
  EXPECT_MESSAGE(UsageError, "-1 before", pad(a, {{-1, 0}}));
  EXPECT_MESSAGE(UsageError, "pad: 2 widths for shape (5,)", pad(a, {{1, 0}, {0, 1}}));
  EXPECT_MESSAGE(UsageError, "1 before and 0 after an extent of 0", pad(numbers({0}), {{1, 0}}, PadMode::edge));
}

TEST_P(ManipulationTest, TakesAlongAnAxisAsAPlainLoopDoes) {
  std::mt19937 random(3);
  const Array a = numbers({3, 4, 5});
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<std::int64_t> picks(6);
    const auto extent = static_cast<int>(a.extent(axis));
    for (auto& pick : picks) pick = static_cast<int>(random() % static_cast<unsigned>(2 * extent)) - extent;
    const Array index = Array::from(stream, picks, Shape{3, 2}).transpose();  // of shape (2, 3)
    const Array result = take(a, index, axis);
    for (int p = 0; p < 2; ++p)
      for (int q = 0; q < 3; ++q) {
        const std::int64_t i = picks[static_cast<std::size_t>(2 * q + p)];
        const Array got = axis == 0 ? result(p, q) : axis == 1 ? result(all_of, p, q) : result(all_of, all_of, p, q);
        const Array expected = axis == 0 ? a(i) : axis == 1 ? a(all_of, i) : a(all_of, all_of, i);
        ASSERT_EQ(got.to_vector<int>(), expected.to_vector<int>()) << axis << " " << p << " " << q;
      }
  }
  EXPECT_EQ(take(a, Array::zeros(stream, {0, 2}, Dtype::i32), 1).shape(), (Shape{3, 0, 2, 5}));
  EXPECT_MESSAGE(UsageError, "the index is float32", take(a, Array::zeros(stream, {1}, Dtype::f32), 0));
  EXPECT_MESSAGE(UsageError, "an axis without elements",
                 take(numbers({2, 0}), Array::zeros(stream, {1}, Dtype::i32), 1));
}

TEST_P(ManipulationTest, TakeAlongFollowsAnIndexPerLine) {
  const Array a = numbers({2, 3});
  const Array order = Array::from(stream, {2, 0, -2, 1, 1, 0}, Shape{2, 3});
  EXPECT_EQ(ints(take_along(a, order, 1)), (std::vector<int>{2, 0, 1, 4, 4, 3}));
  EXPECT_EQ(ints(take_along(a, Array::from(stream, {1, 0, 1}, Shape{1, 3}), 0)), (std::vector<int>{3, 1, 5}));
  EXPECT_MESSAGE(UsageError, "the index of shape (3, 3) differs from (2, 3)", take_along(a, numbers({3, 3}), 1));
}

TEST_P(ManipulationTest, PutsInPlace) {
  const Array a = numbers({2, 3});
  put(a, Array::from(stream, {0, -1, 99}), Array::from(stream, {7, 8, 9}));
  EXPECT_EQ(a.to_vector<int>(), (std::vector<int>{7, 1, 2, 3, 4, 8}));
  put(a.transpose(), Array::from(stream, {1, 2}), -1);
  EXPECT_EQ(a.to_vector<int>(), (std::vector<int>{7, -1, 2, -1, 4, 8}));
  put(a, indices({6}), a.flip(1).ravel());
  EXPECT_EQ(a.to_vector<int>(), (std::vector<int>{2, -1, 7, 8, 4, -1}));
  EXPECT_MESSAGE(UsageError, "put: the index is float32", put(a, Array::zeros(stream, {1}, Dtype::f32), 0));
  EXPECT_MESSAGE(UsageError, "shapes (6,) and (2,) do not broadcast", put(a, indices({2}), a.ravel()));
  EXPECT_MESSAGE(UsageError, "values of shape (2, 1) for an index of shape (2,)",
                 put(a, indices({2}), a(all_of, Slice{0, 1})));
  set_checked(true);
  EXPECT_MESSAGE(UsageError, "put: index 6 at (0,) is out of range for extent 6", put(a, Array::from(stream, {6}), 0));
}

TEST_P(ManipulationTest, CheckedModeNamesTheFirstBadIndex) {
  const Array a = numbers({2, 3});
  const Array index = Array::from(stream, {0, 1, -4, 5}, Shape{2, 2});
  EXPECT_EQ(ints(take(a, index, 1)), (std::vector<int>{0, 1, 0, 2, 3, 4, 3, 5}));  // clamped
  set_checked(true);
  EXPECT_MESSAGE(UsageError, "take: index -4 at (1, 0) is out of range for extent 3", take(a, index, 1));
  EXPECT_MESSAGE(UsageError, "take_along: index -4 at (1, 0) is out of range for extent 3", take_along(a, index, 1));
  EXPECT_EQ(ints(take(a, index(0), 1)), (std::vector<int>{0, 1, 3, 4}));
}

TEST_P(ManipulationTest, DiagonalsTrianglesAndGrids) {
  const Array a = numbers({3, 4});
  EXPECT_EQ(diagonal(a).to_vector<int>(), (std::vector<int>{0, 5, 10}));
  EXPECT_EQ(diagonal(a, 2).to_vector<int>(), (std::vector<int>{2, 7}));
  EXPECT_EQ(diagonal(a, -2).to_vector<int>(), (std::vector<int>{8}));
  EXPECT_EQ(diagonal(a, 9).size(), 0);
  diagonal(a).assign(-1);
  EXPECT_EQ(a(1).to_vector<int>(), (std::vector<int>{4, -1, 6, 7}));
  EXPECT_EQ(ints(tril(a)), (std::vector<int>{-1, 0, 0, 0, 4, -1, 0, 0, 8, 9, -1, 0}));
  EXPECT_EQ(ints(triu(a, 1)), (std::vector<int>{0, 1, 2, 3, 0, 0, 6, 7, 0, 0, 0, 11}));
  EXPECT_EQ(eye(2, 3, 1).evaluate(stream).to_vector<float>(), (std::vector<float>{0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(linspace(-1, 2, 4, Dtype::f64).evaluate(stream).to_vector<double>(), (std::vector<double>{-1, 0, 1, 2}));
  EXPECT_EQ(linspace(5, 9, 1).evaluate(stream).to_vector<float>(), std::vector<float>{5});
  EXPECT_EQ(linspace(0.1, 0.7, 1000, Dtype::f64).evaluate(stream)(-1).item<double>(), 0.7);
  const auto grid = meshgrid({numbers({2}), numbers({3})});
  EXPECT_EQ((grid[0] * 10 + grid[1]).evaluate().to_vector<int>(), (std::vector<int>{0, 1, 2, 10, 11, 12}));
  EXPECT_MESSAGE(UsageError, "diagonal: a matrix is needed", diagonal(numbers({3})));
  EXPECT_MESSAGE(UsageError, "tril: two dimensions are needed", tril(numbers({3})));
  EXPECT_MESSAGE(UsageError, "linspace: 3 values of int32", linspace(0, 1, 3, Dtype::i32));
  EXPECT_MESSAGE(UsageError, "meshgrid: axes have one dimension", meshgrid({a}));
}

RTCG_INSTANTIATE_FOR_LOOPS(ManipulationTest);

}  // namespace
}  // namespace rtcg
