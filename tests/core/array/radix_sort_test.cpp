#include "rtcg/array/radix_sort.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include <fmt/format.h>

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
  /// Sorts keys alone, with their positions, and checks both against std::stable_sort; bits must be kept.
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
    EXPECT_EQ(bytes_of(problem.sorted_keys.template read<T>()), bytes_of(expected)) << "keys alone";
    EXPECT_EQ(bytes_of(problem.keys.template read<T>()), bytes_of(keys)) << "the input is left as it is";

    problem.positions = Buffer::of<std::int64_t>(stream, keys.size());
    problem.sorted_keys = {};
    radix_sort(stream, problem);
    EXPECT_EQ(problem.positions.template read<std::int64_t>(), positions) << "positions";
  }

  /// Both directions by the method for CPUs; kernels of the others share the order of keys but take long to compile.
  template <class T>
  void check_type() const {
    for (const bool descending : {false, true}) {
      check(make_keys<T>(5000, Pattern::special), 1, {.descending = descending, .method = SortMethod::chunks});
      check(make_keys<T>(17000, Pattern::random), 1, {.descending = descending, .method = SortMethod::chunks});
    }
  }
  template <class T>
  void check_tiles(std::size_t count, Pattern pattern, bool descending) const {
    for (const SortMethod method : methods_of(device()))
      if (method != SortMethod::chunks)
        check(make_keys<T>(count, pattern), 1, {.descending = descending, .method = method});
  }
};

TEST_P(RadixSortTest, SortsIntegersOfEverySize) {
  check_type<std::uint8_t>();
  check_type<std::int8_t>();
  check_type<std::uint16_t>();
  check_type<std::int16_t>();
  check_type<std::uint32_t>();
  check_type<std::int32_t>();
  check_type<std::uint64_t>();
  check_type<std::int64_t>();
}

TEST_P(RadixSortTest, SortsFloatsWithNansLastAndZerosEqual) {
  check_type<float>();
  check_type<double>();
}

TEST_P(RadixSortTest, SortsTilesOfKeysOfEverySize) {
  check_tiles<std::int8_t>(9000, Pattern::random, false);
  check_tiles<std::uint16_t>(9000, Pattern::random, true);
  check_tiles<float>(9000, Pattern::special, false);
  check_tiles<double>(9000, Pattern::special, true);
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
  for (const SortMethod method : methods_of(device()))
    for (const std::size_t length : {1u, 7u, 100u, 1000u, 4000u, 9000u})
      check(make_keys<float>(3 * length, Pattern::random), 3, {.method = method});
}

RTCG_INSTANTIATE_FOR_DEVICES(RadixSortTest);

}  // namespace
}  // namespace rtcg
