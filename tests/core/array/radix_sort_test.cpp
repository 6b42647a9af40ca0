#include "rtcg/array/radix_sort.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <tuple>

#include <fmt/format.h>

#include "rtcg/array/radix_sort_text.h"
#include "rtcg/compile/compiler.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

/// NumPy's order: NaNs last, -0 equal to +0; descending keeps NaNs last.
template <class T>
bool before(T a, T b, bool descending) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a)) return false;
    if (std::isnan(b)) return true;
  }
  return descending ? b < a : a < b;
}

template <class T>
std::vector<std::int64_t> sorted_positions(const std::vector<T>& keys, bool descending) {
  std::vector<std::int64_t> positions(keys.size());
  std::iota(positions.begin(), positions.end(), 0);
  std::stable_sort(positions.begin(), positions.end(), [&](std::int64_t a, std::int64_t b) {
    return before(keys[static_cast<std::size_t>(a)], keys[static_cast<std::size_t>(b)], descending);
  });
  return positions;
}

enum class Pattern { random, few_values, equal, ascending, descending, special };

template <class T>
std::vector<T> make_keys(std::size_t count, Pattern pattern) {
  std::mt19937_64 random(count + 17);
  std::vector<T> keys(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = random();
    switch (pattern) {
      case Pattern::random:
        if constexpr (std::is_floating_point_v<T>)
          keys[i] = static_cast<T>(
              std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)), static_cast<int>(bits % 60) - 90));
        else
          keys[i] = static_cast<T>(bits);
        break;
      case Pattern::few_values:
        keys[i] = static_cast<T>(bits % 3);
        break;
      case Pattern::equal:
        keys[i] = static_cast<T>(1);
        break;
      case Pattern::ascending:
        keys[i] = static_cast<T>(i);
        break;
      case Pattern::descending:
        keys[i] = static_cast<T>(count - i);
        break;
      case Pattern::special:
        if constexpr (std::is_floating_point_v<T>) {
          const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
          const T values[] = {0, -T(0), infinity, -infinity, nan, -nan, 1, -1, std::numeric_limits<T>::denorm_min()};
          keys[i] = values[bits % std::size(values)];
        } else {
          const T values[] = {0, std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest(), 1};
          keys[i] = values[bits % std::size(values)];
        }
    }
  }
  return keys;
}

template <class T>
std::vector<unsigned char> bytes_of(const std::vector<T>& values) {
  const auto* start = reinterpret_cast<const unsigned char*>(values.data());
  return {start, start + values.size() * sizeof(T)};
}

/// Methods that run on a device.
std::vector<SortMethod> methods_of(const Device& device) {
  std::vector<SortMethod> methods{SortMethod::chunks, SortMethod::tiles};
  const DeviceProperties& properties = device.properties();
  if (properties.kind == DeviceKind::gpu && properties.vendor.find("NVIDIA") != std::string::npos)
    methods.push_back(SortMethod::onesweep);
  return methods;
}

