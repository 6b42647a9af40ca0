#include "rtcg/array/reductions.h"

#include <cmath>
#include <complex>
#include <limits>
#include <random>

#include "rtcg/error.h"
#include "support/loops.h"

namespace rtcg {
namespace {

class ReductionsTest : public test::LoopTest {};

template <class T>
std::vector<T> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T& value : values)
    if constexpr (std::is_floating_point_v<T>)
      value = std::uniform_real_distribution<T>(-1, 1)(random);
    else
      value = static_cast<T>(std::uniform_int_distribution<int>(0, 100)(random));
  return values;
}

/// Sums of a C-ordered array over the marked axes, in double, by the definition.
std::vector<double> sums_over(const std::vector<float>& values, const Shape& shape, const std::vector<bool>& reduced) {
  std::int64_t kept = 1;
  for (int d = 0; d < shape.size(); ++d)
    if (!reduced[static_cast<std::size_t>(d)]) kept *= shape[d];
  std::vector<double> sums(static_cast<std::size_t>(kept));
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::size_t rest = i, at = 0, step = 1;
    for (int d = shape.size() - 1; d >= 0; --d) {
      const auto extent = static_cast<std::size_t>(shape[d]), index = rest % extent;
      rest /= extent;
      if (reduced[static_cast<std::size_t>(d)]) continue;
      at += index * step;
      step *= extent;
    }
    sums[at] += values[i];
  }
  return sums;
}

TEST_P(ReductionsTest, SumsOverEverySetOfAxesOfArraysAndViews) {
  const Shape shape{3, 4, 5, 12};
  const std::vector<float> values = random_values<float>(3 * 4 * 5 * 12, 1);
  const Array x = Array::from(stream, values, shape);
  // The same elements in memory of another order.
  const Array turned = x.transpose({2, 0, 3, 1}).copy().transpose({1, 3, 0, 2});
  for (unsigned set = 0; set < 16; ++set) {
    std::vector<int> axes;
    std::vector<bool> reduced(4);
    for (int d = 0; d < 4; ++d)
      if (set >> d & 1u) axes.push_back(d), reduced[static_cast<std::size_t>(d)] = true;
    const std::vector<double> expected = sums_over(values, shape, reduced);
    for (const Array& a : {x, turned}) {
      const Array result = sum(a, Axes(axes));
      const std::vector<float> found = result.to_vector<float>();
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t r = 0; r < expected.size(); ++r) ASSERT_NEAR(found[r], expected[r], 1e-5 * 40) << "axes " << set;
    }
    ASSERT_EQ(sum(x, Axes(axes).kept()).shape().size(), 4);
  }
}

TEST_P(ReductionsTest, ShortRowsAndFewRowsSumLikeLongOnes) {
  for (const Shape& shape : {Shape{3, 1003}, Shape{8, 2048}, Shape{9, 260}, Shape{5, 2, 512}, Shape{2, 1, 777},
                             Shape{1003, 3}, Shape{700, 8}, Shape{513, 9}, Shape{40, 5, 7}}) {
    const std::vector<float> values = random_values<float>(static_cast<std::size_t>(element_count(shape)), 5);
    const Array x = Array::from(stream, values, shape);
    for (int axis = 0; axis < shape.size(); ++axis) {
      std::vector<bool> reduced(static_cast<std::size_t>(shape.size()));
      reduced[static_cast<std::size_t>(axis)] = true;
      const std::vector<double> expected = sums_over(values, shape, reduced);
      const std::vector<float> found = sum(x, axis).evaluate().to_vector<float>();
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t r = 0; r < expected.size(); ++r)
        ASSERT_NEAR(found[r], expected[r], 1e-4) << "axis " << axis << " of " << to_string(shape);
    }
  }
}

TEST_P(ReductionsTest, LongSumsKeepTheirAccuracy) {
  const std::size_t n = 1000001;
  const std::vector<float> values(n, 0.1f);
  const Array x = Array::from(stream, values);
  const double exact = static_cast<double>(0.1f) * static_cast<double>(n);
  EXPECT_NEAR(sum(x).evaluate().item<float>(), exact, 4e-6 * exact);
  EXPECT_NEAR(mean(x).evaluate().item<float>(), 0.1f, 4e-7);
  EXPECT_NEAR(norm(x).evaluate().item<float>(), 0.1 * std::sqrt(static_cast<double>(n)), 4e-6 * 100);
}

