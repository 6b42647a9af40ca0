// Plain scans as a tunable family, "scan": the tile of a group on a GPU, the segments of an item on a CPU.
#pragma once

#include <optional>

#include "rtcg/array/scan_skeleton.h"
#include "rtcg/tune/registry.h"

namespace rtcg {

std::optional<ScanTuning> tuned_scan(const Device& device, ScanLoop loop, std::size_t count, unsigned lanes,
                                     std::size_t value_bytes);
TunableFamily scan_family();

}  // namespace rtcg