class RadixSortTest : public test::DeviceTest {
 protected:
  /// Sorts keys and gives their positions; both are checked against std::stable_sort, bit by bit.
  template <class T>
  void check(const std::vector<T>& keys, std::size_t rows, SortProblem problem = {}) const {
    SCOPED_TRACE(fmt::format("{} rows of {} {}, method {}, {}", rows, keys.size() / rows, name_of(scalar_type<T>()),
                             static_cast<int>(problem.method), problem.descending ? "descending" : "ascending"));
    const Stream stream(device());
    const std::size_t length = keys.size() / rows;
    problem.type = scalar_type<T>();
    problem.rows = rows;
    problem.length = length;
    problem.keys = Buffer::from(stream, keys);
    problem.sorted_keys = Buffer::of<T>(stream, keys.size());
    problem.positions = Buffer::of<std::int64_t>(stream, keys.size());
    radix_sort(stream, problem);
    std::vector<T> expected;
    std::vector<std::int64_t> positions;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::vector<T> own(keys.begin() + static_cast<std::ptrdiff_t>(row * length),
                               keys.begin() + static_cast<std::ptrdiff_t>((row + 1) * length));
      for (const std::int64_t at : sorted_positions(own, problem.descending)) {
        positions.push_back(at);
        expected.push_back(own[static_cast<std::size_t>(at)]);
      }
    }
    EXPECT_EQ(bytes_of(problem.sorted_keys.template read<T>()), bytes_of(expected));
    EXPECT_EQ(problem.positions.template read<std::int64_t>(), positions);
    EXPECT_EQ(bytes_of(problem.keys.template read<T>()), bytes_of(keys)) << "the input is left as it is";
  }

  /// By the method for CPUs; the others share the order of keys but take long to compile there.
  template <class T>
  void check_type(bool descending) const {
    const SortMethod method =
        methods_of(device()).back() == SortMethod::onesweep ? SortMethod::onesweep : SortMethod::chunks;
    check(make_keys<T>(17000, Pattern::special), 1, {.descending = descending, .method = method});
    check(make_keys<T>(17000, Pattern::random), 1, {.descending = descending, .method = method});
  }
  template <class T>
  void check_tiles(std::size_t count, Pattern pattern, bool descending) const {
    for (const SortMethod method : methods_of(device()))
      if (method != SortMethod::chunks)
        check(make_keys<T>(count, pattern), 1, {.descending = descending, .method = method});
  }

  template <class Value>
  void check_values(std::size_t count, SortProblem problem) const {
    SCOPED_TRACE(
        fmt::format("{} values of {} bytes, method {}", count, sizeof(Value), static_cast<int>(problem.method)));
    const Stream stream(device());
    const auto keys = make_keys<std::int16_t>(count, Pattern::random);
    std::vector<Value> values(count), expected(count);
    std::mt19937 random(5);
    for (Value& value : values)
      for (auto& byte : value) byte = static_cast<unsigned char>(random());
    const auto positions = sorted_positions(keys, problem.descending);
    for (std::size_t i = 0; i < count; ++i) expected[i] = values[static_cast<std::size_t>(positions[i])];
    problem.type = ScalarType::i16;
    problem.length = count;
    problem.keys = Buffer::from(stream, keys);
    problem.values = Buffer::from(stream, values);
    problem.sorted_values = Buffer(stream, count * sizeof(Value));
    problem.value_bytes = sizeof(Value);
    radix_sort(stream, problem);
    EXPECT_EQ(problem.sorted_values.template read<Value>(), expected);
  }
};

TEST_P(RadixSortTest, SortsIntegersOfEverySize) {
  check_type<std::uint8_t>(true);
  check_type<std::int8_t>(false);
  check_type<std::uint16_t>(false);
  check_type<std::int16_t>(true);
  check_type<std::uint32_t>(true);
  check_type<std::int32_t>(true);
  check_type<std::uint64_t>(false);
  check_type<std::int64_t>(true);
}

TEST_P(RadixSortTest, SortsFloatsWithNansLastAndZerosEqual) {
  for (const bool descending : {false, true}) {
    check_type<float>(descending);
    check_type<double>(descending);
  }
}

TEST_P(RadixSortTest, SortsTilesOfKeysOfEverySize) {
  check_tiles<std::int8_t>(9000, Pattern::random, false);
  check_tiles<std::uint16_t>(9000, Pattern::random, true);
  check_tiles<float>(9000, Pattern::special, false);
  check_tiles<double>(9000, Pattern::random, true);
}

TEST_P(RadixSortTest, SortsEverySizeAroundATile) {
  for (const SortMethod method : methods_of(device()))
    for (const std::size_t count : {1u, 2u, 24u, 25u, 448u, 449u, 3839u, 3840u, 3841u, 7681u, 8193u})
      check(make_keys<std::int32_t>(count, Pattern::random), 1, {.method = method});
}

TEST_P(RadixSortTest, SortsPatternsThatLeaveOutPasses) {
  for (const SortMethod method : methods_of(device()))
    for (const Pattern pattern : {Pattern::few_values, Pattern::equal, Pattern::ascending, Pattern::descending})
      for (const std::size_t count : {300u, 70000u})
        check(make_keys<std::uint32_t>(count, pattern), 1, {.method = method});
}

