// Which shape generated loops take on a device: many small items with 16-byte accesses (gpu), or a few long chunks with
// one item a group and no barrier (cpu). Every skeleton asks here, so that a test can force the other shape.
#pragma once

#include <optional>

#include "rtcg/device/device.h"

namespace rtcg {

enum class LoopShape : std::uint8_t { cpu, gpu };

LoopShape loop_shape(const Device& device);
/// For tests: the shape of every device of the process until reset. Kernels of both shapes run on every device.
void force_loop_shape(std::optional<LoopShape> shape);

}  // namespace rtcg
