// CUDA's run-time compiler, opened at run time; needs neither a GPU nor libcuda, so that kernels can be checked for any
// architecture anywhere. Every function throws DeviceError where NVRTC cannot be opened. Thread-safe.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rtcg/device/driver.h"

namespace rtcg::cuda {

struct CompileOutput {
  std::vector<std::byte> binary;  ///< a cubin for "sm_90"; PTX with its final zero for "compute_90"
  std::string log;                ///< warnings
};

/// Functions without an execution space are device functions (-default-device); the language is C++17; headers come
/// from the request, then from the toolkit that NVRTC belongs to, never from a directory the request did not name.
/// Throws BuildFailure with the compiler's log, DeviceError for an architecture NVRTC does not know.
CompileOutput compile(const CompileRequest& request, std::string_view architecture);

/// "NVRTC 13.0, 109338064 bytes of 1760564160": the version and which build of it (size and time of the file).
const std::string& version();

/// What it can make cubins for, oldest first: {"sm_75", "sm_80", ...}.
const std::vector<std::string>& architectures();

/// What to compile for a device: its own architecture where NVRTC knows it, else PTX ("compute_120") of the newest one
/// below it. Throws DeviceError when the device is older than all of them.
std::string target_for(std::string_view device_architecture, std::span<const std::string> supported);

}  // namespace rtcg::cuda
