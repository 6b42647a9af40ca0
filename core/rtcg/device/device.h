// A device of this machine: a cheap value that shares its driver (and so its context and memory pool) with every copy.
// Enumerating opens no context; the first real use does. A missing back end is a BackendStatus with its reason.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rtcg/device/driver.h"

namespace rtcg {

struct BackendStatus {
  std::string name;  ///< "CUDA", "OpenCL"
  bool available = false;
  std::string detail;  ///< version when available, the reason when not
};

class Device {
 public:
  /// CUDA devices first, then OpenCL's, each in its own driver's order. `debug:N` devices are found by id only.
  static std::vector<Device> all();
  /// By id ("cuda:0", "opencl:1", "debug:0"), back end ("opencl": its first) or a part of the name, any case; of
  /// several the first. Throws DeviceError listing what there is.
  static Device find(std::string_view id_or_name);
  /// RTCG_DEVICE when set, else the first GPU (CUDA before OpenCL), else the first device. Throws DeviceError if none.
  static Device preferred();
  static std::vector<BackendStatus> backends();

  const DeviceProperties& properties() const { return driver_->properties(); }
  const std::string& id() const { return properties().id; }
  MemoryPool& pool() const { return driver_->pool(); }
  Driver& driver() const { return *driver_; }

  explicit Device(std::shared_ptr<Driver> driver) : driver_(std::move(driver)) {}
  friend bool operator==(const Device& a, const Device& b) { return a.driver_ == b.driver_; }

 private:
  std::shared_ptr<Driver> driver_;
};

}  // namespace rtcg
