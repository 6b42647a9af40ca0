#include "rtcg/array/scans.h"

#include <cmath>
#include <numeric>
#include <random>

#include "rtcg/error.h"
#include "support/loops.h"

namespace rtcg {
namespace {

/// In the loop of the device alone, which saves compiling every kernel twice.
class ScansTest : public test::DeviceTest {
 protected:
  const Stream stream{device()};
};
class ScansLoopTest : public test::LoopTest {};

std::vector<double> random_reals(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> x(n);
  for (double& v : x) v = uniform(random);
  return x;
}

TEST_P(ScansLoopTest, CumulativeSumOfAFusedExpressionOverEveryAxis) {
  const std::int64_t shape[] = {7, 33, 50};
  const auto x = random_reals(7 * 33 * 50);
  const Array a = Array::from(stream, x, Shape{7, 33, 50});
  for (int axis = -3; axis < 3; ++axis) {
    const int d = axis < 0 ? axis + 3 : axis;
    const Array sums = cumsum(2.0 * a + 1.0, axis);
    ASSERT_TRUE(sums.shape() == a.shape());
    const auto got = sums.to_vector<double>();
    const std::int64_t step = d == 0 ? 33 * 50 : d == 1 ? 50 : 1;
    std::vector<double> expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const bool first = (static_cast<std::int64_t>(i) / step) % shape[d] == 0;
      expected[i] = 2 * x[i] + 1 + (first ? 0 : expected[i - static_cast<std::size_t>(step)]);
      ASSERT_NEAR(got[i], expected[i], 1e-12) << "axis " << axis << " element " << i;
    }
  }
  const Array flat = cumsum(2.0 * a + 1.0);
  EXPECT_EQ(flat.shape(), Shape{7 * 33 * 50});
  EXPECT_NEAR(flat.to_vector<double>().back(), 2 * std::accumulate(x.begin(), x.end(), 0.0) + 11550, 1e-9);
}

TEST_P(ScansTest, TypesWidenAsNumPys) {
  std::vector<std::int8_t> small(1000, 100);
  const Array sums = cumsum(Array::from(stream, small));
  EXPECT_EQ(sums.dtype(), Dtype::i64);
  EXPECT_EQ(sums.to_vector<std::int64_t>().back(), 100000);
  const Array trues = cumsum(Array::from(stream, small) > 3);
  EXPECT_EQ(trues.dtype(), Dtype::i64);
  EXPECT_EQ(trues.to_vector<std::int64_t>().back(), 1000);
  std::vector<std::uint16_t> words(300, 2);
  const Array products = cumprod(Array::from(stream, words));
  EXPECT_EQ(products.dtype(), Dtype::u64);
  EXPECT_EQ(products.to_vector<std::uint64_t>()[62], std::uint64_t{1} << 63);
  EXPECT_EQ(products.to_vector<std::uint64_t>()[64], 0u);
}

TEST_P(ScansTest, ComplexProductsAndStridedOperands) {
  const std::size_t n = 5000;
  std::vector<std::complex<float>> x(2 * n);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::polar(1.0f, 0.001f * static_cast<float>(i));
  const Array odd = Array::from(stream, x)(Slice{1, {}, 2});
  const auto got = Array(cumprod(odd)).to_vector<std::complex<float>>();
  double angle = 0;
  for (std::size_t i = 0; i < n; ++i) {
    angle += 0.001 * static_cast<double>(2 * i + 1);
    ASSERT_LT(std::abs(std::complex<double>(got[i]) - std::polar(1.0, angle)), 0.01) << i;
  }
}

TEST_P(ScansTest, ExtremesKeepNaNFromWhereItComes) {
  std::vector<float> x(3000);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 7919) % 3001);
  auto low = Array(cummin(Array::from(stream, x))).to_vector<float>();
  auto high = Array(cummax(Array::from(stream, x))).to_vector<float>();
  float smallest = x[0], largest = x[0];
  for (std::size_t i = 0; i < x.size(); ++i) {
    smallest = std::min(smallest, x[i]), largest = std::max(largest, x[i]);
    ASSERT_EQ(low[i], smallest);
    ASSERT_EQ(high[i], largest);
  }
  x[1500] = std::nanf("");
  low = Array(cummin(Array::from(stream, x))).to_vector<float>();
  EXPECT_FALSE(std::isnan(low[1499]));
  EXPECT_TRUE(std::isnan(low[1500]) && std::isnan(low[2999]));
}

