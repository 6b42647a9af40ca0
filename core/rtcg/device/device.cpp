#include "rtcg/device/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <mutex>

#include "rtcg/device/debug/driver.h"
#include "rtcg/device/opencl/enumerate.h"
#include "rtcg/environment.h"
#include "rtcg/error.h"
#ifdef RTCG_WITH_CUDA
#include "rtcg/device/cuda/enumerate.h"
#endif

namespace rtcg {

namespace {

struct Registry {
  std::vector<BackendStatus> backends;
  std::vector<Device> devices;
  std::mutex mutex;
  std::map<std::string, Device, std::less<>> debug_devices;  ///< those asked for so far, by id

  Registry() {
    BackendStatus cuda{"CUDA", false, "built without the CUDA toolkit's headers"};
#ifdef RTCG_WITH_CUDA
    for (auto& driver : cuda::drivers(cuda)) devices.emplace_back(std::move(driver));
#endif
    BackendStatus opencl{"OpenCL", false, ""};
    for (auto& driver : opencl::drivers(opencl)) devices.emplace_back(std::move(driver));
    backends = {std::move(cuda), std::move(opencl)};
  }
};

/// Never destroyed: at exit a back end's library may already be gone, and other threads may still use a device.
Registry& registry() {
  static auto* const instance = new Registry;
  return *instance;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

[[noreturn]] void throw_not_found(std::string_view wanted) {
  std::string message = fmt::format("no device matches '{}'; there is ", wanted);
  const Registry& known = registry();
  for (const Device& device : known.devices) {
    message +=
        fmt::format("{}{} ({})", &device == known.devices.data() ? "" : ", ", device.id(), device.properties().name);
  }
  if (known.devices.empty()) message += "none";
  for (const BackendStatus& backend : known.backends) {
    if (!backend.available) message += fmt::format("; {}: {}", backend.name, backend.detail);
  }
  throw DeviceError(message);
}

/// `debug:N` guards the memory of the N-th CPU device of OpenCL.
Device debug_device(const std::string& id) {
  Registry& known = registry();
  const std::lock_guard lock(known.mutex);
  if (const auto found = known.debug_devices.find(id); found != known.debug_devices.end()) return found->second;
  std::size_t count = 0;
  for (const Device& device : known.devices) {
    const auto* original = dynamic_cast<const opencl::OpenClDriver*>(&device.driver());
    if (original == nullptr || device.properties().kind != DeviceKind::cpu) continue;
    if (fmt::format("debug:{}", count++) != id) continue;
    return known.debug_devices.emplace(id, Device(std::make_shared<debug::DebugDriver>(*original, id))).first->second;
  }
  throw DeviceError(
      fmt::format("no device '{}': debug devices stand for OpenCL CPU devices, and of these there are {}", id, count));
}

}  // namespace

std::vector<Device> Device::all() {
  return registry().devices;
}
std::vector<BackendStatus> Device::backends() {
  return registry().backends;
}

Device Device::find(std::string_view id_or_name) {
  const std::string wanted = lower(id_or_name);
  if (wanted.empty()) throw_not_found(id_or_name);
  if (wanted.starts_with("debug:")) return debug_device(wanted);
  const std::vector<Device>& devices = registry().devices;
  for (const Device& device : devices) {
    if (device.id() == wanted) return device;
  }
  // "cuda:7" is an id that does not exist, never a part of another device's name.
  const bool is_id = wanted.starts_with("cuda:") || wanted.starts_with("opencl:");
  for (const Device& device : devices) {
    const bool is_backend = device.id().substr(0, device.id().find(':')) == wanted;
    if (!is_id && (is_backend || lower(device.properties().name).find(wanted) != std::string::npos)) return device;
  }
  throw_not_found(id_or_name);
}

Device Device::preferred() {
  if (!environment().device.empty()) return find(environment().device);
  const std::vector<Device>& devices = registry().devices;
  if (devices.empty()) throw_not_found("any");
  const auto gpu = std::find_if(devices.begin(), devices.end(),
                                [](const Device& device) { return device.properties().kind == DeviceKind::gpu; });
  return gpu != devices.end() ? *gpu : devices.front();
}

}  // namespace rtcg