TEST_P(RadixSortTest, SortsRowsEachForItself) {
  for (const SortMethod method : methods_of(device())) {
    for (const std::size_t length : {1u, 7u, 1000u, 4000u, 9000u})
      check(make_keys<float>(3 * length, Pattern::random), 3, {.method = method});
    // Rows that leave out different passes.
    auto keys = make_keys<float>(3 * 5000, Pattern::random);
    std::fill(keys.begin(), keys.begin() + 5000, 1.0f);
    std::fill(keys.begin() + 5000, keys.begin() + 10000, 2.0f);
    keys[7000] = 3;
    check(keys, 3, {.method = method});
  }
}

TEST_P(RadixSortTest, MovesValuesOfAnySize) {
  for (const SortMethod method : methods_of(device())) {
    const std::size_t count = 9000;
    check_values<std::array<unsigned char, 3>>(count, {.descending = true, .method = method});
    check_values<std::array<unsigned char, 16>>(count, {.method = method});
    if (method == SortMethod::tiles)
      continue;  // the rest differs by a type in the text alone and takes long to compile
    check_values<std::array<unsigned char, 1>>(count, {.method = method});
    check_values<std::array<unsigned char, 8>>(count, {.method = method});
    check_values<std::array<unsigned char, 12>>(count, {.method = method});
  }
}

TEST_P(RadixSortTest, SortsHalvesAndBooleansByTheirMeaning) {
  const Stream stream(device());
  // Halves: NaN, 1, -0, 0, -2, infinity, -infinity, the smallest.
  const std::vector<std::uint16_t> halves{0x7e01, 0x3c00, 0x8000, 0x0000, 0xc000, 0x7c00, 0xfc00, 0x0001};
  const Buffer sorted = Buffer::of<std::uint16_t>(stream, halves.size());
  SortProblem problem{
      .type = ScalarType::f16, .length = halves.size(), .keys = Buffer::from(stream, halves), .sorted_keys = sorted};
  radix_sort(stream, problem);
  EXPECT_EQ(sorted.read<std::uint16_t>(),
            (std::vector<std::uint16_t>{0xfc00, 0xc000, 0x8000, 0x0000, 0x0001, 0x3c00, 0x7c00, 0x7e01}));

  const std::vector<std::uint8_t> truths{1, 0, 0, 1, 0};
  problem = {.type = ScalarType::boolean,
             .length = truths.size(),
             .keys = Buffer::from(stream, truths),
             .positions = Buffer::of<std::uint32_t>(stream, truths.size()),
             .position_bytes = 4};
  radix_sort(stream, problem);
  EXPECT_EQ(problem.positions.read<std::uint32_t>(), (std::vector<std::uint32_t>{1, 2, 4, 0, 3}));
}

TEST_P(RadixSortTest, SortsByTheBitsAskedFor) {
  const Stream stream(device());
  const auto keys = make_keys<std::uint32_t>(20000, Pattern::random);
  auto expected = keys;
  std::stable_sort(expected.begin(), expected.end(),
                   [](std::uint32_t a, std::uint32_t b) { return (a >> 5 & 0x7ff) < (b >> 5 & 0x7ff); });
  for (const SortMethod method : methods_of(device())) {
    const Buffer sorted = Buffer::of<std::uint32_t>(stream, keys.size());
    radix_sort(stream, {.type = ScalarType::u32,
                        .length = keys.size(),
                        .keys = Buffer::from(stream, keys),
                        .sorted_keys = sorted,
                        .first_bit = 5,
                        .bits = 11,
                        .method = method});
    EXPECT_EQ(sorted.read<std::uint32_t>(), expected);
  }
}

