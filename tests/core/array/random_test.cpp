#include "rtcg/array/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "rtcg/compile/compiler.h"
#include "rtcg/error.h"
#include "support/loops.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

class RandomTest : public test::LoopTest {};

using Words = std::array<std::uint32_t, 4>;

/// Philox 4x32-10 written from the paper's equations, one round at a time.
Words reference(Words c, std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const auto product0 = static_cast<std::uint64_t>(c[0]) * 0xD2511F53u;
    const auto product1 = static_cast<std::uint64_t>(c[2]) * 0xCD9E8D57u;
    const Words next = {
        static_cast<std::uint32_t>(product1 >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(product1 & 0xffffffffu),
        static_cast<std::uint32_t>(product0 >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(product0 & 0xffffffffu)};
    c = next;
    k[0] += 0x9E3779B9u, k[1] += 0xBB67AE85u;
  }
  return c;
}

/// Word `n` of the stream of a seed from its start.
std::uint32_t stream_word(std::uint64_t seed, std::uint32_t subsequence, std::uint64_t n) {
  const std::uint64_t block = n / 4;
  return reference({static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), subsequence, 0},
                   {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)})[n % 4];
}

// kat_vectors of Random123.
struct KnownAnswer {
  Words counter;
  std::array<std::uint32_t, 2> key;
  Words result;
};
constexpr KnownAnswer known_answers[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST_P(RandomTest, GeneratorGivesThePublishedAnswers) {
  Source source("known.cl",
                "#include \"philox.cl\"\n"
                "kernel void known(global uint* out, uint a, uint b, uint c, uint d, uint key0, uint key1) {\n"
                "  const uint4 r = philox4x32_10(make_uint4(a, b, c, d), key0, key1);\n"
                "  out[0] = r.x, out[1] = r.y, out[2] = r.z, out[3] = r.w;\n"
                "}\n");
  const Kernel kernel = compile(device(), with_philox(source)).kernel("known");
  const Buffer out = Buffer::of<std::uint32_t>(stream, 4);
  for (const KnownAnswer& known : known_answers) {
    const Words& c = known.counter;
    kernel(stream, Grid::of(1, 1), out, c[0], c[1], c[2], c[3], known.key[0], known.key[1]);
    EXPECT_EQ(out.read<std::uint32_t>(), std::vector<std::uint32_t>(known.result.begin(), known.result.end()));
    EXPECT_EQ(reference(c, known.key), known.result);
  }
}

TEST_P(RandomTest, BitsAreTheStreamOfCounters) {
  for (const std::int64_t n : {1, 3, 4, 1000, 4097}) {
    Random random(0x123456789abcdef0, 7);
    const auto words = random.bits(stream, {n}).to_vector<std::uint32_t>();
    for (std::size_t i = 0; i < words.size(); ++i) ASSERT_EQ(words[i], stream_word(0x123456789abcdef0, 7, i)) << i;
    EXPECT_EQ(random.position(), static_cast<std::uint64_t>((n + 3) / 4));
  }
  Random random(5);
  random.seek((std::uint64_t{1} << 32) - 1);  // the carry into the second word
  const auto wide = random.bits(stream, {4}, Dtype::u64).to_vector<std::uint64_t>();
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint64_t n = 4 * ((std::uint64_t{1} << 32) - 1) + 2 * i;
    EXPECT_EQ(wide[i], std::uint64_t{stream_word(5, 0, n)} << 32 | stream_word(5, 0, n + 1));
  }
}

TEST_P(RandomTest, UniformIsTheHighBitsExactly) {
  Random single(42), dual(42), half(42);
  const auto x = single.uniform(stream, {1001}).to_vector<float>();
  const auto y = dual.uniform(stream, {501}, Dtype::f64).to_vector<double>();
  const auto h = half.uniform(stream, {101}, Dtype::f16).view_as(Dtype::u16).to_vector<std::uint16_t>();
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_EQ(x[i], static_cast<float>(stream_word(42, 0, i) >> 8) / 16777216.0f);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double high = stream_word(42, 0, 2 * i) >> 5, low = stream_word(42, 0, 2 * i + 1) >> 6;
    ASSERT_EQ(y[i], (high * 67108864.0 + low) / 9007199254740992.0);
  }
  for (std::size_t i = 0; i < h.size(); ++i) {
    const int exponent = (h[i] >> 10) & 31, mantissa = h[i] & 1023;
    const double value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    ASSERT_EQ(value, (stream_word(42, 0, i) >> 21) / 2048.0) << i;
  }
}

