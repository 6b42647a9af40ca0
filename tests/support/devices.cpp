#include "support/devices.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <sstream>

#include "rtcg/error.h"

namespace rtcg {

void PrintTo(const Device& device, std::ostream* out) {
  *out << device.id();
}

namespace test {

std::vector<Device> test_devices() {
  const char* chosen = std::getenv("RTCG_TEST_DEVICES");
  if (chosen == nullptr || *chosen == '\0') return Device::all();
  std::vector<Device> devices;
  std::istringstream list(chosen);
  try {
    for (std::string id; std::getline(list, id, ',');) devices.push_back(Device::find(id));
  } catch (const DeviceError& error) {
    // gtest asks before any test runs, where nothing would catch this.
    std::fprintf(stderr, "RTCG_TEST_DEVICES: %s\n", error.what());
    std::exit(1);
  }
  return devices;
}

std::string device_test_name(const testing::TestParamInfo<Device>& info) {
  std::string name = info.param.id();
  std::replace(name.begin(), name.end(), ':', '_');
  return name;
}

}  // namespace test
}  // namespace rtcg