TEST_P(ReductionsTest, FusesWhatIsReduced) {
  const std::vector<float> a = random_values<float>(1001, 2), b = random_values<float>(1001, 3);
  double expected = 0;
  for (std::size_t i = 0; i < a.size(); ++i) expected += a[i] > 0 ? static_cast<double>(a[i]) * b[i] : 0.0;
  const Array x = Array::from(stream, a), y = Array::from(stream, b);
  EXPECT_NEAR(sum(where(x > 0.0f, x * y, 0.0f)).evaluate().item<float>(), expected, 1e-4);
  // A total inside a local value: x is centred by its own mean in a second phase.
  double mean_of = 0, variance = 0;
  for (const float v : a) mean_of += v / 1001.0;
  for (const float v : a) variance += (v - mean_of) * (v - mean_of) / 1000.0;
  EXPECT_NEAR(var(x, {}, 1).evaluate().item<float>(), variance, 1e-5);
  EXPECT_NEAR(var(x).evaluate().item<float>(), variance * 1000 / 1001, 1e-5);
  EXPECT_EQ(var(x).dtype(), Dtype::f32);
  EXPECT_NEAR(stddev(x, {}, 1).evaluate().item<float>(), std::sqrt(variance), 1e-5);
}

template <class T>
void check_type(const Stream& stream) {
  SCOPED_TRACE(dtype_name(scalar_type<T>()));
  const std::vector<T> values = random_values<T>(777, 4);
  double total = 0, low = 1e9, high = -1e9;
  std::int64_t first = 0, nonzero = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double v = static_cast<double>(values[i]);
    total += v, low = std::min(low, v), nonzero += v != 0;
    if (v > high) high = v, first = static_cast<std::int64_t>(i);
  }
  const Array x = Array::from(stream, values);
  const double tolerance = std::is_same_v<T, float> ? 1e-4 : 1e-10;
  EXPECT_NEAR(sum(x).evaluate().item<double>(), total, tolerance);
  EXPECT_NEAR(mean(x).evaluate().item<double>(), total / 777, tolerance);
  EXPECT_EQ(min(x).evaluate().item<double>(), low);
  EXPECT_EQ(max(x).evaluate().item<double>(), high);
  EXPECT_EQ(argmax(x).evaluate().item<std::int64_t>(), first);
  EXPECT_EQ(count_nonzero(x).evaluate().item<std::int64_t>(), nonzero);
  EXPECT_EQ(min(x).dtype(), scalar_type<T>());
}

TEST_P(ReductionsTest, EveryTypeHasItsReductions) {
  // Widths and kinds; what the text of one type has, its relatives have too.
  check_type<std::int8_t>(stream), check_type<std::uint16_t>(stream), check_type<std::int64_t>(stream);
  check_type<double>(stream);
  EXPECT_EQ(max(Array::from(stream, std::vector<std::uint8_t>{3, 255, 9})).evaluate().item<std::uint8_t>(), 255);
  EXPECT_EQ(min(Array::from(stream, std::vector<std::int16_t>{3, -32768, 9})).evaluate().item<std::int16_t>(), -32768);
  EXPECT_EQ(max(Array::from(stream, std::vector<std::uint64_t>{3, 1ull << 63})).evaluate().item<std::uint64_t>(),
            1ull << 63);
  EXPECT_EQ(min(Array::from(stream, std::vector<std::int32_t>{3, -7})).evaluate().item<std::int32_t>(), -7);
  EXPECT_EQ(
      sum(Array::from(stream, std::vector<std::uint32_t>{4000000000u, 4000000000u})).evaluate().item<std::uint64_t>(),
      8000000000u);
  const std::vector<std::complex<float>> z = {{1, 2}, {3, -1}, {0.5f, 4}};
  const Array c = Array::from(stream, z);
  EXPECT_EQ(sum(c).evaluate().item<std::complex<float>>(), z[0] + z[1] + z[2]);
  const std::complex<float> product = prod(c).evaluate().item<std::complex<float>>();
  EXPECT_NEAR(std::abs(product - z[0] * z[1] * z[2]), 0, 1e-5);
  EXPECT_NEAR(norm(c).evaluate().item<float>(), std::sqrt(5 + 10 + 16.25), 1e-5);
  EXPECT_NEAR(std::abs(mean(c).evaluate().item<std::complex<float>>() - (z[0] + z[1] + z[2]) / 3.0f), 0, 1e-6);
  const Array half = Array::from(stream, std::vector<float>(10, 0.25f)).astype(Dtype::f16);
  EXPECT_EQ(sum(half).evaluate().item<float>(), 2.5f);
  EXPECT_EQ(sum(half).dtype(), Dtype::f16);
}