TEST_P(RandomTest, UniformStaysBelowItsUpperEnd) {
  Random random(1);
  // Eight floats lie in this interval, so rounding reaches the upper end often.
  const float low = 16777216.0f, high = 16777232.0f;
  const auto x = random.uniform(stream, {20000}, Dtype::f32, low, high).to_vector<float>();
  EXPECT_EQ(*std::min_element(x.begin(), x.end()), low);
  EXPECT_EQ(*std::max_element(x.begin(), x.end()), 16777230.0f);
  const auto h = random.uniform(stream, {20000}, Dtype::f16, 1024, 1032).view_as(Dtype::u16).to_vector<std::uint16_t>();
  EXPECT_EQ(*std::min_element(h.begin(), h.end()), 0x6400);  // 1024
  EXPECT_EQ(*std::max_element(h.begin(), h.end()), 0x6407);  // 1031
  const auto narrow = random.uniform(stream, {10}, Dtype::f64, 1.0, std::nextafter(1.0, 2.0)).to_vector<double>();
  EXPECT_EQ(narrow, std::vector<double>(10, 1.0));
}

/// Kolmogorov's statistic sqrt(n) sup |F_n - F|; above 1.95 in one of 1000 samples.
template <class F>
double kolmogorov(std::vector<double> values, const F& distribution) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double largest = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double f = distribution(values[i]);
    largest = std::max({largest, f - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - f});
  }
  return std::sqrt(n) * largest;
}

std::vector<double> doubles(const Array& array) {
  if (array.dtype() == Dtype::f64) return array.to_vector<double>();
  const auto values = array.to_vector<float>();
  return {values.begin(), values.end()};
}

TEST_P(RandomTest, UniformAndNormalFollowTheirDistributions) {
  Random random(2024);
  for (const Dtype type : {Dtype::f32, Dtype::f64}) {
    SCOPED_TRACE(dtype_name(type));
    const auto u = doubles(random.uniform(stream, {100000}, type, -3, 5));
    EXPECT_LT(kolmogorov(u, [](double x) { return (x + 3) / 8; }), 1.95);
    const auto z = doubles(random.normal(stream, {100000}, type, 2, 0.5));
    EXPECT_LT(kolmogorov(z, [](double x) { return 0.5 * std::erfc(-(x - 2) / 0.5 / std::sqrt(2)); }), 1.95);
    const double n = 100000, mean = std::accumulate(z.begin(), z.end(), 0.0) / n;
    double square = 0, fourth = 0, neighbours = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      const double d = (z[i] - mean) / 0.5;
      square += d * d, fourth += d * d * d * d;
      if (i > 0) neighbours += d * (z[i - 1] - mean) / 0.5;
    }
    EXPECT_NEAR(mean, 2, 4 * 0.5 / std::sqrt(n));
    EXPECT_NEAR(square / n, 1, 4 * std::sqrt(2 / n));
    EXPECT_NEAR(fourth / n, 3, 4 * std::sqrt(96 / n));
    EXPECT_NEAR(neighbours / n, 0, 4 / std::sqrt(n));
  }
}

TEST_P(RandomTest, NormalIsBoxAndMullerOfTheStream) {
  Random single(9), dual(9);
  const auto x = single.normal(stream, {1000}).to_vector<float>();
  const auto y = dual.normal(stream, {1000}, Dtype::f64).to_vector<double>();
  for (std::size_t pair = 0; pair < 500; ++pair) {
    const double u = (static_cast<float>(stream_word(9, 0, 2 * pair)) + 0.5) / 4294967296.0;
    const double turn = static_cast<std::int32_t>(stream_word(9, 0, 2 * pair + 1)) / 2147483648.0;
    const double radius = std::sqrt(-2 * std::log(std::min(u, 1.0)));
    ASSERT_NEAR(x[2 * pair], radius * std::cos(M_PI * turn), 3e-6 * std::max(radius, 1.0)) << pair;
    ASSERT_NEAR(x[2 * pair + 1], radius * std::sin(M_PI * turn), 3e-6 * std::max(radius, 1.0)) << pair;
    const auto fraction = [&](std::size_t n) {
      return ((stream_word(9, 0, n) >> 5) * 67108864.0 + (stream_word(9, 0, n + 1) >> 6)) / 9007199254740992.0;
    };
    const double wide = std::sqrt(-2 * std::log(1 - fraction(4 * pair))), angle = 2 * fraction(4 * pair + 2) - 1;
    ASSERT_NEAR(y[2 * pair], wide * std::cos(M_PI * angle), 1e-14) << pair;
    ASSERT_NEAR(y[2 * pair + 1], wide * std::sin(M_PI * angle), 1e-14) << pair;
  }
}

