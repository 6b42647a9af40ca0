// The code of docs/arrays.md, compiled and run; tests/scripts/documents_test.py sees to it that the guide shows exactly
// this text.
#include <gtest/gtest.h>

#include <cmath>

#include "rtcg/array/host_view.h"
#include "rtcg/array/interchange/dlpack.h"
#include "rtcg/array/interchange/npy.h"
#include "rtcg/array/manipulation.h"
#include "rtcg/array/random.h"
#include "rtcg/array/reductions.h"
#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

class ArraysGuideTest : public test::DeviceTest {};

// clang-format off
TEST_P(ArraysGuideTest, FirstSteps) {
  const Device& device = this->device();
  Stream stream{device};

  Array x = Array::arange(stream, 1000, Dtype::f32);
  Array y = Array::full(stream, {1000}, Dtype::f32, 2.0f);
  Array z = 2.0f * x + sqrt(y);                    // one kernel
  float mean_square = mean(z * z).item<float>();   // one more; z * z is never stored

  double expected = 0;
  for (int i = 0; i < 1000; ++i) expected += std::pow(2.0 * i + std::sqrt(2.0), 2) / 1000;
  EXPECT_NEAR(mean_square, expected, 1e-6 * expected);
  EXPECT_EQ(z.shape(), Shape{1000});
}

TEST_P(ArraysGuideTest, ViewsShareMemory) {
  Stream stream = this->stream();
  Array a = Array::arange(stream, 24, Dtype::i32).reshape({4, 6});

  Array row = a(1);                                // shape (6,)
  Array corner = a(Slice{0, 2}, Slice{-3, {}});    // a[0:2, -3:]
  Array backwards = a(ellipsis, Slice{{}, {}, -2});
  Array column = a(all_of, 0, new_axis);           // shape (4, 1)
  corner.assign(0);                                // writes into a
  row += column(0);                                // broadcasts, in place

  EXPECT_EQ(a(0).to_vector<int>(), (std::vector<int>{0, 1, 2, 0, 0, 0}));
  EXPECT_EQ(row.to_vector<int>(), (std::vector<int>{6, 7, 8, 0, 0, 0}));
  EXPECT_EQ(backwards(0).to_vector<int>(), (std::vector<int>{0, 0, 1}));
}

TEST_P(ArraysGuideTest, LazyValues) {
  Stream stream = this->stream();
  Array x = Array::arange(stream, 6, Dtype::f32), y = Array::full(stream, {6}, Dtype::f32, 3.0f);

  auto e = where(x > 2.0f, x * y, -x);             // an Expression: nothing has run
  std::string plan = e.explain();                  // phases and kernels, one line each
  Array r = e;                                     // runs
  x += 1.0f;
  Array s = e;                                     // runs again, with x as it is now

  EXPECT_EQ(plan.find("1  kernel"), 1u) << plan;
  EXPECT_EQ(r.to_vector<float>(), (std::vector<float>{-0.0f, -1, -2, 9, 12, 15}));
  EXPECT_EQ(s.to_vector<float>(), (std::vector<float>{-1, -2, 9, 12, 15, 18}));
}

TEST_P(ArraysGuideTest, SeveralResultsOfOneKernel) {
  Stream stream = this->stream();
  Array x = Array::arange(stream, 4, Dtype::f32);

  const Expression both[] = {sin(x), cos(x)};
  std::vector<Array> results = evaluate(both);     // x is read once

  EXPECT_NEAR(results[0](3).item<float>(), std::sin(3.0f), 1e-6f);
  EXPECT_NEAR(results[1](3).item<float>(), std::cos(3.0f), 1e-6f);
}

TEST_P(ArraysGuideTest, Reductions) {
  Stream stream = this->stream();
  Array a = Array::arange(stream, 12, Dtype::f32).reshape({3, 4});

  Array columns = sum(a, 0);                       // shape (4,)
  Array rows = max(a, Axes(-1).kept());           // shape (3, 1), broadcasts against a
  Array scaled = a / rows;
  std::int64_t place = argmax(abs(a - 5.2f)).item<std::int64_t>();

  EXPECT_EQ(columns.to_vector<float>(), (std::vector<float>{12, 15, 18, 21}));
  EXPECT_EQ(scaled(2, 3).item<float>(), 1.0f);
  EXPECT_EQ(place, 11);
}

TEST_P(ArraysGuideTest, RandomNumbers) {
  Stream stream = this->stream();

  Random random{42};
  Array u = random.uniform(stream, {1000});                           // [0, 1), float32
  Array n = random.normal(stream, {10, 20}, Dtype::f64, 5.0, 0.1);
  Array dice = random.integers(stream, {1000}, 1, 7, Dtype::u8);      // 1 ... 6, without bias
  Random worker = random.split(3);                                    // an independent generator

  EXPECT_LT(max(u).evaluate().item<float>(), 1.0f);
  EXPECT_NEAR(mean(n).evaluate().item<double>(), 5.0, 0.05);
  EXPECT_EQ(max(dice).evaluate().item<int>(), 6);
  EXPECT_NE(worker.seed(), random.seed());
}

TEST_P(ArraysGuideTest, Interchange) {
  Stream stream = this->stream();
  ScratchDirectory scratch;
  const std::filesystem::path file = scratch / "a.npy";
  Array a = Array::arange(stream, 6, Dtype::f64).reshape({2, 3});

  write_npy(file, a.transpose());
  Array b = read_npy(stream, file);

  HostView<double> host = host_memory<double>(stream.device(), {2, 3});
  read_async(a, host);                             // does not wait
  stream.synchronize();

  EXPECT_EQ(b.to_vector<double>(), a.transpose().to_vector<double>());
  EXPECT_EQ(host(1, 2), 5.0);
}

TEST_P(ArraysGuideTest, CheckedMode) {
  Stream stream = this->stream();
  Array table = Array::arange(stream, 5, Dtype::f32), index = Array::from(stream, {0, 9, 1});
  std::string message;

  set_checked(true);
  try {
    Array picked = take(table, index, 0);
  } catch (const UsageError& error) {
    message = error.what();                        // take: index 9 at (1,) is out of range for extent 5
  }
  set_checked(false);

  EXPECT_EQ(message, "take: index 9 at (1,) is out of range for extent 5");
}
// clang-format on

RTCG_INSTANTIATE_FOR_DEVICES(ArraysGuideTest);

}  // namespace
}  // namespace rtcg
