#include "rtcg/array/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "support/loops.h"

namespace rtcg {
namespace {

/// Each device in both loop shapes.
class ExpressionTest : public test::LoopTest {};

TEST_P(ExpressionTest, FusesArithmeticOfContiguousArrays) {
  std::vector<float> x(1003), y(1003);
  std::iota(x.begin(), x.end(), 1.0F);
  std::iota(y.begin(), y.end(), -500.0F);
  const Array a = Array::from(stream, x), b = Array::from(stream, y);
  const Array z = 2.0F * a + sqrt(abs(b));
  EXPECT_EQ(z.dtype(), Dtype::f32);
  const std::vector<float> result = z.to_vector<float>();
  for (std::size_t k = 0; k < x.size(); ++k) EXPECT_NEAR(result[k], 2 * x[k] + std::sqrt(std::abs(y[k])), 1e-3F);
}

TEST_P(ExpressionTest, BroadcastsRowsColumnsAndScalars) {
  const Array row = Array::arange(stream, 7, Dtype::i32), column = Array::arange(stream, 5, Dtype::f64).expand_dims(1);
  const Array z = row * 10 + column;
  EXPECT_EQ(z.shape(), (Shape{5, 7}));
  EXPECT_EQ(z.dtype(), Dtype::f64);
  const auto result = z.to_vector<double>();
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 7; ++j) EXPECT_EQ(result[static_cast<std::size_t>(7 * i + j)], 10 * j + i);
}

TEST_P(ExpressionTest, ReadsStridedViewsAndWritesThem) {
  const Array x = Array::arange(stream, 120, Dtype::i32).reshape({4, 5, 6});
  const Array y = x.transpose() + x.transpose().flip(0);
  const auto result = y.to_vector<std::int32_t>();
  for (int k = 0; k < 6; ++k)
    for (int j = 0; j < 5; ++j)
      for (int i = 0; i < 4; ++i)
        EXPECT_EQ(result[static_cast<std::size_t>((k * 5 + j) * 4 + i)],
                  (i * 30 + j * 6 + k) + (i * 30 + j * 6 + 5 - k));
  x(1, Slice{0, 5, 2}, all_of).assign(-1);
  EXPECT_EQ(x(1, 2, 3).item<int>(), -1);
  EXPECT_EQ(x(1, 1, 3).item<int>(), 39);
  const Array line = Array::arange(stream, 10, Dtype::i64);
  line(Slice{1, {}}).assign(line(Slice{{}, -1}));  // overlaps
  EXPECT_EQ(line.to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 0, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_P(ExpressionTest, TakesByIndexAndCountsFromTheEnd) {
  const Array x = Array::from<float>(stream, {10, 11, 12, 13}),
              i = Array::from<std::int32_t>(stream, {3, 0, -1, -4, 2});
  EXPECT_EQ(Array(take(x * 2.0F, i) + 1.0F).to_vector<float>(), (std::vector<float>{27, 21, 27, 21, 25}));
}

TEST_P(ExpressionTest, StoresHalvesBooleansAndComplexNumbers) {
  const Array x = Array::arange(stream, 37, Dtype::f32);
  const Array half = x.astype(Dtype::f16), flags = x > 10, z = make_complex(x, -x) * std::complex<float>(0, 1);
  EXPECT_EQ(half.dtype(), Dtype::f16);
  EXPECT_EQ(z.dtype(), Dtype::c64);
  const auto back = Array(half * 2).astype(Dtype::f32).to_vector<float>();
  const auto turned = z.to_vector<std::complex<float>>();
  const auto truth = flags.to_vector<bool>();
  for (std::size_t k = 0; k < 37; ++k) {
    EXPECT_EQ(back[k], 2.0F * static_cast<float>(k));
    EXPECT_EQ(turned[k], std::complex<float>(static_cast<float>(k), static_cast<float>(k)));
    EXPECT_EQ(truth[k], k > 10);
  }
}

TEST_P(ExpressionTest, EvaluatesSeveralAtOnceAndLongChains) {
  const Array x = Array::arange(stream, 1000, Dtype::f32);
  const Expression both[] = {x + 1, x * x};
  const auto results = evaluate(both);
  EXPECT_EQ(results[1].to_vector<float>()[31], 961);
  Expression chain = x;
  for (int k = 0; k < 1500; ++k) chain = chain + 1;
  EXPECT_EQ(Array(chain).to_vector<float>()[5], 1505);
  Expression wide = x;
  for (int k = 0; k < 100; ++k) wide = wide + Array::full(stream, {1000}, Dtype::f32, 1.0F);
  EXPECT_EQ(Array(wide).to_vector<float>()[7], 107);
}

TEST_P(ExpressionTest, ScalarsThatMakeAnOperationSimplerKeepItsValue) {
  const std::vector<float> x{3, -7.1F, 1e-40F, 3e38F, 0, -0.0F, 1 / 3.0F, INFINITY};
  const Array a = Array::from(stream, x), integers = Array::from<std::uint8_t>(stream, {0, 7, 255});
  const std::vector<Array> results =
      evaluate({{1 / a, a / 3, power(a, -1.0), 2 / a, a / 0.25F, a / -4, power(a, 2), 1.0 / a.astype(Dtype::f64)}});
  const auto near = [](auto found, auto expected) {
    // OpenCL may round a quotient within 2.5 units in the last place.
    const auto error = std::abs(found - expected),
               unit = std::abs(expected) * std::numeric_limits<decltype(found)>::epsilon();
    return found == expected || error <= 2.5 * unit || std::abs(expected) < std::numeric_limits<decltype(found)>::min();
  };
  for (std::size_t k = 0; k < x.size(); ++k) {
    const float quotients[] = {1 / x[k], x[k] / 3, 1 / x[k], 2 / x[k]};
    for (std::size_t r = 0; r < std::size(quotients); ++r)
      EXPECT_TRUE(near(results[r].to_vector<float>()[k], quotients[r])) << r << " of " << x[k];
    const float exact[] = {x[k] / 0.25F, x[k] / -4, x[k] * x[k]};
    for (std::size_t r = 0; r < std::size(exact); ++r)
      EXPECT_EQ(results[4 + r].to_vector<float>()[k], exact[r]) << r << " of " << x[k];
    EXPECT_TRUE(near(results[7].to_vector<double>()[k], 1 / static_cast<double>(x[k])));
  }
  EXPECT_EQ((integers / 2).evaluate().to_vector<double>(), (std::vector<double>{0, 3.5, 127.5}));
  EXPECT_EQ((1 / integers).dtype(), Dtype::f64);
  EXPECT_EQ(power(integers, 2).evaluate().to_vector<std::uint8_t>(), (std::vector<std::uint8_t>{0, 49, 1}));
  EXPECT_EQ((a / Expression(Scalar(2.0), false)).dtype(), Dtype::f64);
}

TEST_P(ExpressionTest, IntegersWrapAndDivisionByZeroGivesZero) {
  const Array a = Array::from<std::int32_t>(stream, {INT32_MAX, INT32_MIN, 7, -7}),
              b = Array::from<std::int32_t>(stream, {1, -1, 0, 2});
  EXPECT_EQ(Array(a + b).to_vector<std::int32_t>(), (std::vector<std::int32_t>{INT32_MIN, INT32_MAX, 7, -5}));
  EXPECT_EQ(Array(floor_divide(a, b)).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{INT32_MAX, INT32_MIN, 0, -4}));
  EXPECT_EQ(Array(a % b).to_vector<std::int32_t>(), (std::vector<std::int32_t>{0, 0, 0, 1}));
}

TEST_P(ExpressionTest, NamesShapesAndTypesThatDoNotFit) {
  const Array x = Array::zeros(stream, {3, 4}, Dtype::f32), y = Array::zeros(stream, {5}, Dtype::c64);
  try {
    x + y;
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(), "+: shapes (3, 4) and (5,) do not fit; extents must agree or be 1");
  }
  EXPECT_THROW(y < 1, UsageError);
  EXPECT_THROW(x & 1, UsageError);
  EXPECT_THROW(x(Slice{0, 2}).assign(y(0)), UsageError);
}

TEST_P(ExpressionTest, ExplainsPhasesAndKernels) {
  const Array x = Array::zeros(stream, {8}, Dtype::f32);
  EXPECT_EQ((2.0F * x + sqrt(x)).explain(), " 1  kernel: float32 (8,) = ((2 * x0) + sqrt(x0))\n");
}

RTCG_INSTANTIATE_FOR_LOOPS(ExpressionTest);

}  // namespace
}  // namespace rtcg