TEST_P(RandomTest, IntegersFillTheirRangeEvenly) {
  Random random(77);
  // 700,000 numbers over 7 values: chi-square with 6 degrees of freedom passes 22.5 once in 1000.
  const auto dice = random.integers(stream, {700000}, -3, 4, Dtype::i8).to_vector<std::int8_t>();
  std::array<double, 7> counts{};
  for (const std::int8_t value : dice) {
    ASSERT_GE(value, -3);
    ASSERT_LE(value, 3);
    ++counts[static_cast<std::size_t>(value + 3)];
  }
  double chi = 0;
  for (const double count : counts) chi += (count - 100000) * (count - 100000) / 100000;
  EXPECT_LT(chi, 22.5);
}

/// Lemire's method: attempt by attempt, with word `lane` of the block of that attempt.
TEST_P(RandomTest, IntegersRejectWithoutBias) {
  Random random(3);
  // 2^32 mod range is a quarter of 2^32, so a quarter of the draws is rejected.
  const std::uint64_t range = 0xC0000000;
  const auto values =
      random.integers(stream, {4000}, 10, 10 + static_cast<std::int64_t>(range)).to_vector<std::int64_t>();
  const std::uint64_t threshold = (std::uint64_t{1} << 32) % range;
  int rejected = 0;
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    std::uint64_t product = 0;
    for (std::uint32_t attempt = 0; ++attempt;) {
      product = reference({i / 4, 0, 0, attempt - 1}, {3, 0})[i % 4] * range;
      if ((product & 0xffffffffu) >= threshold) break;
      ++rejected;
    }
    ASSERT_EQ(values[i], 10 + static_cast<std::int64_t>(product >> 32)) << i;
  }
  EXPECT_GT(rejected, 1000);

  const std::int64_t low = -(std::int64_t{1} << 62), high = std::int64_t{1} << 61;
  const auto wide = random.integers(stream, {4000}, low, high).to_vector<std::int64_t>();
  double mean = 0;
  for (const std::int64_t value : wide) {
    ASSERT_GE(value, low);
    ASSERT_LT(value, high);
    mean += std::ldexp(static_cast<double>(value), -61) / 4000;
  }
  EXPECT_NEAR(mean, -0.5, 4 * 3 / std::sqrt(12.0 * 4000));
}

TEST_P(RandomTest, IntegersReachTheEndsOfEveryType) {
  Random random(4);
  const auto bytes = random.integers(stream, {20000}, 0, 256, Dtype::u8).to_vector<std::uint8_t>();
  EXPECT_EQ(*std::min_element(bytes.begin(), bytes.end()), 0);
  EXPECT_EQ(*std::max_element(bytes.begin(), bytes.end()), 255);
  EXPECT_EQ(random.integers(stream, {5}, 9, 10, Dtype::u16).to_vector<std::uint16_t>(),
            std::vector<std::uint16_t>(5, 9));
  const auto ints = random.integers(stream, {1000}, INT32_MIN, std::int64_t{INT32_MAX} + 1, Dtype::i32);
  EXPECT_EQ(ints.size(), 1000);
  EXPECT_MESSAGE(UsageError, "[0, 257) is no range of uint8", random.integers(stream, {1}, 0, 257, Dtype::u8));
  EXPECT_MESSAGE(UsageError, "[-1, 5) is no range of uint64", random.integers(stream, {1}, -1, 5, Dtype::u64));
  EXPECT_MESSAGE(UsageError, "[5, 5) is no range", random.integers(stream, {1}, 5, 5));
  EXPECT_MESSAGE(UsageError, "an integer type, not float32", random.integers(stream, {1}, 0, 5, Dtype::f32));
}

