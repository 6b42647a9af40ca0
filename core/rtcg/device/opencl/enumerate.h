// The OpenCL devices of this machine, found without opening a context. No loader's platform, no device or a broken
// platform is a reason in the BackendStatus, never an exception.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rtcg/device/device.h"

namespace rtcg::opencl {

std::vector<std::shared_ptr<Driver>> drivers(BackendStatus& status);

/// Model and instruction sets of this machine's processor, one line; they decide what a CPU device's binary contains.
std::string cpu_features();

}  // namespace rtcg::opencl
