// Tests of generated loops: every test device in the loop shape of a CPU and in that of a GPU, so that a machine
// without a GPU runs both and, with RTCG_COMPILE_CHECK, compiles both for CUDA.
#pragma once

#include <tuple>

#include "rtcg/array/loop_shape.h"
#include "support/devices.h"

namespace rtcg::test {

class LoopTest : public testing::TestWithParam<std::tuple<Device, LoopShape>> {
 protected:
  LoopTest() { force_loop_shape(std::get<1>(GetParam())); }
  ~LoopTest() override { force_loop_shape(std::nullopt); }
  const Device& device() const { return std::get<0>(GetParam()); }
  const Stream stream{device()};
};

/// "cuda_0_gpu".
std::string loop_test_name(const testing::TestParamInfo<std::tuple<Device, LoopShape>>& info);

}  // namespace rtcg::test

#define RTCG_INSTANTIATE_FOR_LOOPS(suite)                                                                 \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite);                                                   \
  INSTANTIATE_TEST_SUITE_P(, suite,                                                                       \
                           testing::Combine(testing::ValuesIn(rtcg::test::test_devices()),                \
                                            testing::Values(rtcg::LoopShape::cpu, rtcg::LoopShape::gpu)), \
                           rtcg::test::loop_test_name)
