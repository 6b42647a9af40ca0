// The array library's tunable families: radix_sort, reduce, scan, segmented_reduce.
#pragma once

#include "rtcg/tune/registry.h"

namespace rtcg {

void add_array_tunables(TunableRegistry& registry);

}  // namespace rtcg
