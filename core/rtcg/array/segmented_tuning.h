// Reductions of rows of different lengths (segmented.h) as a tunable family, "segmented_reduce": how many items share a
// row on a GPU. A matrix-vector product by primitives is one of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rtcg/tune/registry.h"

namespace rtcg {

/// The rule.
unsigned standard_team(std::int64_t elements, std::int64_t rows);
/// What is known to be best; 0 when nothing is.
unsigned tuned_team(const Device& device, std::size_t value_bytes, std::int64_t elements, std::int64_t rows);
TunableFamily segmented_reduce_family();

}  // namespace rtcg
