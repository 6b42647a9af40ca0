#include "rtcg/array/sorting.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "rtcg/array/manipulation.h"
#include "support/loops.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

std::vector<float> random_floats(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 8;
  return values;
}

class SortingTest : public test::LoopTest {};

TEST_P(SortingTest, SortsAlongEveryAxis) {
  const std::int64_t shape[] = {5, 40, 3};
  const Array x = Array::from(stream, random_floats(600, 1), Shape{5, 40, 3});
  const auto values = x.to_vector<float>();
  for (int axis = 0; axis < 3; ++axis) {
    const Array sorted = sort(x, axis), positions = argsort(x, axis - 3);
    EXPECT_EQ(sorted.shape(), x.shape());
    std::int64_t stride = 1;
    for (int d = 2; d > axis; --d) stride *= shape[d];
    auto expected = values;
    const auto along = positions.to_vector<std::int64_t>();
    for (std::int64_t start = 0; start < 600; ++start) {
      if (start / stride % shape[axis] != 0) continue;
      std::vector<float> line;
      for (std::int64_t i = 0; i < shape[axis]; ++i)
        line.push_back(values[static_cast<std::size_t>(start + i * stride)]);
      std::vector<float> ordered = line;
      std::sort(ordered.begin(), ordered.end());
      for (std::int64_t i = 0; i < shape[axis]; ++i) {
        const auto at = static_cast<std::size_t>(start + i * stride);
        expected[at] = ordered[static_cast<std::size_t>(i)];
        EXPECT_EQ(line[static_cast<std::size_t>(along[at])], expected[at]);
      }
    }
    EXPECT_EQ(sorted.to_vector<float>(), expected) << "axis " << axis;
    EXPECT_EQ(Array(take_along(x, positions, axis)).to_vector<float>(), expected);
  }
}

TEST_P(SortingTest, SortsWhatIsComputedAndWhatIsAView) {
  const auto values = random_floats(1000, 2);
  const Array x = Array::from(stream, values);
  std::vector<float> expected;
  for (std::size_t i = 1000; i >= 2; i -= 2) expected.push_back(values[i - 1]);
  std::sort(expected.begin(), expected.end(), std::greater<>());
  EXPECT_EQ(Array(sort(x(Slice{{}, {}, -2}), 0, SortOrder::descending)).to_vector<float>(), expected);
  // A contiguous view that starts inside its buffer.
  expected.assign(values.begin() + 3, values.begin() + 800);
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(Array(sort(x(Slice{3, 800}))).to_vector<float>(), expected);
  for (float& value : expected) value = 2 * value + 1;
  const Expression chained = sort(2.0f * Expression(x(Slice{3, 800})) + 1.0f) - 0.0f;
  EXPECT_EQ(Array(chained).to_vector<float>(), expected);
  EXPECT_NE(chained.explain().find("sort along axis 0"), std::string::npos) << chained.explain();
}

TEST_P(SortingTest, MovesValuesWithTheirKeys) {
  std::vector<std::int32_t> keys;
  std::vector<std::complex<double>> values;
  std::mt19937 random(3);
  for (int i = 0; i < 700; ++i) keys.push_back(static_cast<int>(random() % 50)), values.emplace_back(i, -i);
  const auto [sorted, moved] = sort_by_key(Array::from(stream, keys), Array::from(stream, values));
  std::vector<std::size_t> order(keys.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
  std::vector<std::complex<double>> expected;
  for (const std::size_t i : order) expected.push_back(values[i]);
  EXPECT_EQ(Array(moved).to_vector<std::complex<double>>(), expected);
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(Array(sorted).to_vector<std::int32_t>(), keys);
}

TEST_P(SortingTest, PartitionsAndFindsTheLargest) {
  const auto values = random_floats(300, 4);
  const Array x = Array::from(stream, values);
  auto ordered = values;
  std::sort(ordered.begin(), ordered.end(), std::greater<>());
  const auto parted = Array(partition(x, -10)).to_vector<float>();
  EXPECT_EQ(parted[290], ordered[9]);
  EXPECT_TRUE(std::all_of(parted.begin(), parted.begin() + 290, [&](float value) { return value <= ordered[9]; }));
  const auto [largest, positions] = topk(x, 5);
  EXPECT_EQ(largest.to_vector<float>(), std::vector<float>(ordered.begin(), ordered.begin() + 5));
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(values[static_cast<std::size_t>(positions(i).item<std::int64_t>())],
              ordered[static_cast<std::size_t>(i)]);
}

TEST_P(SortingTest, FindsDifferentValues) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  auto values = random_floats(3000, 5);
  for (float& value : values) value = std::floor(value / 20);
  values[7] = values[70] = nan;
  const Unique found = unique_all(Array::from(stream, values, Shape{50, 60}));
  std::map<float, std::int64_t> first, counts;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i])) first.try_emplace(values[i], static_cast<std::int64_t>(i)), ++counts[values[i]];
  std::vector<float> expected;
  std::vector<std::int64_t> expected_first, expected_counts;
  for (const auto& [value, at] : first)
    expected.push_back(value), expected_first.push_back(at), expected_counts.push_back(counts[value]);
  expected_first.push_back(7), expected_counts.push_back(2);
  auto different = found.values.to_vector<float>();
  EXPECT_TRUE(std::isnan(different.back()));
  const auto inverse = found.inverse.to_vector<std::int64_t>();
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i])) {
      EXPECT_EQ(different[static_cast<std::size_t>(inverse[i])], values[i]);
    }
  EXPECT_EQ(inverse[70], static_cast<std::int64_t>(different.size()) - 1);
  different.pop_back();
  EXPECT_EQ(different, expected);
  EXPECT_EQ(found.first.to_vector<std::int64_t>(), expected_first);
  EXPECT_EQ(found.counts.to_vector<std::int64_t>(), expected_counts);
  EXPECT_EQ(unique(Array::from(stream, {3, 1, 3, 3, 2})).to_vector<int>(), (std::vector<int>{1, 2, 3}));
}

