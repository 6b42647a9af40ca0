#include "apps/rtcg-bench/copperhead/programs.h"
#include "rtcg/array/primitives.h"

namespace rtcg::bench {

Array spmv_ell(const Array& columns, const Array& values, const Array& x) {
  Expression y = values(0) * gather(x, columns(0));
  for (int k = 1; k < columns.extent(0); ++k) y = y + values(k) * gather(x, columns(k));
  return y;
}

}  // namespace rtcg::bench
