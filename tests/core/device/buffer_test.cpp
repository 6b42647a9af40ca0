#include "rtcg/device/buffer.h"

#include <gtest/gtest.h>

#include <numeric>

#include "support/devices.h"

namespace rtcg {
namespace {

class BufferTest : public test::DeviceTest {};

std::vector<std::uint8_t> ramp(std::size_t count) {
  std::vector<std::uint8_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
  return values;
}

std::string message_of(const auto& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_P(BufferTest, CopiesOfOddSizesAtOddOffsetsArriveAndTouchNothingElse) {
  const Stream s = stream();
  for (const std::size_t bytes : {1, 3, 17, 127, 128, 129, 4095, 100003}) {
    for (const std::size_t offset : {0, 1, 5, 63, 129}) {
      const Buffer buffer(s, bytes + offset + 11);
      buffer.fill(s, std::uint8_t{0xA5});
      const auto values = ramp(bytes);
      buffer.write(values.data(), bytes, offset);
      auto expected = std::vector<std::uint8_t>(bytes + offset + 11, 0xA5);
      std::copy(values.begin(), values.end(), expected.begin() + static_cast<std::ptrdiff_t>(offset));
      EXPECT_EQ(buffer.read<std::uint8_t>(), expected) << bytes << " bytes at " << offset;
      std::vector<std::uint8_t> part(bytes);
      buffer.read(part.data(), bytes, offset);
      EXPECT_EQ(part, values) << bytes << " bytes at " << offset;
    }
  }
}

TEST_P(BufferTest, FillRepeatsPatternsOfEverySize) {
  const Stream s = stream();
  const auto pattern = ramp(16);
  for (const std::size_t pattern_bytes : {1, 2, 4, 8, 16}) {
    const Buffer buffer(s, 48 * 5);
    buffer.fill(s, pattern.data(), pattern_bytes);
    const auto values = buffer.read<std::uint8_t>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i], pattern[i % pattern_bytes]) << "byte " << i << ", pattern of " << pattern_bytes;
    }
  }
}

TEST_P(BufferTest, FillRefusesPatternsThatDoNotFit) {
  const Stream s = stream();
  const Buffer buffer(s, 30);
  const auto pattern = ramp(16);
  EXPECT_THROW(buffer.fill(s, pattern.data(), 3), UsageError);
  EXPECT_THROW(buffer.fill(s, pattern.data(), 0), UsageError);
  EXPECT_THROW(buffer.fill(s, pattern.data(), 32), UsageError);
  EXPECT_NE(message_of([&] { buffer.fill(s, pattern.data(), 4); }).find("30 bytes are not a multiple"),
            std::string::npos);
}

TEST_P(BufferTest, SlicesShareMemoryAndOutliveTheirRoot) {
  const Stream s = stream();
  const std::size_t step = device().properties().base_alignment;
  Buffer part;
  {
    const Buffer whole(s, 4 * step);
    whole.write(ramp(4 * step));
    part = whole.slice(step, 3 * step).slice(step, step + 1);
    part.fill(s, std::uint8_t{9});
    auto expected = ramp(4 * step);
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(2 * step), step + 1, std::uint8_t{9});
    EXPECT_EQ(whole.read<std::uint8_t>(), expected);
  }
  EXPECT_EQ(part.read<std::uint8_t>(), std::vector<std::uint8_t>(step + 1, 9));
}

TEST_P(BufferTest, SlicesAreCheckedForRangeAndAlignment) {
  const Stream s = stream();
  const std::size_t step = device().properties().base_alignment;
  const Buffer buffer(s, 4 * step);
  if (step > 1) {
    const std::string message = message_of([&] { buffer.slice(step / 2, 1); });
    EXPECT_NE(message.find("not a multiple of " + std::to_string(step)), std::string::npos) << message;
  }
  EXPECT_THROW(buffer.slice(step, 3 * step + 1), UsageError);
  EXPECT_THROW(buffer.slice(5 * step, 0), UsageError);
  EXPECT_THROW(buffer.slice(step, ~std::size_t{0}), UsageError);
  EXPECT_EQ(buffer.slice(4 * step, 0).bytes(), 0u);
}

