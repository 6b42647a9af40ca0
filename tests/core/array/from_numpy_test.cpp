// The code of docs/from-numpy.md, compiled and run; tests/scripts/documents_test.py sees to it that the guide shows
// exactly this text.
#include <gtest/gtest.h>

#include "rtcg/array/elementwise_kernel.h"
#include "rtcg/array/manipulation.h"
#include "rtcg/array/primitives.h"
#include "rtcg/array/random.h"
#include "rtcg/array/reduction_kernel.h"
#include "rtcg/array/reductions.h"
#include "rtcg/array/scans.h"
#include "rtcg/array/segmented.h"
#include "rtcg/array/selection.h"
#include "rtcg/array/sorting.h"
#include "support/devices.h"

namespace rtcg {
namespace {

class FromNumPyTest : public test::DeviceTest {};

// clang-format off
TEST_P(FromNumPyTest, MakingAndShaping) {
  Stream stream = this->stream();

  Array a = Array::zeros(stream, {3, 4}, Dtype::f32);
  Array b = Array::arange(stream, 12, Dtype::f32).reshape({3, 4});
  Array c = Array::from(stream, {1.0f, 2.0f, 3.0f});
  Array d = linspace(0.0, 1.0, 5).evaluate(stream);
  Array t = b.transpose();                          // a view
  Array part = b(Slice{1, {}}, Slice{{}, {}, 2});   // a view
  Array wide = b.astype(Dtype::f64);
  Array line = b.ravel();
  Array both = concatenate({a, b}, 0);

  EXPECT_EQ(part.to_vector<float>(), (std::vector<float>{4, 6, 8, 10}));
  EXPECT_EQ(t.shape(), (Shape{4, 3}));
  EXPECT_EQ(d(1).item<float>(), 0.25f);
  EXPECT_EQ(both.shape(), (Shape{6, 4}));
  EXPECT_EQ(wide(2, 3).item<double>() + line(0).item<float>() + c(0).item<float>(), 12);
}

TEST_P(FromNumPyTest, Arithmetic) {
  Stream stream = this->stream();
  Array x = Array::arange(stream, 8, Dtype::f32), m = Array::full(stream, {3, 8}, Dtype::f32, 1.0f);

  Array y = sin(x) * 2.0f + m;                      // broadcasts; one kernel
  Array z = where(x > 3.0f, x, 0.0f);
  x += 1.0f;                                        // in place
  x(Slice{0, 4}).assign(0.0f);
  Array flags = (x > 0.0f) && isfinite(x);

  EXPECT_EQ(y.shape(), (Shape{3, 8}));
  EXPECT_EQ(z.to_vector<float>(), (std::vector<float>{0, 0, 0, 0, 4, 5, 6, 7}));
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 0, 0, 0, 5, 6, 7, 8}));
  EXPECT_EQ(count_nonzero(flags).evaluate().item<int>(), 4);
}

TEST_P(FromNumPyTest, ReductionsAndScans) {
  Stream stream = this->stream();
  Array b = Array::arange(stream, 12, Dtype::f32).reshape({3, 4});

  float total = sum(b).item<float>();
  Array per_row = mean(b, 1);
  Array spread = max(b, 0) - min(b, 0);           // two phases and one kernel
  Array running = cumsum(b, 1);
  bool positive = all(b >= 0.0f).item<bool>();

  EXPECT_EQ(total, 66);
  EXPECT_EQ(per_row.to_vector<float>(), (std::vector<float>{1.5f, 5.5f, 9.5f}));
  EXPECT_EQ(spread.to_vector<float>(), (std::vector<float>{8, 8, 8, 8}));
  EXPECT_EQ(running(2, 3).item<float>(), 38);
  EXPECT_TRUE(positive);
}

TEST_P(FromNumPyTest, Picking) {
  Stream stream = this->stream();
  Array x = Array::from(stream, {5.0f, -1.0f, 4.0f, -2.0f}), index = Array::from(stream, {3, 0, -1});

  Array picked = take(x, index);
  Array negative = filter(x, x < 0.0f);
  Array places = flat_nonzero(x < 0.0f);
  put(x, index(Slice{0, 2}), 9.0f);

  EXPECT_EQ(picked.to_vector<float>(), (std::vector<float>{-2, 5, -2}));
  EXPECT_EQ(negative.to_vector<float>(), (std::vector<float>{-1, -2}));
  EXPECT_EQ(places.to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 3}));
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{9, -1, 4, 9}));
}

TEST_P(FromNumPyTest, RandomNumbers) {
  Stream stream = this->stream();
  Array x = Array::arange(stream, 100, Dtype::f32);

  Random random{7};
  Array noise = random.normal(stream, {1000});
  Array shuffled = take(x, random.permutation(stream, x.size()));

  EXPECT_NEAR(mean(noise).item<float>(), 0, 0.15);
  EXPECT_EQ(sum(shuffled).item<float>(), 4950);
}

TEST_P(FromNumPyTest, KernelsOfYourOwn) {
  Stream stream = this->stream();
  Array x = Array::arange(stream, 5, Dtype::f32), y = Array::full(stream, {5}, Dtype::f32, 1.0f);
  Array z = Array::empty(stream, {5}, Dtype::f32);

  Elementwise saxpy{"T* z, T a, const T* x, const T* y", "z[i] = a * x[i] + y[i]"};
  saxpy(z, 2.0f, x, y);
  Reduction norm1{{.neutral = "0", .combine = "a + b", .map = "fabs(x[i])", .arguments = "const T* x"}};
  float length = norm1(x - 2.0f).item<float>();

  EXPECT_EQ(z.to_vector<float>(), (std::vector<float>{1, 3, 5, 7, 9}));
  EXPECT_EQ(length, 6);
}

TEST_P(FromNumPyTest, Thrust) {
  Stream stream = this->stream();
  Array x = Array::from(stream, {1.0f, 2.0f, 3.0f}), y = Array::from(stream, {4.0f, 5.0f, 6.0f});
  Array keys = Array::from(stream, {7, 7, 8}), index = Array::from(stream, {2, 0, 1});

  Array axpy = map("2 * a + b", x, y);
  float dot_product = sum(x * y).item<float>();
  Array prefix = scan(x, sum_operation(Dtype::f32), {.exclusive = true});
  Array kept = filter(x, x > 1.5f);
  auto [groups, sums] = reduce_by_key(keys, x, sum_operation(Dtype::f32));
  Array moved = gather(y, index);
  Array counted = indices({3}).evaluate(stream);
  Array order = argsort(-x);
  Array by_key = take(y, order);

  EXPECT_EQ(axpy.to_vector<float>(), (std::vector<float>{6, 9, 12}));
  EXPECT_EQ(dot_product, 32);
  EXPECT_EQ(prefix.to_vector<float>(), (std::vector<float>{0, 1, 3}));
  EXPECT_EQ(kept.to_vector<float>(), (std::vector<float>{2, 3}));
  EXPECT_EQ(groups.to_vector<int>(), (std::vector<int>{7, 8}));
  EXPECT_EQ(sums.to_vector<float>(), (std::vector<float>{3, 3}));
  EXPECT_EQ(moved.to_vector<float>(), (std::vector<float>{6, 4, 5}));
  EXPECT_EQ(by_key.to_vector<float>(), (std::vector<float>{6, 5, 4}));
  EXPECT_EQ(counted.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 2}));
}
// clang-format on

RTCG_INSTANTIATE_FOR_DEVICES(FromNumPyTest);

}  // namespace
}  // namespace rtcg
