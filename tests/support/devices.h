// The devices that device tests run on: RTCG_TEST_DEVICES (comma separated ids) when set, else all there are. Tests are
// parameterised over them, so that the same test runs for cuda:0 and opencl:0 on a GPU host.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rtcg/compile/compiler.h"
#include "rtcg/device/device.h"

namespace rtcg::test {

std::vector<Device> test_devices();

/// "cuda_0", as gtest allows in a test's name.
std::string device_test_name(const testing::TestParamInfo<Device>& info);

/// Instantiate with RTCG_INSTANTIATE_FOR_DEVICES(MyTest), where class MyTest : public DeviceTest.
class DeviceTest : public testing::TestWithParam<Device> {
 protected:
  const Device& device() const { return GetParam(); }
  Stream stream() const { return Stream(device()); }
  /// Compiles a portable text and takes its kernel.
  Kernel kernel(const std::string& name, const std::string& text) const {
    return compile(device(), Source(name + ".cl", text)).kernel(name);
  }
};

}  // namespace rtcg::test

namespace rtcg {
/// What gtest shows for a parameter.
void PrintTo(const Device& device, std::ostream* out);
}  // namespace rtcg

#define RTCG_INSTANTIATE_FOR_DEVICES(suite)             \
  GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(suite); \
  INSTANTIATE_TEST_SUITE_P(, suite, testing::ValuesIn(rtcg::test::test_devices()), rtcg::test::device_test_name)