TEST_P(RandomTest, BernoulliHitsItsProbability) {
  Random random(8);
  const auto draws = random.bernoulli(stream, {100001}, 0.3).to_vector<bool>();
  const auto hits = static_cast<double>(std::count(draws.begin(), draws.end(), true));
  EXPECT_NEAR(hits, 30000, 4 * std::sqrt(100000 * 0.21));
  EXPECT_EQ(random.bernoulli(stream, {9}, 1).to_vector<bool>(), std::vector<bool>(9, true));
  EXPECT_EQ(random.bernoulli(stream, {9}, 0).to_vector<bool>(), std::vector<bool>(9, false));
  EXPECT_MESSAGE(UsageError, "a probability from 0 to 1, not 1.5", random.bernoulli(stream, {9}, 1.5));
}

TEST_P(RandomTest, PermutationsHoldEveryNumberOnceAndAreEquallyLikely) {
  Random random(12);
  auto large = random.permutation(stream, 5000).to_vector<std::int64_t>();
  EXPECT_FALSE(std::is_sorted(large.begin(), large.end()));
  std::sort(large.begin(), large.end());
  for (std::size_t i = 0; i < 5000; ++i) ASSERT_EQ(large[i], static_cast<std::int64_t>(i));
  std::array<int, 27> counts{};
  for (int k = 0; k < 600; ++k) {
    const auto p = random.permutation(stream, 3).to_vector<std::int64_t>();
    ++counts[static_cast<std::size_t>(p[0] * 9 + p[1] * 3 + p[2])];
  }
  // Six orders, five degrees of freedom: 20.5 is passed once in 1000.
  double chi = 0;
  for (const int place : {5, 7, 11, 15, 19, 21})
    chi += (counts[static_cast<std::size_t>(place)] - 100.0) * (counts[static_cast<std::size_t>(place)] - 100.0) / 100;
  EXPECT_LT(chi, 20.5);
  EXPECT_EQ(random.permutation(stream, 0).size(), 0);
  EXPECT_MESSAGE(UsageError, "of -1 numbers", random.permutation(stream, -1));
}

TEST_P(RandomTest, CallsGoOnAndSplitsDiffer) {
  Random whole(6), parts(6);
  const auto all = whole.uniform(stream, {2000}).to_vector<float>();
  const auto first = parts.uniform(stream, {800}).to_vector<float>();
  const auto second = parts.uniform(stream, {30, 40}).to_vector<float>();
  EXPECT_TRUE(std::equal(first.begin(), first.end(), all.begin()));
  EXPECT_TRUE(std::equal(second.begin(), second.end(), all.begin() + 800));

  Random again(6), other(6, 1), child = again.split(0), twin = again.split(0), sibling = again.split(1);
  EXPECT_EQ(child.bits(stream, {4}).to_vector<std::uint32_t>(), twin.bits(stream, {4}).to_vector<std::uint32_t>());
  EXPECT_NE(child.seed(), sibling.seed());
  EXPECT_NE(again.bits(stream, {4}).to_vector<std::uint32_t>(), other.bits(stream, {4}).to_vector<std::uint32_t>());
  EXPECT_EQ(again.uniform(stream, {0, 3}).size(), 0);
  EXPECT_EQ(again.position(), 1u);
}

TEST_P(RandomTest, RefusesWhatIsNoDistribution) {
  Random random(1);
  EXPECT_MESSAGE(UsageError, "[2, 1) is no interval of float32", random.uniform(stream, {1}, Dtype::f32, 2, 1));
  EXPECT_MESSAGE(UsageError, "is no interval of float16", random.uniform(stream, {1}, Dtype::f16, 0, 1e6));
  EXPECT_MESSAGE(UsageError, "is no interval", random.uniform(stream, {1}, Dtype::f64, 0, std::nan("")));
  EXPECT_MESSAGE(UsageError, "float16, float32 or float64, not int32", random.uniform(stream, {1}, Dtype::i32));
  EXPECT_MESSAGE(UsageError, "the deviation not negative", random.normal(stream, {1}, Dtype::f32, 0, -1));
  EXPECT_MESSAGE(UsageError, "uint32 or uint64, not int64", random.bits(stream, {1}, Dtype::i64));
}

RTCG_INSTANTIATE_FOR_LOOPS(RandomTest);

}  // namespace
}  // namespace rtcg
