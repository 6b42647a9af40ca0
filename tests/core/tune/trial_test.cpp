#include "rtcg/tune/trial.h"

#include "rtcg/error.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

class TrialTest : public test::DeviceTest {};

TEST_P(TrialTest, BandsTellWhatWasWrittenOutside) {
  const Stream stream = this->stream();
  const Kernel store = kernel("store",
                              "__kernel void store(__global float* x, int from, int to) {\n"
                              "  for (int i = from; i < to; ++i) x[i] = 1.0f;\n"
                              "}\n");
  const GuardedOutput output(stream, "sums", 100 * sizeof(float), ScalarType::f32);
  const auto run = [&](int from, int to) {
    output.poison();
    store(stream, Grid::over(1), output.buffer(), from, to);
    output.check_bands();
  };
  run(0, 100);
  EXPECT_EQ(output.buffer().read<float>(), std::vector<float>(100, 1.0f));
  run(0, 99);
  EXPECT_NE(output.buffer().read<float>()[99], output.buffer().read<float>()[99]) << "poison is NaN";
  EXPECT_MESSAGE(NumericalError, "sums: written 4 bytes past its end", run(0, 101));
  EXPECT_MESSAGE(NumericalError, "sums: written 800 bytes past its end", run(0, 300));
  EXPECT_MESSAGE(NumericalError, "sums: written 8 bytes before its start", run(-2, 100));
}
RTCG_INSTANTIATE_FOR_DEVICES(TrialTest);

}  // namespace
}  // namespace rtcg