TEST_P(ScansTest, ExclusiveBackwardAndInitialValues) {
  std::vector<std::int32_t> x(10007);
  std::iota(x.begin(), x.end(), -5000);
  const Array a = Array::from(stream, x);
  const ScanOperation plus = sum_operation(Dtype::i32);
  std::vector<std::int32_t> expected(x.size());
  std::exclusive_scan(x.begin(), x.end(), expected.begin(), 42);
  EXPECT_EQ(Array(scan(a, plus, {.exclusive = true, .initial = Scalar(42)})).to_vector<std::int32_t>(), expected);
  std::inclusive_scan(x.rbegin(), x.rend(), expected.rbegin());
  EXPECT_EQ(Array(scan(a, plus, {.backward = true})).to_vector<std::int32_t>(), expected);
  std::exclusive_scan(x.rbegin(), x.rend(), expected.rbegin(), 0);
  EXPECT_EQ(Array(scan(a, plus, {.exclusive = true, .backward = true})).to_vector<std::int32_t>(), expected);
}

TEST_P(ScansLoopTest, OperationsThatDoNotCommuteAlongRows) {
  // "The last value that is not zero": associative, not commutative.
  const std::int64_t rows = 37, row = 131;
  std::mt19937 random(1);
  std::vector<std::int32_t> x(static_cast<std::size_t>(rows * row));
  for (auto& v : x) v = random() % 5 == 0 ? static_cast<std::int32_t>(random() % 100) : 0;
  const Array a = Array::from(stream, x, Shape{rows, row});
  const ScanOperation last{"b != 0 ? b : a", "0", "", "last"};
  const auto got = Array(scan(a, last, {.axis = 1})).to_vector<std::int32_t>();
  const auto back = Array(scan(a, last, {.axis = 1, .backward = true})).to_vector<std::int32_t>();
  for (std::int64_t r = 0; r < rows; ++r) {
    std::int32_t seen = 0;
    for (std::int64_t c = 0; c < row; ++c) {
      const std::size_t i = static_cast<std::size_t>(r * row + c);
      seen = x[i] != 0 ? x[i] : seen;
      ASSERT_EQ(got[i], seen);
    }
    seen = 0;
    for (std::int64_t c = row; c-- > 0;) {
      const std::size_t i = static_cast<std::size_t>(r * row + c);
      seen = x[i] != 0 ? x[i] : seen;
      ASSERT_EQ(back[i], seen);
    }
  }
}

TEST_P(ScansTest, EmptySingleAndFusedFurther) {
  EXPECT_EQ(Array(cumsum(Array::empty(stream, {0}, Dtype::f32))).size(), 0);
  EXPECT_EQ(Array(cumsum(Array::empty(stream, {3, 0}, Dtype::f32), 1)).shape(), (Shape{3, 0}));
  EXPECT_EQ(Array(cumsum(Array::full(stream, {}, Dtype::f32, 3.0f))).to_vector<float>(), std::vector<float>{3});
  const Array x = Array::arange(stream, 1000, Dtype::i64);
  const auto twice = Array(cumsum(cumsum(x) + 1) * 2).to_vector<std::int64_t>();
  std::int64_t once = 0, sum = 0;
  for (std::int64_t i = 0; i < 1000; ++i) {
    once += i, sum += once + 1;
    ASSERT_EQ(twice[static_cast<std::size_t>(i)], 2 * sum);
  }
}

TEST_P(ScansTest, RepeatsToTheBit) {
  const auto x = random_reals(400001);
  const Array a = Array(Expression(Array::from(stream, x)).astype(Dtype::f32));
  const auto first = Array(cumsum(a)).to_vector<float>();
  for (int again = 0; again < 3; ++again) EXPECT_EQ(Array(cumsum(a)).to_vector<float>(), first);
}

TEST_P(ScansTest, MistakesAreNamed) {
  const Array a = Array::zeros(stream, {3, 4}, Dtype::c64);
  EXPECT_THROW(cumsum(a, 2), UsageError);
  EXPECT_THROW(cummin(a), UsageError);
}

RTCG_INSTANTIATE_FOR_DEVICES(ScansTest);
RTCG_INSTANTIATE_FOR_LOOPS(ScansLoopTest);

}  // namespace
}  // namespace rtcg
