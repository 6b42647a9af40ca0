#include "apps/rtcg/tune.h"
#include "rtcg/array/tunables.h"
#include "vision/filterbank_tuning.h"

namespace rtcg::app {

const TunableRegistry& tunable_families() {
  static const TunableRegistry registry = [] {
    TunableRegistry all;
    add_array_tunables(all);
    vision::add_filterbank(all);
    return all;
  }();
  return registry;
}

}  // namespace rtcg::app
