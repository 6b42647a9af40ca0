#include "rtcg/array/tunables.h"
#include "apps/rtcg/tune.h"
#include "dgfem/stage_tuning.h"
#include "radar/tile_tuning.h"
#include "rtcg/sparse/spmv_tuning.h"
#include "vision/filterbank_tuning.h"

namespace rtcg::app {

const TunableRegistry& tunable_families() {
  static const TunableRegistry registry = [] {
    TunableRegistry all;
    add_array_tunables(all);
    add_sparse_tunables(all);
    radar::add_tunables(all);
    vision::add_filterbank(all);
    dgfem::add_stages(all);
    return all;
  }();
  return registry;
}

}  // namespace rtcg::app
