#include "rtcg/array/selection.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "rtcg/error.h"
#include "support/loops.h"

namespace rtcg {
namespace {

std::vector<std::int32_t> random_integers(std::size_t n, std::int32_t bound) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<std::int32_t> x(n);
  for (auto& v : x) v = static_cast<std::int32_t>(random() % static_cast<unsigned>(bound));
  return x;
}

/// In the loop of the device alone, which saves compiling every kernel twice.
class SelectionTest : public test::DeviceTest {
 protected:
  const Stream stream{device()};
};
class SelectionLoopTest : public test::LoopTest {};

TEST_P(SelectionLoopTest, FilterKeepsOrderForEverySize) {
  for (const std::size_t n : {0u, 1u, 2u, 1023u, 4096u, 4097u, 100003u}) {
    SCOPED_TRACE(n);
    const auto x = random_integers(n, 100);
    const Array a = Array::from(stream, x);
    for (const std::int32_t limit : {-1, 50, 100}) {
      std::vector<std::int32_t> expected;
      std::copy_if(x.begin(), x.end(), std::back_inserter(expected), [&](std::int32_t v) { return v < limit; });
      EXPECT_EQ(filter(a, a < limit).to_vector<std::int32_t>(), expected);
    }
  }
}

TEST_P(SelectionLoopTest, SeveralFusedValuesShareOnePass) {
  const auto x = random_integers(30011, 1000);
  const Array a = Array::from(stream, x);
  const Expression values[] = {a * 2, indices(a.shape()), a.astype(Dtype::f16)};
  const auto results = filter(values, a % 3 == 0);
  std::size_t at = 0;
  const auto doubled = results[0].to_vector<std::int32_t>();
  const auto places = results[1].to_vector<std::int64_t>();
  const auto halves = results[2].astype(Dtype::f32).to_vector<float>();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] % 3 == 0) {
      ASSERT_LT(at, doubled.size());
      ASSERT_EQ(doubled[at], 2 * x[i]);
      ASSERT_EQ(places[at], static_cast<std::int64_t>(i));
      ASSERT_EQ(halves[at], static_cast<float>(x[i]));
      ++at;
    }
  EXPECT_EQ(at, doubled.size());
}

TEST_P(SelectionTest, MaskOfAnotherArrayTransposedAndBroadcast) {
  const auto x = random_integers(40 * 70, 1000);
  const Array a = Array::from(stream, x, Shape{40, 70}).transpose();
  const Array rows = Array::from(stream, random_integers(70, 2), Shape{70, 1});
  const auto mask = rows.to_vector<std::int32_t>();
  std::vector<std::int32_t> expected;
  for (std::size_t r = 0; r < 70; ++r)
    for (std::size_t c = 0; c < 40; ++c)
      if (mask[r] != 0) expected.push_back(x[c * 70 + r]);
  EXPECT_EQ(filter(a, rows).to_vector<std::int32_t>(), expected);
}

TEST_P(SelectionTest, PartitionRemoveAndNonzero) {
  const auto x = random_integers(20011, 10);
  const Array a = Array::from(stream, x);
  std::vector<std::int32_t> yes, no;
  std::vector<std::int64_t> places;
  for (std::size_t i = 0; i < x.size(); ++i) {
    (x[i] > 6 ? yes : no).push_back(x[i]);
    if (x[i] != 0) places.push_back(static_cast<std::int64_t>(i));
  }
  const auto [kept, rest] = partition(a, a > 6);
  EXPECT_EQ(kept.to_vector<std::int32_t>(), yes);
  EXPECT_EQ(rest.to_vector<std::int32_t>(), no);
  EXPECT_EQ(remove_if(a, a > 6).to_vector<std::int32_t>(), no);
  EXPECT_EQ(flat_nonzero(a).to_vector<std::int64_t>(), places);
}

TEST_P(SelectionTest, RunsUniqueAndSumsByKey) {
  for (const std::size_t n : {1u, 2u, 4096u, 50021u}) {
    SCOPED_TRACE(n);
    auto x = random_integers(n, 3);
    const auto values = random_integers(n, 1000);
    std::vector<std::int32_t> keys, firsts, sums;
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == 0 || x[i] != x[i - 1])
        keys.push_back(x[i]), firsts.push_back(values[i]), sums.push_back(0), lengths.push_back(0);
      sums.back() += values[i], ++lengths.back();
    }
    const Array a = Array::from(stream, x), b = Array::from(stream, values);
    EXPECT_EQ(unique_neighbours(a).to_vector<std::int32_t>(), keys);
    const auto [unique_keys, first_values] = unique_by_key(a, b);
    EXPECT_EQ(unique_keys.to_vector<std::int32_t>(), keys);
    EXPECT_EQ(first_values.to_vector<std::int32_t>(), firsts);
    const Runs runs = run_length_encode(a);
    EXPECT_EQ(runs.values.to_vector<std::int32_t>(), keys);
    EXPECT_EQ(runs.lengths.to_vector<std::int64_t>(), lengths);
    const auto [sum_keys, key_sums] = reduce_by_key(a, b, sum_operation(Dtype::i32));
    EXPECT_EQ(sum_keys.to_vector<std::int32_t>(), keys);
    EXPECT_EQ(key_sums.to_vector<std::int32_t>(), sums);
  }
}

TEST_P(SelectionTest, CountStaysOnTheDevice) {
  const Array a = Array::arange(stream, 1000, Dtype::i32);
  const Expression values[] = {a};
  const PendingFilter pending = filter_on_device(values, a >= 900);
  EXPECT_EQ(pending.values[0].size(), 1000);
  EXPECT_EQ(pending.count.item<std::uint64_t>(), 100u);
  EXPECT_EQ(pending.values[0].to_vector<std::int32_t>()[99], 999);
}

TEST_P(SelectionTest, MistakesAreNamed) {
  const Array a = Array::zeros(stream, {10}, Dtype::f32), b = Array::zeros(stream, {11}, Dtype::f32);
  EXPECT_THROW(filter(a, b), UsageError);
  EXPECT_THROW(reduce_by_key(a, b, sum_operation(Dtype::f32)), UsageError);
  EXPECT_THROW(unique_by_key(a, b), UsageError);
  EXPECT_THROW(filter(Expression(1.0f), Expression(true)), UsageError);
}

RTCG_INSTANTIATE_FOR_DEVICES(SelectionTest);
RTCG_INSTANTIATE_FOR_LOOPS(SelectionLoopTest);

}  // namespace
}  // namespace rtcg
