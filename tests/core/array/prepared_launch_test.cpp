// An expression that is evaluated again and again: into the same and into other targets, with arrays that change.
#include "rtcg/array/expression.h"

#include <gtest/gtest.h>

#include "support/loops.h"

namespace rtcg {
namespace {

class PreparedLaunchTest : public test::LoopTest {
 protected:
  static void expect_all(const Array& array, float value) {
    for (const float element : array.copy().to_vector<float>()) ASSERT_EQ(element, value);
  }
};

TEST_P(PreparedLaunchTest, ReadsItsArraysAsTheyAreEachTime) {
  const Array x = Array::full(stream, {1000}, Dtype::f32, 1.0F), y = Array::full(stream, {1000}, Dtype::f32, 2.0F);
  const Expression sum = 3.0F * x + y;
  for (int turn = 0; turn < 5; ++turn) {
    const Array fresh = sum;
    expect_all(fresh, 3.0F * static_cast<float>(turn + 1) + 2.0F);
    x += 1.0F;
  }
}

TEST_P(PreparedLaunchTest, WritesWhicheverTargetItIsGiven) {
  const Array x = Array::full(stream, {40, 50}, Dtype::f32, 1.5F);
  const Expression twice = x + x;
  const Array a = Array::zeros(stream, {40, 50}, Dtype::f32), b = Array::zeros(stream, {42, 54}, Dtype::f32),
              wide = Array::zeros(stream, {40, 50}, Dtype::f64), many = Array::zeros(stream, {3, 40, 50}, Dtype::f32);
  for (int turn = 0; turn < 3; ++turn) {
    a.assign(twice);
    b(Slice{1, -1}, Slice{3, -1}).assign(twice);
    wide.assign(twice);
    many.assign(twice);
  }
  expect_all(a, 3);
  expect_all(b(Slice{1, -1}, Slice{3, -1}), 3);
  expect_all(b(0), 0);
  expect_all(b(all_of, Slice{0, 3}), 0);
  expect_all(wide.astype(Dtype::f32), 3);
  expect_all(many, 3);
}

TEST_P(PreparedLaunchTest, StaysRightWhereTheTargetIsRead) {
  const Array x = Array::full(stream, {100}, Dtype::f32, 1.0F), other = Array::zeros(stream, {100}, Dtype::f32);
  const Expression next = 2.0F * x;
  for (int turn = 0; turn < 4; ++turn) x.assign(next);
  expect_all(x, 16);
  for (int turn = 0; turn < 3; ++turn) other.assign(next);
  expect_all(other, 32);
  x.assign(next);
  expect_all(x, 32);

  // Places other than the one written: each turn shifts by one.
  const Array line = Array::arange(stream, 8, Dtype::i32), to = line(Slice{1, {}});
  const Expression from = line(Slice{0, -1}) + 0;
  for (int turn = 0; turn < 3; ++turn) to.assign(from);
  EXPECT_EQ(line.to_vector<std::int32_t>(), (std::vector<std::int32_t>{0, 0, 0, 0, 1, 2, 3, 4}));
}

TEST_P(PreparedLaunchTest, NoticesATargetThatIsASliceOfWhatItReads) {
  constexpr std::int64_t count = 5000;
  const std::size_t step = device().properties().base_alignment;
  const std::int64_t rest = count - static_cast<std::int64_t>(step / sizeof(float));
  const Buffer whole(stream, count * sizeof(float));
  const Array x(whole, Dtype::f32, {count}, {1}), y(whole.slice(step, whole.bytes() - step), Dtype::f32, {rest}, {1});
  x.assign(indices({count}).astype(Dtype::f32));
  const Expression next = x(Slice{0, rest}) + 1.0F;
  const Array apart = Array::zeros(stream, {rest}, Dtype::f32);
  for (int turn = 0; turn < 3; ++turn) apart.assign(next);
  y.assign(next);
  const std::vector<float> values = y.to_vector<float>();
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<float>(i + 1)) << i;
}

TEST_P(PreparedLaunchTest, KeepsScalarsOfEveryKindAndCount) {
  const Array x = Array::full(stream, {33}, Dtype::f64, 1.0);
  Expression sum = x;
  for (int k = 0; k < 12; ++k) sum = sum + Expression(Scalar(static_cast<float>(k)), false);
  const Expression few = x * 2 + Expression(Scalar(std::int64_t{1} << 40), false);
  for (int turn = 0; turn < 3; ++turn) {
    for (const double value : Array(sum).to_vector<double>()) ASSERT_EQ(value, 67);
    for (const double value : Array(few).to_vector<double>()) ASSERT_EQ(value, 2 + static_cast<double>(1L << 40));
  }
}

RTCG_INSTANTIATE_FOR_LOOPS(PreparedLaunchTest);

}  // namespace
}  // namespace rtcg
