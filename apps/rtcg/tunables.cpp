#include "apps/rtcg/tune.h"

namespace rtcg::app {

const TunableRegistry& tunable_families() {
  static const TunableRegistry registry = [] {
    TunableRegistry all;
    return all;
  }();
  return registry;
}

}  // namespace rtcg::app
