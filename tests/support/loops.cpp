#include "support/loops.h"

namespace rtcg::test {

std::string loop_test_name(const testing::TestParamInfo<std::tuple<Device, LoopShape>>& info) {
  const auto& [device, shape] = info.param;
  return device_test_name({device, info.index}) + (shape == LoopShape::cpu ? "_cpu" : "_gpu");
}

}  // namespace rtcg::test