TEST_P(RadixSortTest, SortsInPlaceAndFromAnOffset) {
  const Stream stream(device());
  const auto keys = make_keys<std::int32_t>(9000, Pattern::random);
  for (const std::size_t offset : {0u, 5u, 8990u}) {
    std::vector<std::int32_t> expected(keys.begin() + static_cast<std::ptrdiff_t>(offset), keys.end());
    std::sort(expected.begin(), expected.end());
    const Buffer buffer = Buffer::from(stream, keys);
    radix_sort(stream, {.type = ScalarType::i32,
                        .length = expected.size(),
                        .keys = buffer,
                        .sorted_keys = buffer,
                        .keys_offset = offset});
    auto sorted = buffer.read<std::int32_t>();
    sorted.resize(expected.size());
    EXPECT_EQ(sorted, expected);
  }
}

TEST_P(RadixSortTest, SortsNothing) {
  const Stream stream(device());
  const Buffer keys = Buffer::of<float>(stream, 4);
  radix_sort(stream, {.type = ScalarType::f32, .rows = 0, .length = 4, .keys = keys, .sorted_keys = keys});
  radix_sort(stream, {.type = ScalarType::f32, .rows = 4, .length = 0, .keys = keys, .sorted_keys = keys});
}

TEST_P(RadixSortTest, SaysWhatIsWrong) {
  const Stream stream(device());
  const Buffer keys = Buffer::of<float>(stream, 10);
  const auto with = [&](auto change) {
    SortProblem wrong{.type = ScalarType::f32, .length = 10, .keys = keys, .sorted_keys = keys};
    change(wrong);
    radix_sort(stream, wrong);
  };
  EXPECT_MESSAGE(UsageError, "keys must hold 11 elements of 4 bytes, not 40", with([](auto& p) { p.length = 11; }));
  EXPECT_MESSAGE(UsageError, "keys must hold 11 elements", with([](auto& p) { p.keys_offset = 1; }));
  EXPECT_MESSAGE(UsageError, "have no order", with([](auto& p) { p.type = ScalarType::c64; }));
  EXPECT_MESSAGE(UsageError, "longer than 4294967295", with([](auto& p) { p.length = std::size_t{1} << 32; }));
  EXPECT_MESSAGE(UsageError, "bits 30 to 35", with([](auto& p) { p.first_bit = 30, p.bits = 5; }));
  EXPECT_MESSAGE(UsageError, "no buffer for the result", with([](auto& p) { p.sorted_keys = {}; }));
  EXPECT_MESSAGE(UsageError, "1 to 16 bytes, not 17",
                 with([&](auto& p) { p.values = p.sorted_values = keys, p.value_bytes = 17; }));
  EXPECT_MESSAGE(UsageError, "no buffer for them", with([&](auto& p) { p.values = keys, p.value_bytes = 4; }));
  EXPECT_MESSAGE(UsageError, "not both",
                 with([&](auto& p) { p.values = p.sorted_values = p.positions = keys, p.value_bytes = 4; }));
  if (methods_of(device()).back() != SortMethod::onesweep)
    EXPECT_MESSAGE(UsageError, "needs an NVIDIA GPU", with([](auto& p) { p.method = SortMethod::onesweep; }));
}

TEST(RadixSortTextTest, OnesweepCompilesForGpusThatAreNotHere) {
  if (cuda_architectures().empty()) GTEST_SKIP() << "no NVRTC";
  for (const auto& [architecture, type, value_bytes, positions, wide] :
       {std::tuple{"sm_90", ScalarType::u32, 0u, false, false},
        {"sm_90", ScalarType::f32, 4u, true, true},
        {"sm_90", ScalarType::i8, 16u, false, false},
        {"sm_80", ScalarType::f64, 8u, false, true}}) {
    SortShape shape{.type = type,
                    .method = SortMethod::onesweep,
                    .positions = positions,
                    .wide_positions = positions,
                    .cuda = true,
                    .wide_status = wide,
                    .bits = sort_key_bits(type),
                    .value_bytes = value_bytes};
    shape.choose_tile(1 << 20);
    EXPECT_EQ(check_cuda(sort_source(shape), architecture).kernels,
              (std::vector<std::string>{"radix_histogram", "radix_onesweep", "radix_plan"}));
  }
}

RTCG_INSTANTIATE_FOR_DEVICES(RadixSortTest);

}  // namespace
}  // namespace rtcg
