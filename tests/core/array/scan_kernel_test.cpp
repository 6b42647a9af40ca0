#include "rtcg/array/scan_kernel.h"

#include <fmt/format.h>

#include <numeric>
#include <random>

#include "rtcg/error.h"
#include "support/loops.h"

namespace rtcg {
namespace {

/// In the loop of the device alone, which saves compiling every kernel twice.
class ScanKernelTest : public test::DeviceTest {
 protected:
  const Stream stream{device()};
};
class ScanKernelLoopTest : public test::LoopTest {};

std::vector<std::int32_t> integers(std::size_t n) {
  std::mt19937 random(static_cast<unsigned>(n));
  std::vector<std::int32_t> x(n);
  for (auto& v : x) v = static_cast<std::int32_t>(random() % 201) - 100;
  return x;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_P(ScanKernelLoopTest, SumsOfBoundTypesInPlaceAndStrided) {
  const Scan sum{
      {.input = "x[i]", .combine = "a + b", .neutral = "0", .output = "y[i] = item", .arguments = "const T* x, T* y"}};
  for (const std::size_t n : {1u, 4097u, 50001u}) {
    const auto x = integers(n);
    std::vector<std::int32_t> expected(n);
    std::inclusive_scan(x.begin(), x.end(), expected.begin());
    const Array a = Array::from(stream, x), wide = Array::zeros(stream, {static_cast<std::int64_t>(2 * n)}, Dtype::i32);
    const Array y = wide(Slice{1, {}, 2});
    sum(a, y);
    EXPECT_EQ(y.to_vector<std::int32_t>(), expected);
    EXPECT_EQ(wide.to_vector<std::int32_t>()[0], 0);
  }
}

TEST_P(ScanKernelTest, InputAndOutputMayBeOneArray) {
  const Scan sum{{.value = "int",
                  .input = "y[i]",
                  .combine = "a + b",
                  .neutral = "0",
                  .output = "y[i] = prev_item",
                  .arguments = "int* y"}};
  const auto x = integers(20011);
  std::vector<std::int32_t> expected(x.size());
  std::exclusive_scan(x.begin(), x.end(), expected.begin(), 0);
  const Array y = Array::from(stream, x);
  sum(y);
  EXPECT_EQ(y.to_vector<std::int32_t>(), expected);
}

TEST_P(ScanKernelTest, StructuresThatDoNotCommute) {
  // Values of the recurrence y = a y + b from affine maps.
  const Scan recurrence{{.value = "map",
                         .value_bytes = 8,
                         .input = "make_map(a[i], b[i])",
                         .combine = "make_map(b.f * a.f, b.f * a.g + b.g)",
                         .neutral = "make_map(1, 0)",
                         .output = "y[i] = item.f * start + item.g",
                         .arguments = "const uint* a, const uint* b, uint* y, uint start",
                         .name = "recurrence",
                         .preamble =
                             "typedef struct { uint f, g; } map;\n"
                             "static inline map make_map(uint f, uint g) { map m; m.f = f; m.g = g; return m; }"}};
  const std::size_t n = 30011;
  std::mt19937 random(3);
  std::vector<std::uint32_t> a(n), b(n), expected(n);
  std::uint32_t y = 7;
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = static_cast<std::uint32_t>(random()) | 1u, b[i] = static_cast<std::uint32_t>(random());
    expected[i] = y = a[i] * y + b[i];
  }
  const Array result = Array::zeros(stream, {static_cast<std::int64_t>(n)}, Dtype::u32);
  recurrence(Array::from(stream, a), Array::from(stream, b), result, 7u);
  EXPECT_EQ(result.to_vector<std::uint32_t>(), expected);
}

TEST_P(ScanKernelTest, SegmentsBackward) {
  const Scan sum{{.value = "int",
                  .input = "x[i]",
                  .combine = "a + b",
                  .neutral = "0",
                  .output = "y[i] = item",
                  .arguments = "const int* x, const uchar* ends, int* y",
                  .segment_start = "ends[i] != 0",
                  .backward = true}};
  const auto x = integers(9001);
  std::vector<std::uint8_t> ends(x.size());
  std::vector<std::int32_t> expected(x.size());
  std::int32_t total = 0;
  for (std::size_t i = x.size(); i-- > 0;) {
    ends[i] = i % 97 == 0;
    total = ends[i] ? x[i] : total + x[i];
    expected[i] = total;
  }
  const Array y = Array::zeros(stream, {9001}, Dtype::i32);
  sum(Array::from(stream, x), Array::from(stream, ends), y);
  EXPECT_EQ(y.to_vector<std::int32_t>(), expected);
}

TEST_P(ScanKernelLoopTest, ListsOfSeveralEntriesAnElement) {
  // Element i gives x[i] mod 4 entries: copies of itself.
  const Scan list{{.value = "int",
                   .input = "x[i] & 3",
                   .combine = "a + b",
                   .neutral = "0",
                   .output = "for (int k = prev_item; k < item; ++k) entries[k] = x[i];\n"
                             "if (i == n - 1) count[0] = last_item",
                   .arguments = "const int* x, int* entries, int* count"}};
  const auto x = integers(30001);
  std::vector<std::int32_t> expected;
  for (const std::int32_t v : x) expected.insert(expected.end(), static_cast<std::size_t>(v & 3), v);
  const Array entries = Array::zeros(stream, {90003}, Dtype::i32), count = Array::zeros(stream, {1}, Dtype::i32);
  list(Array::from(stream, x), entries, count);
  ASSERT_EQ(count.item<std::int32_t>(), static_cast<std::int32_t>(expected.size()));
  auto got = entries.to_vector<std::int32_t>();
  got.resize(expected.size());
  EXPECT_EQ(got, expected);
}

TEST_P(ScanKernelTest, ErrorsPointIntoTheText) {
  const Array a = Array::zeros(stream, {10}, Dtype::f32);
  const Scan wrong{{.input = "x[i]",
                    .combine = "a + c",
                    .neutral = "0",
                    .output = "y[i] = item",
                    .arguments = "const T* x, T* y",
                    .name = "sums"}};
  const std::string message = message_of([&] { wrong(a, a); });
  EXPECT_NE(message.find("sums.combine:1:"), std::string::npos) << message;
  EXPECT_NE(message.find("a + c"), std::string::npos) << message;
  EXPECT_NE(message_of([] {
              Scan({.input = "x[i]",
                    .combine = "a + b",
                    .neutral = "0",
                    .output = "y[i] = item",
                    .arguments = "const T* x, const T* y"});
            }).find("nothing would be written"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              Scan({.input = "x[i]", .combine = "", .neutral = "0", .output = "y[i] = item", .arguments = "T* y"});
            }).find("combine"),
            std::string::npos);
  const Scan sum{{.input = "x[i]",
                  .combine = "a + b",
                  .neutral = "0",
                  .output = "y[i] = item",
                  .arguments = "const T* x, T* y",
                  .name = "sums"}};
  EXPECT_NE(message_of([&] { sum(a, Array::zeros(stream, {10}, Dtype::f64)); }).find("sums"), std::string::npos);
  EXPECT_THROW(sum(a), UsageError);
}

RTCG_INSTANTIATE_FOR_DEVICES(ScanKernelTest);
RTCG_INSTANTIATE_FOR_LOOPS(ScanKernelLoopTest);

}  // namespace
}  // namespace rtcg
