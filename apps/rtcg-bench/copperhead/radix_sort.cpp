#include "apps/rtcg-bench/copperhead/programs.h"
#include "rtcg/array/primitives.h"

namespace rtcg::bench {

Array radix_sort(Array keys) {
  for (int place = 0; place < 32; ++place) {
    const Expression bit = keys >> place & 1;
    const Array ones = scan(plus, bit);
    const Expression zeros = static_cast<std::uint32_t>(keys.size()) - ones(-1);
    keys = permute(keys, where(bit, zeros + ones - 1, positions(keys).astype(Dtype::u32) - ones));
  }
  return keys;
}

}  // namespace rtcg::bench
