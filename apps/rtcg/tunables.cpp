#include "apps/rtcg/tune.h"
#include "rtcg/array/tunables.h"

namespace rtcg::app {

const TunableRegistry& tunable_families() {
  static const TunableRegistry registry = [] {
    TunableRegistry all;
    add_array_tunables(all);
    return all;
  }();
  return registry;
}

}  // namespace rtcg::app