TEST_P(SortingTest, SearchesAsTheBoundsOfTheStandardLibrary) {
  auto ascending = random_floats(500, 6);
  std::sort(ascending.begin(), ascending.end());
  const auto values = random_floats(900, 7);
  const Array sorted = Array::from(stream, ascending), wanted = Array::from(stream, values, Shape{30, 30});
  std::vector<std::int64_t> left, right;
  for (const float value : values) {
    left.push_back(std::lower_bound(ascending.begin(), ascending.end(), value) - ascending.begin());
    right.push_back(std::upper_bound(ascending.begin(), ascending.end(), value) - ascending.begin());
  }
  EXPECT_EQ(Array(searchsorted(sorted, wanted)).to_vector<std::int64_t>(), left);
  EXPECT_EQ(Array(searchsorted(sorted, wanted, SearchSide::right)).to_vector<std::int64_t>(), right);
  EXPECT_EQ(Array(searchsorted(Array::from(stream, {1, 3, 5}), Array::from(stream, {3.5, double{NAN}, -1e300})))
                .to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{2, 3, 0}));
}

TEST_P(SortingTest, TakesNothingAndSingles) {
  const Array none = Array::empty(stream, {0}, Dtype::f32), rows = Array::empty(stream, {3, 0}, Dtype::f32);
  EXPECT_EQ(Array(sort(none)).size(), 0);
  EXPECT_EQ(Array(argsort(rows)).shape(), (Shape{3, 0}));
  EXPECT_EQ(unique(none).size(), 0);
  EXPECT_EQ(unique_all(none).counts.size(), 0);
  EXPECT_EQ(Array(searchsorted(none, Array::from(stream, {1.0f, 2.0f}))).to_vector<std::int64_t>(),
            (std::vector<std::int64_t>{0, 0}));
  EXPECT_EQ(Array(sort(Array::from(stream, {4.0}))).to_vector<double>(), std::vector<double>{4});
}

TEST_P(SortingTest, SaysWhatIsWrong) {
  const Array x = Array::from(stream, {1.0f, 2.0f, 3.0f});
  const Array z = Array::zeros(stream, {3}, Dtype::c64);
  EXPECT_MESSAGE(UsageError, "sort: complex64 has no order", sort(z));
  EXPECT_MESSAGE(UsageError, "axis", sort(x, 1));
  EXPECT_MESSAGE(UsageError, "keys of shape (3,) and values of shape (2,)", sort_by_key(x, x(Slice{1})));
  EXPECT_MESSAGE(UsageError, "partition: element 3 of axis 0 with 3 elements", partition(x, 3));
  EXPECT_MESSAGE(UsageError, "topk: 4 of axis 0 with 3 elements", topk(x, 4));
  EXPECT_MESSAGE(UsageError, "searchsorted: the ascending array has shape (1, 3)", searchsorted(x.reshape({1, 3}), x));
}

RTCG_INSTANTIATE_FOR_LOOPS(SortingTest);

}  // namespace
}  // namespace rtcg
