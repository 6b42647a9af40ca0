// The CUDA devices of this machine as drivers. Opens libcuda but no context: asking what there is stays cheap.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rtcg/device/device.h"

namespace rtcg::cuda {

/// One driver per device, in CUDA's order. Never throws: a machine without CUDA gives none, and `status` says why.
std::vector<std::shared_ptr<Driver>> drivers(BackendStatus& status);
/// The same, with the library taken from the first of `names` that opens.
std::vector<std::shared_ptr<Driver>> drivers(BackendStatus& status, const std::vector<std::string>& names);

}  // namespace rtcg::cuda
