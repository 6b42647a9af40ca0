#include "rtcg/array/binning.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "rtcg/array/sorting.h"
#include "support/loops.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

class BinningTest : public test::LoopTest {
 protected:
  std::vector<float> samples(std::size_t count) const {
    std::mt19937 random(11);
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    for (float& value : values) value = normal(random);
    return values;
  }
  /// Sums of weights (or ones) between edges.
  template <class Real>
  static std::vector<double> sums(const std::vector<float>& values, const std::vector<Real>& edges,
                                  const std::vector<float>& weights = {}) {
    std::vector<double> result(edges.size() - 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!(values[i] >= edges.front() && values[i] <= edges.back())) continue;
      const auto after =
          static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), values[i]) - edges.begin());
      result[std::min(after, result.size()) - 1] += weights.empty() ? 1 : double{weights[i]};
    }
    return result;
  }
};

TEST_P(BinningTest, CountsBetweenTheEdgesItReturns) {
  const auto values = samples(5000);
  const Histogram found = histogram(Array::from(stream, values, Shape{50, 100}), 20, -2.0, 2.2);
  const auto edges = found.edges.to_vector<float>();
  EXPECT_EQ(edges.front(), -2.0f);
  EXPECT_EQ(edges.back(), 2.2f);
  EXPECT_EQ(edges.size(), 21u);
  const auto expected = sums(values, edges);
  const auto counts = found.counts.to_vector<std::int64_t>();
  EXPECT_EQ(std::vector<double>(counts.begin(), counts.end()), expected);
  EXPECT_EQ(histogram(Array::from(stream, values), found.edges).counts.to_vector<std::int64_t>(), counts);
}

TEST_P(BinningTest, FindsBoundsInTheSamples) {
  const auto values = samples(1000);
  const Histogram found = histogram(Array::from(stream, values), 7);
  const auto edges = found.edges.to_vector<float>();
  EXPECT_EQ(edges.front(), *std::min_element(values.begin(), values.end()));
  EXPECT_EQ(edges.back(), *std::max_element(values.begin(), values.end()));
  std::int64_t all = 0;
  for (const std::int64_t count : found.counts.to_vector<std::int64_t>()) all += count;
  EXPECT_EQ(all, 1000);
  EXPECT_EQ(histogram(Array::from(stream, {3, 3, 3}), 2).edges.to_vector<double>(), (std::vector<double>{2.5, 3, 3.5}));
}

TEST_P(BinningTest, AddsWeightsTheSameWayEveryTime) {
  const auto values = samples(5000), weights = samples(5000);
  const Array x = Array::from(stream, values), w = Array::from(stream, weights);
  const Histogram found = histogram(x, 16, -1.5, 1.5, w);
  const auto expected = sums(values, found.edges.to_vector<float>(), weights);
  const auto actual = found.counts.to_vector<double>();
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 1e-10);
  EXPECT_EQ(histogram(x, 16, -1.5, 1.5, w).counts.to_vector<double>(), actual);
}

TEST_P(BinningTest, CountsWholeNumbers) {
  EXPECT_EQ(bincount(Array::from(stream, {1, 0, 5, 1})).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{1, 2, 0, 0, 0, 1}));
  EXPECT_EQ(bincount(Array::from(stream, {1, 0, 1}), 4).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{1, 2, 0, 0}));
  EXPECT_EQ(
      bincount(Array::from(stream, {1, 0, 1, 3}), 0, Array::from(stream, {0.5, 2.0, 0.25, 8.0})).to_vector<double>(),
      (std::vector<double>{2, 0.75, 0, 8}));
  EXPECT_EQ(bincount(Array::empty(stream, {0}, Dtype::i32), 2).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{0, 0}));
}

TEST_P(BinningTest, SaysWhatIsWrong) {
  const Array x = Array::from(stream, {1.0f, INFINITY});
  EXPECT_MESSAGE(UsageError, "0 bins", histogram(x, 0, 0.0, 1.0));
  EXPECT_MESSAGE(UsageError, "ascending, not 1 and 0", histogram(x, 3, 1.0, 0.0));
  EXPECT_MESSAGE(UsageError, "run from 1 to inf", histogram(x, 3));
  EXPECT_MESSAGE(UsageError, "edge 2 is 1, after 2", histogram(x, Array::from(stream, {0.0, 2.0, 1.0})));
  EXPECT_MESSAGE(UsageError, "two edges or more", histogram(x, Array::from(stream, {0.0})));
  EXPECT_MESSAGE(UsageError, "weights of shape (1,)", histogram(x, 3, 0.0, 1.0, Expression(x(Slice{1}))));
  EXPECT_MESSAGE(UsageError, "must not be negative", bincount(Array::from(stream, {1, -2})));
  EXPECT_MESSAGE(UsageError, "float32 is no integer", bincount(x));
  EXPECT_MESSAGE(UsageError, "has no order", histogram(Array::zeros(stream, {2}, Dtype::c128), 3, 0.0, 1.0));
}

RTCG_INSTANTIATE_FOR_LOOPS(BinningTest);

}  // namespace
}  // namespace rtcg
