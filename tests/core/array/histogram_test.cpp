#include "rtcg/array/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <fmt/format.h>

#include "rtcg/array/loop_shape.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

using Bins = HistogramProblem::Bins;

/// NumPy's rule on explicit edges: [edge, next edge), the last one closed.
template <class T, class Real>
std::vector<std::uint32_t> counts_between(const std::vector<T>& samples, const std::vector<Real>& edges) {
  std::vector<std::uint32_t> counts(edges.size() - 1);
  for (const T sample : samples) {
    const Real x = static_cast<Real>(sample);
    if (!(x >= edges.front() && x <= edges.back())) continue;
    const auto after = static_cast<std::size_t>(std::upper_bound(edges.begin(), edges.end(), x) - edges.begin());
    ++counts[std::min(after, counts.size()) - 1];
  }
  return counts;
}

/// numpy.linspace(low, high, bins + 1).astype(Real)
template <class Real>
std::vector<Real> uniform_edges(double low, double high, std::size_t bins) {
  std::vector<Real> edges;
  for (std::size_t i = 0; i < bins; ++i) {
    const volatile double along = static_cast<double>(i) * ((high - low) / static_cast<double>(bins));
    edges.push_back(static_cast<Real>(low + along));
  }
  edges.push_back(static_cast<Real>(high));
  return edges;
}

/// Every test runs in both loop shapes.
class HistogramTest : public testing::TestWithParam<std::tuple<Device, LoopShape>> {
 protected:
  void SetUp() override { force_loop_shape(std::get<LoopShape>(GetParam())); }
  void TearDown() override { force_loop_shape({}); }
  const Device& device() const { return std::get<Device>(GetParam()); }

  template <class T, class Real>
  void check_uniform(const std::vector<T>& samples, double low, double high, std::size_t bins,
                     std::size_t offset = 0) const {
    SCOPED_TRACE(
        fmt::format("{} of {} in {} bins of [{}, {}]", samples.size(), name_of(scalar_type<T>()), bins, low, high));
    const Stream stream(device());
    const Buffer counts = Buffer::of<std::uint32_t>(stream, bins);
    histogram(stream, {.type = scalar_type<T>(),
                       .samples = Buffer::from(stream, samples),
                       .offset = offset,
                       .count = samples.size() - offset,
                       .bins = bins,
                       .counts = counts,
                       .low = low,
                       .high = high});
    const std::vector<T> counted(samples.begin() + static_cast<std::ptrdiff_t>(offset), samples.end());
    EXPECT_EQ(counts.read<std::uint32_t>(), counts_between(counted, uniform_edges<Real>(low, high, bins)));
  }

  template <class T>
  std::vector<T> normal_samples(std::size_t count, double scale) const {
    std::mt19937_64 random(count);
    std::normal_distribution<double> normal(0, scale);
    std::vector<T> samples(count);
    for (T& sample : samples)
      sample = static_cast<T>(std::clamp(normal(random), static_cast<double>(std::numeric_limits<T>::lowest()),
                                         static_cast<double>(std::numeric_limits<T>::max()) / 2));
    return samples;
  }
};

TEST_P(HistogramTest, CountsFloatsAsExactEdgesSay) {
  for (const std::size_t count : {1u, 3u, 1000u, 100001u})
    check_uniform<float, float>(normal_samples<float>(count, 1), -2, 2.5, 256);
  check_uniform<double, double>(normal_samples<double>(30001, 1), -0.7, 2.1, 100);
}

TEST_P(HistogramTest, PutsSamplesOnEdgesIntoTheUpperBin) {
  const std::size_t bins = 1000;
  std::vector<float> samples;
  for (const float edge : uniform_edges<float>(0.1, 0.9, bins))
    for (const float sample : {edge, std::nextafter(edge, 1.0f), std::nextafter(edge, 0.0f)}) samples.push_back(sample);
  check_uniform<float, float>(samples, 0.1, 0.9, bins);
}

TEST_P(HistogramTest, StaysExactWhereBinsAreNarrowerThanRoundings) {
  std::vector<float> samples;
  for (float x = 1e8f; x < 1.0001e8f; x = std::nextafter(x, 2e8f)) samples.push_back(x);
  check_uniform<float, float>(samples, 1e8, 1.0001e8, 5000);
  check_uniform<float, float>({-3e38f, 0, 3e38f, 1e38f}, -3.4e38, 3.4e38, 7);
}

TEST_P(HistogramTest, LeavesOutWhatIsOutsideAndNans) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
  check_uniform<float, float>({nan, infinity, -infinity, -nan, 0, 1, std::nextafter(1.0f, 2.0f), -0.0f, -1e-30f}, 0, 1,
                              10);
}

