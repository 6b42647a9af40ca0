#include "rtcg/device/device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

#include "rtcg/error.h"
#include "support/devices.h"

namespace rtcg {
namespace {

class DeviceProperty : public test::DeviceTest {};

TEST_P(DeviceProperty, EveryFigureAGeneratorUsesIsSet) {
  const DeviceProperties& p = device().properties();
  EXPECT_FALSE(p.name.empty());
  EXPECT_FALSE(p.platform.empty());
  EXPECT_FALSE(p.driver.empty());
  EXPECT_FALSE(p.architecture.empty());
  EXPECT_GT(p.global_memory, 0u);
  EXPECT_GT(p.largest_allocation, 0u);
  EXPECT_LE(p.largest_allocation, p.global_memory);
  EXPECT_GE(p.local_memory, 16u << 10);
  EXPECT_GE(p.constant_memory, 16u << 10);
  EXPECT_GE(p.compute_units, 1u);
  EXPECT_GE(p.max_work_group, 1u);
  EXPECT_GE(p.max_work_items[0], 1u);
  EXPECT_GE(p.simd_width, 1u);
  EXPECT_EQ(p.base_alignment & (p.base_alignment - 1), 0u) << "a power of two";
  EXPECT_GE(p.max_parameter_bytes, 1024u);
  EXPECT_LE(device().driver().free_memory(), p.global_memory);
}

TEST_P(DeviceProperty, CompilerIdentityNamesTheDriver) {
  const std::string identity = device().driver().compiler_identity();
  EXPECT_FALSE(identity.empty());
  EXPECT_EQ(identity, device().driver().compiler_identity());
  if (device().properties().backend == Backend::opencl) {
    EXPECT_NE(identity.find(device().properties().driver), std::string::npos) << identity;
  }
}

TEST_P(DeviceProperty, FindByIdAndByPartOfTheNameGivesTheSameDevice) {
  EXPECT_TRUE(Device::find(device().id()) == device());
  const std::string name = device().properties().name;
  std::string upper = name.substr(0, 6);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  EXPECT_EQ(Device::find(upper).properties().name.substr(0, 6), name.substr(0, 6));
}

RTCG_INSTANTIATE_FOR_DEVICES(DeviceProperty);

TEST(Device, IdsAreUniqueAndCudaComesFirst) {
  std::set<std::string> ids;
  bool seen_opencl = false;
  for (const Device& device : Device::all()) {
    EXPECT_TRUE(ids.insert(device.id()).second) << device.id();
    if (device.properties().backend == Backend::opencl)
      seen_opencl = true;
    else
      EXPECT_FALSE(seen_opencl) << device.id() << " comes after an OpenCL device";
  }
}

TEST(Device, NotFoundSaysWhatThereIs) {
  for (const char* wanted : {"no such device", "cuda:99", "opencl:99", ""}) {
    try {
      Device::find(wanted);
      ADD_FAILURE() << wanted << " was found";
    } catch (const DeviceError& error) {
      const std::string message = error.what();
      EXPECT_NE(message.find("'" + std::string(wanted) + "'"), std::string::npos) << message;
      for (const Device& device : Device::all()) EXPECT_NE(message.find(device.id()), std::string::npos) << message;
    }
  }
}

TEST(Device, EveryBackendIsThereOrSaysWhyNot) {
  const auto backends = Device::backends();
  ASSERT_EQ(backends.size(), 2u);
  EXPECT_EQ(backends[0].name, "CUDA");
  EXPECT_EQ(backends[1].name, "OpenCL");
  for (const BackendStatus& backend : backends) EXPECT_FALSE(backend.detail.empty()) << backend.name;
  for (const Device& device : Device::all()) {
    EXPECT_TRUE(backends[device.properties().backend == Backend::cuda ? 0 : 1].available);
  }
}

TEST(Device, AMachineWithoutOpenClIsALineWithItsReason) {
  // The child of a threadsafe death test starts anew, so the loader meets this environment there and only there.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  setenv("OCL_ICD_VENDORS", "/nonexistent/", 1);
  const char* chosen = std::getenv("RTCG_TEST_DEVICES");
  const std::string kept = chosen == nullptr ? "" : chosen;
  unsetenv("RTCG_TEST_DEVICES");
  EXPECT_EXIT(
      {
        const BackendStatus opencl = Device::backends()[1];
        std::fputs(opencl.detail.c_str(), stderr);
        bool none = !opencl.available;
        for (const Device& device : Device::all()) none = none && device.properties().backend != Backend::opencl;
        if (opencl.available) std::fputs("; the loader does not heed OCL_ICD_VENDORS", stderr);
        std::exit(none || opencl.available ? 0 : 1);
      },
      testing::ExitedWithCode(0),
      "no platform .CL_PLATFORM_NOT_FOUND_KHR.: install an OpenCL driver|the loader does not heed OCL_ICD_VENDORS");
  unsetenv("OCL_ICD_VENDORS");
  if (!kept.empty()) setenv("RTCG_TEST_DEVICES", kept.c_str(), 1);
}

TEST(Device, PreferredIsAGpuWhereThereIsOne) {
  if (Device::all().empty()) GTEST_SKIP() << "no device here";
  if (std::getenv("RTCG_DEVICE") != nullptr) GTEST_SKIP() << "RTCG_DEVICE decides";
  const auto devices = Device::all();
  const bool has_gpu = std::any_of(devices.begin(), devices.end(),
                                   [](const Device& d) { return d.properties().kind == DeviceKind::gpu; });
  EXPECT_EQ(Device::preferred().properties().kind == DeviceKind::gpu, has_gpu);
}

}  // namespace
}  // namespace rtcg
