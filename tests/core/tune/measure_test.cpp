#include "rtcg/tune/measure.h"

#include "rtcg/compile/compiler.h"
#include "support/devices.h"

namespace rtcg {
namespace {

TEST(Summarise, IsMedianAndScaledMedianDeviation) {
  const Timing timing = summarise({4, 1, 2, 3, 100});
  EXPECT_EQ(timing.seconds, 3);
  EXPECT_DOUBLE_EQ(timing.noise, 1.4826 / 3);
  EXPECT_EQ(timing.samples, 5u);
  EXPECT_EQ(summarise({2}).noise, 0);
}

class MeasureTest : public test::DeviceTest {
 protected:
  /// Loops long enough to be timed.
  std::function<void()> work(const Stream& stream, int turns) {
    const Kernel spin = kernel("spin",
                               "__kernel void spin(__global float* x, int turns) {\n"
                               "  float a = x[0];\n"
                               "  for (int i = 0; i < turns; ++i) a = a * 0.999f + 1.0f;\n"
                               "  x[0] = a;\n"
                               "}\n");
    const Buffer x = Buffer::of<float>(stream, 1);
    x.zero(stream);
    return [=] { spin(stream, Grid::over(1), x, turns); };
  }
};

TEST_P(MeasureTest, TenTimesTheWorkTakesAboutTenTimesAsLong) {
  const Stream stream = this->stream();
  const std::vector<Timing> timings = measure_in_turn(stream, {work(stream, 100000), work(stream, 1000000)}, {});
  ASSERT_EQ(timings.size(), 2u);
  EXPECT_GT(timings[1].seconds / timings[0].seconds, 3);
  EXPECT_LT(timings[1].seconds / timings[0].seconds, 30);
  EXPECT_GE(timings[0].samples, 3u);
}

TEST_P(MeasureTest, SlowWorkIsGivenUpAfterOneSample) {
  const Stream stream = this->stream();
  TimingRule rule;
  rule.give_up = 1e-6;
  EXPECT_EQ(measure(stream, work(stream, 1000000), rule).samples, 1u);
}

TEST_P(MeasureTest, ColdTimingDoesNotCountTheSweep) {
  const Stream stream = this->stream();
  TimingRule rule;
  rule.most_seconds = 0.05;
  const double warm = measure(stream, work(stream, 3000000), rule).seconds;
  rule.cold = true;
  const double cold = measure(stream, work(stream, 3000000), rule).seconds;
  EXPECT_LT(cold, 3 * warm);
}
RTCG_INSTANTIATE_FOR_DEVICES(MeasureTest);

}  // namespace
}  // namespace rtcg