TEST_P(ReductionsTest, IntegerSumsWrapAndAreWide) {
  EXPECT_EQ(sum(Array::from(stream, std::vector<std::int8_t>(1000, 100))).evaluate().item<std::int64_t>(), 100000);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(sum(Array::from(stream, {most, std::int64_t{1}})).evaluate().item<std::int64_t>(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(prod(Array::from(stream, {3, -4, 5})).evaluate().item<std::int64_t>(), -60);
}

TEST_P(ReductionsTest, TiesGoToTheFirstAndNanWins) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  std::vector<float> values(5000, 0.0f);
  values[4321] = values[17] = values[3000] = 7;
  values[2222] = values[99] = -7;
  const Array x = Array::from(stream, values);
  EXPECT_EQ(argmax(x).evaluate().item<std::int64_t>(), 17);
  EXPECT_EQ(argmin(x).evaluate().item<std::int64_t>(), 99);
  values[4000] = values[700] = nan;
  const Array y = Array::from(stream, values);
  EXPECT_EQ(argmax(y).evaluate().item<std::int64_t>(), 700);
  EXPECT_EQ(argmin(y).evaluate().item<std::int64_t>(), 700);
  EXPECT_TRUE(std::isnan(max(y).evaluate().item<float>()));
  EXPECT_TRUE(std::isnan(min(y).evaluate().item<float>()));
  const Array infinite = Array::from(stream, std::vector<float>(300, -infinity));
  EXPECT_EQ(argmax(infinite).evaluate().item<std::int64_t>(), 0);
  EXPECT_EQ(max(infinite).evaluate().item<float>(), -infinity);
  const Array table = Array::from(stream, {3, 9, 9, 8, 1, 8}, Shape{2, 3});
  EXPECT_EQ(argmax(table, 1).evaluate().to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(argmin(table, 0).evaluate().to_vector<std::int64_t>(), (std::vector<std::int64_t>{0, 1, 1}));
  EXPECT_EQ(argmax(table.transpose(), 0).evaluate().to_vector<std::int64_t>(), (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(argmax(table.transpose()).evaluate().item<std::int64_t>(), 2);
}

TEST_P(ReductionsTest, ReductionsOfNothing) {
  const Array none = Array::empty(stream, {0}, Dtype::f32), rows = Array::empty(stream, {4, 0}, Dtype::f32);
  EXPECT_EQ(sum(none).evaluate().item<float>(), 0);
  EXPECT_EQ(prod(none).evaluate().item<float>(), 1);
  EXPECT_TRUE(std::isnan(mean(none).evaluate().item<float>()));
  EXPECT_FALSE(any(none).evaluate().item<bool>());
  EXPECT_TRUE(all(none).evaluate().item<bool>());
  EXPECT_EQ(sum(rows, 1).evaluate().to_vector<float>(), std::vector<float>(4, 0.0f));
  EXPECT_EQ(sum(rows, 0).evaluate().size(), 0);
  EXPECT_EQ(max(rows, 0).evaluate().size(), 0);
  EXPECT_THROW(max(none), UsageError);
  EXPECT_THROW(argmin(rows, 1), UsageError);
}

TEST_P(ReductionsTest, AnyAndAllSeeEachElement) {
  for (const std::size_t n : {1u, 65u, 5000u}) {
    std::vector<float> zeros(n), ones(n, 1.0f);
    EXPECT_FALSE(any(Array::from(stream, zeros)).evaluate().item<bool>());
    EXPECT_TRUE(all(Array::from(stream, ones)).evaluate().item<bool>());
    for (const std::size_t at : {std::size_t{0}, n / 2, n - 1}) {
      std::vector<float> some = zeros, most = ones;
      some[at] = std::numeric_limits<float>::quiet_NaN(), most[at] = 0;
      EXPECT_TRUE(any(Array::from(stream, some)).evaluate().item<bool>());
      EXPECT_FALSE(all(Array::from(stream, most)).evaluate().item<bool>());
    }
  }
}

TEST_P(ReductionsTest, SameInputGivesTheSameBits) {
  const Array x = Array::from(stream, random_values<float>(1 << 18, 9), Shape{512, 512});
  const auto bits = [&] {
    std::vector<float> all = {sum(x).evaluate().item<float>()};
    for (const int axis : {0, 1})
      for (const float v : sum(x, axis).evaluate().to_vector<float>()) all.push_back(v);
    return all;
  };
  const std::vector<float> first = bits();
  for (int i = 0; i < 3; ++i) {
    const std::vector<float> again = bits();
    ASSERT_EQ(std::memcmp(first.data(), again.data(), first.size() * sizeof(float)), 0);
  }
}

TEST_P(ReductionsTest, RefusesWhatMakesNoSense) {
  const Array x = Array::zeros(stream, {2, 3}, Dtype::f32), z = Array::zeros(stream, {2}, Dtype::c64);
  EXPECT_THROW(sum(x, 2), UsageError);
  EXPECT_THROW(sum(x, {0, -2}), UsageError);
  EXPECT_THROW(max(z), UsageError);
  EXPECT_THROW(dot(x, x), UsageError);
}

RTCG_INSTANTIATE_FOR_LOOPS(ReductionsTest);

}  // namespace
}  // namespace rtcg
