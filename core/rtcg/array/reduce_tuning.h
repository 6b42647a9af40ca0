// Reductions as a tunable family, "reduce": how many items share a row, how much each has in flight, and into how many
// parts a long reduction is cut.
#pragma once

#include <optional>

#include "rtcg/array/reduce_skeleton.h"
#include "rtcg/tune/registry.h"

namespace rtcg {

std::optional<ReduceTuning> tuned_reduce(const Device& device, LoopShape loops, const ReduceShape& shape,
                                         unsigned body_lanes, std::size_t accumulator_bytes);
TunableFamily reduce_family();

}  // namespace rtcg
