#include "rtcg/device/stream.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "rtcg/error.h"
#include "support/devices.h"

namespace rtcg {
namespace {

// Long enough to be still running when the host comes back from the launch, on a GPU as on a CPU.
const char* const spin_text = R"(
kernel void spin(global uint* state, uint turns) {
  uint x = state[0];
  for (uint i = 0; i < turns; ++i) x = x * 1664525u + 1013904223u;
  state[0] = x;
})";

const char* const add_text = R"(
kernel void add(global uint* to, global const uint* from) { to[0] += from[0]; })";

std::uint32_t spun(std::uint32_t x, std::uint32_t turns) {
  for (std::uint32_t i = 0; i < turns; ++i) x = x * 1664525u + 1013904223u;
  return x;
}

class StreamTest : public test::DeviceTest {
 protected:
  static constexpr std::uint32_t turns = 40'000'000;
};

TEST_P(StreamTest, WorkOfOneStreamRunsInOrder) {
  const Stream s = stream();
  const Kernel spin = kernel("spin", spin_text);
  const Buffer state = Buffer::of<std::uint32_t>(s, 1);
  std::uint32_t expected = 5;
  state.fill(s, expected);
  for (std::uint32_t i = 0; i < 50; ++i) {
    spin(s, Grid::of(1, 1), state, i);
    expected = spun(expected, i);
  }
  EXPECT_EQ(state.read<std::uint32_t>()[0], expected);
}

TEST_P(StreamTest, TheHostGoesOnWhileTheDeviceWorks) {
  if (device().id().starts_with("debug:")) GTEST_SKIP() << "the debug device does one thing at a time";
  const Stream s = stream();
  const Kernel spin = kernel("spin", spin_text);
  const Buffer state = Buffer::of<std::uint32_t>(s, 1);
  state.fill(s, 1u);
  spin(s, Grid::of(1, 1), state, 1u);  // whatever is made at the first launch is made now
  s.synchronize();
  std::uint32_t expected = spun(1, 1);
  bool seen_running = false;
  // Several tries, because a busy machine may stop the host for longer than the kernel runs.
  for (int attempt = 0; attempt < 5 && !seen_running; ++attempt) {
    spin(s, Grid::of(1, 1), state, turns);
    const Event done = s.record();
    seen_running = !done.is_complete();
    done.synchronize();
    EXPECT_TRUE(done.is_complete());
    expected = spun(expected, turns);
  }
  EXPECT_TRUE(seen_running);
  EXPECT_EQ(state.read<std::uint32_t>()[0], expected);
}

TEST_P(StreamTest, PolledEventsComplete) {
  const Stream s = stream();
  const Kernel spin = kernel("spin", spin_text);
  const Buffer state = Buffer::of<std::uint32_t>(s, 1);
  state.fill(s, 1u);
  spin(s, Grid::of(1, 1), state, 1000u);
  const Event done = s.record();
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!done.is_complete() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  EXPECT_TRUE(done.is_complete());
}

TEST_P(StreamTest, EventsMeasureDeviceTime) {
  const Stream s = stream();
  const Kernel spin = kernel("spin", spin_text);
  const Buffer state = Buffer::of<std::uint32_t>(s, 1);
  state.fill(s, 1u);
  spin(s, Grid::of(1, 1), state, 1u);
  s.synchronize();
  const auto measure = [&](std::uint32_t count) {
    const auto start = std::chrono::steady_clock::now();
    const Event before = s.record();
    spin(s, Grid::of(1, 1), state, count);
    const Event after = s.record();
    const double device_seconds = seconds_between(before, after);
    const double host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    EXPECT_GT(device_seconds, 0);
    EXPECT_LE(device_seconds, host_seconds * 1.05 + 1e-4);
    EXPECT_LT(seconds_between(after, before), 0) << "signed";
    return device_seconds;
  };
  EXPECT_GT(measure(turns), 3 * measure(turns / 20)) << "time follows the work";
}

TEST_P(StreamTest, AStreamWaitsForAnothersEvent) {
  const Stream producer = stream(), consumer = stream();
  const Kernel spin = kernel("spin", spin_text), add = kernel("add", add_text);
  const Buffer state = Buffer::of<std::uint32_t>(producer, 1), total = Buffer::of<std::uint32_t>(producer, 1);
  state.fill(producer, 3u);
  total.fill(producer, 10u);
  spin(producer, Grid::of(1, 1), state, turns);
  consumer.wait(producer.record());
  add(consumer, Grid::of(1, 1), total, state);
  consumer.synchronize();
  EXPECT_EQ(total.read<std::uint32_t>()[0], 10u + spun(3, turns));
}

TEST_P(StreamTest, DroppedStreamsFinishTheirWork) {
  const Stream keeper = stream();
  const Kernel spin = kernel("spin", spin_text);
  const Buffer state = Buffer::of<std::uint32_t>(keeper, 1);
  state.fill(keeper, 3u);
  keeper.synchronize();
  Event done = keeper.record();
  {
    const Stream brief = stream();
    spin(brief, Grid::of(1, 1), state, turns / 4);
    done = brief.record();
  }
  done.synchronize();
  EXPECT_EQ(state.read<std::uint32_t>()[0], spun(3, turns / 4));
}

TEST_P(StreamTest, EventsNeverRecordedCountAsDone) {
  const Event none;
  EXPECT_TRUE(none.is_complete());
  none.synchronize();
  stream().wait(none);
  EXPECT_THROW(seconds_between(none, stream().record()), UsageError);
}

RTCG_INSTANTIATE_FOR_DEVICES(StreamTest);

}  // namespace
}  // namespace rtcg
