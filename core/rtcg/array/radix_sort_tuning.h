// The tile of a radix sort as a tunable family, "radix_sort": how many items a group has and how many keys each of them
// keeps, how many groups share a multiprocessor, and on a CPU how many chunks a core gets. Rows that one group sorts
// alone are not of it.
#pragma once

#include <optional>

#include "rtcg/array/radix_sort_text.h"
#include "rtcg/tune/registry.h"

namespace rtcg {

/// What is known for rows of `length` keys: method, type and value size are read from the shape.
std::optional<SortTuning> tuned_sort(const Device& device, const SortShape& shape, std::size_t length);

/// Keys are uint32 or uint64, values none, uint32 or uint64.
TunableFamily radix_sort_family();

}  // namespace rtcg
