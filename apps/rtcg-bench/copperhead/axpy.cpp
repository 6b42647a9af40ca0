#include "apps/rtcg-bench/copperhead/programs.h"
#include "rtcg/array/expression.h"

namespace rtcg::bench {

Array axpy(float a, const Array& x, const Array& y) {
  return a * x + y;
}

}  // namespace rtcg::bench