TEST_P(HistogramTest, CountsIntegersOfEverySize) {
  check_uniform<std::int8_t, float>(normal_samples<std::int8_t>(2000, 50), -100, 100, 33);
  check_uniform<std::uint16_t, float>(normal_samples<std::uint16_t>(2000, 5000), 0, 9000, 33);
  check_uniform<std::int32_t, double>(normal_samples<std::int32_t>(2000, 5e8), -1e9, 1e9, 512);
  check_uniform<std::uint64_t, double>(normal_samples<std::uint64_t>(2000, 1e18), 0, 1e18, 33);
}

TEST_P(HistogramTest, CountsFromAnyOffset) {
  for (const std::size_t offset : {1u, 5u, 999u})
    check_uniform<std::int8_t, float>(normal_samples<std::int8_t>(1000, 50), -100, 100, 10, offset);
}

TEST_P(HistogramTest, CountsFewAndManyBins) {
  for (const std::size_t bins : {1u, 2u, 300u, 5000u, 70000u})
    check_uniform<float, float>(normal_samples<float>(20000, 1), -1, 1, bins);
}

TEST_P(HistogramTest, CountsBetweenGivenEdges) {
  const Stream stream(device());
  const auto samples = normal_samples<float>(20000, 2);
  const std::vector<float> edges{-3, -1, -0.5f, 0, 0, 0.25f, 4};
  const Buffer counts = Buffer::of<std::uint32_t>(stream, edges.size() - 1);
  histogram(stream, {.type = ScalarType::f32,
                     .samples = Buffer::from(stream, samples),
                     .count = samples.size(),
                     .bins = edges.size() - 1,
                     .counts = counts,
                     .kind = Bins::edges,
                     .edges = Buffer::from(stream, edges)});
  EXPECT_EQ(counts.read<std::uint32_t>(), counts_between(samples, edges));
}

TEST_P(HistogramTest, CountsWholeNumbersIntoSixtyFourBits) {
  const Stream stream(device());
  const auto count_of = [&](const auto& samples, std::int64_t first, std::size_t bins) {
    using T = typename std::decay_t<decltype(samples)>::value_type;
    const Buffer counts = Buffer::of<std::int64_t>(stream, bins);
    histogram(stream, {.type = scalar_type<T>(),
                       .samples = Buffer::from(stream, samples),
                       .count = samples.size(),
                       .bins = bins,
                       .counts = counts,
                       .count_bytes = 8,
                       .kind = Bins::whole,
                       .first = first});
    std::vector<std::int64_t> expected(bins);
    for (const T sample : samples)
      if (static_cast<std::int64_t>(sample) >= first &&
          static_cast<std::int64_t>(sample) < first + static_cast<std::int64_t>(bins))
        ++expected[static_cast<std::size_t>(static_cast<std::int64_t>(sample) - first)];
    EXPECT_EQ(counts.read<std::int64_t>(), expected);
  };
  count_of(normal_samples<std::uint8_t>(9999, 100), 0, 256);
  count_of(std::vector<std::uint8_t>(70001, 255), 0, 256);
  count_of(normal_samples<std::int16_t>(9999, 100), -50, 100);
  count_of(normal_samples<std::int64_t>(9999, 100), -20, 1000);
}

TEST_P(HistogramTest, SaysWhatIsWrong) {
  const Stream stream(device());
  const Buffer samples = Buffer::of<float>(stream, 10), counts = Buffer::of<std::uint32_t>(stream, 10);
  HistogramProblem problem{.type = ScalarType::f32, .samples = samples, .count = 10, .bins = 10, .counts = counts};
  const auto with = [&](auto change) {
    HistogramProblem wrong = problem;
    change(wrong);
    histogram(stream, wrong);
  };
  EXPECT_MESSAGE(UsageError, "0 bins", with([](auto& p) { p.bins = 0; }));
  EXPECT_MESSAGE(UsageError, "ascending, not 1 and 1", with([](auto& p) { p.low = 1; }));
  EXPECT_MESSAGE(UsageError, "finite", with([](auto& p) { p.high = INFINITY; }));
  EXPECT_MESSAGE(UsageError, "counts must hold 11 numbers", with([](auto& p) { p.bins = 11; }));
  EXPECT_MESSAGE(UsageError, "not within a buffer of 10", with([](auto& p) { p.offset = 1; }));
  EXPECT_MESSAGE(UsageError, "have no order", with([](auto& p) { p.type = ScalarType::c64; }));
  EXPECT_MESSAGE(UsageError, "need integers, not float", with([](auto& p) { p.kind = Bins::whole; }));
  EXPECT_MESSAGE(UsageError, "10 bins need 11 edges", with([](auto& p) { p.kind = Bins::edges; }));
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(HistogramTest);
INSTANTIATE_TEST_SUITE_P(
    , HistogramTest,
    testing::Combine(testing::ValuesIn(test::test_devices()), testing::Values(LoopShape::cpu, LoopShape::gpu)),
    [](const auto& info) {
      const bool cpu = std::get<LoopShape>(info.param) == LoopShape::cpu;
      return (cpu ? "chunks_" : "groups_") + test::device_test_name({std::get<Device>(info.param), info.index});
    });

}  // namespace
}  // namespace rtcg