TEST_P(BufferTest, RangesAreChecked) {
  const Stream s = stream();
  const Buffer buffer(s, 10);
  std::uint8_t host[16] = {};
  EXPECT_THROW(buffer.write(host, 11), UsageError);
  EXPECT_THROW(buffer.write(host, 1, 10), UsageError);
  EXPECT_THROW(buffer.read(host, 2, ~std::size_t{0}), UsageError);
  const HostBuffer pinned(device(), 8);
  EXPECT_THROW(buffer.write_async(s, pinned, 9), UsageError);
  EXPECT_THROW(buffer.read_async(s, pinned, 4, 5), UsageError);
  EXPECT_THROW(buffer.copy_from(s, Buffer(s, 9)), UsageError);
  EXPECT_THROW(Buffer::of<double>(s, ~std::size_t{0} / 4), UsageError);
  EXPECT_EQ(message_of([&] { buffer.read(host, 4, 8); }), "Buffer::read: 4 bytes at offset 8 do not fit into 10 bytes");
}

TEST_P(BufferTest, EmptyBuffersAreLegalAndDefaultOnesAreNot) {
  const Stream s = stream();
  const Buffer empty = Buffer::of<float>(s, 0);
  EXPECT_TRUE(static_cast<bool>(empty));
  EXPECT_TRUE(empty.read<float>().empty());
  empty.write(std::vector<float>{});
  empty.zero(s);
  empty.copy_from(s, Buffer::of<float>(s, 0));
  EXPECT_EQ(empty.slice(0, 0).bytes(), 0u);

  const Buffer none;
  EXPECT_FALSE(static_cast<bool>(none));
  EXPECT_THROW(none.read<float>(), UsageError);
  EXPECT_THROW(none.stream(), UsageError);
}

TEST_P(BufferTest, CopiesBetweenBuffers) {
  const Stream s = stream();
  const Buffer from = Buffer::from(s, ramp(1013)), to(s, 1013);
  to.copy_from(s, from);
  EXPECT_EQ(to.read<std::uint8_t>(), ramp(1013));
}

TEST_P(BufferTest, PageLockedMemoryCopiesWithoutBlocking) {
  const Stream s = stream();
  const HostBuffer source(device(), 1000), target(device(), 1000);
  const auto values = ramp(1000);
  std::copy(values.begin(), values.end(), source.as<std::uint8_t>().begin());
  const Buffer buffer(s, 1000);
  buffer.zero(s);
  buffer.write_async(s, source, 400, 100, 500);
  buffer.read_async(s, target, 1000);
  s.synchronize();
  std::vector<std::uint8_t> expected(1000, 0);
  std::copy_n(values.begin() + 100, 400, expected.begin() + 500);
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), target.as<std::uint8_t>().begin()));
}

TEST_P(BufferTest, MappedMemoryIsSeenByHostAndDevice) {
  const Stream s = stream();
  const Buffer buffer = Buffer::of<int>(s, 1000, MemoryKind::mapped);
  {
    const auto mapping = buffer.map(Access::write);
    std::iota(mapping.as<int>().begin(), mapping.as<int>().end(), 0);
  }
  const Kernel add =
      kernel("add", "kernel void add(global int* x, int n) { int i = get_global_id(0); if (i < n) x[i] += 5; }");
  add(s, Grid::over(1000, 64), buffer, 1000);
  const auto mapping = buffer.map(Access::read);
  const auto view = mapping.as<int>();
  ASSERT_EQ(view.size(), 1000u);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(view[static_cast<std::size_t>(i)], i + 5);
}

TEST_P(BufferTest, OnlyMappedMemoryCanBeMapped) {
  EXPECT_THROW(Buffer(stream(), 16).map(), UsageError);
}

TEST_P(BufferTest, MoreThanTheDeviceAllowsIsOutOfMemory) {
  const Stream s = stream();
  const std::size_t too_much = device().properties().global_memory + 1;
  EXPECT_THROW(Buffer(s, too_much), OutOfMemory);
  EXPECT_EQ(Buffer::from(s, ramp(100)).read<std::uint8_t>(), ramp(100)) << "the device works on";
}

RTCG_INSTANTIATE_FOR_DEVICES(BufferTest);

}  // namespace
}  // namespace rtcg
