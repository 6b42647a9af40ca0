#include "rtcg/array/tunables.h"

#include "rtcg/array/radix_sort_tuning.h"
#include "rtcg/array/reduce_tuning.h"
#include "rtcg/array/scan_tuning.h"
#include "rtcg/array/segmented_tuning.h"

namespace rtcg {

void add_array_tunables(TunableRegistry& registry) {
  registry.add(radix_sort_family());
  registry.add(reduce_family());
  registry.add(scan_family());
  registry.add(segmented_reduce_family());
}

}  // namespace rtcg
