#include "apps/rtcg-bench/copperhead/programs.h"
#include "rtcg/array/segmented.h"

namespace rtcg::bench {

Array spmv_csr(const Array& starts, const Array& columns, const Array& values, const Array& x) {
  return segmented_reduce(plus, map("a * b", values, gather(x, columns)), starts);
}

}  // namespace rtcg::bench
