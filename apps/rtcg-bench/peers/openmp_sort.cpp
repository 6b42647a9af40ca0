// Built with -O3 -march=native -fopenmp.
#include "apps/rtcg-bench/peers/openmp_peers.h"

#ifdef RTCG_WITH_TBB
#include <algorithm>
#include <execution>
#else
#include <parallel/algorithm>
#endif

namespace rtcg::bench {

void parallel_sort(std::uint32_t* keys, std::size_t n) {
#ifdef RTCG_WITH_TBB
  std::sort(std::execution::par, keys, keys + n);
#else
  __gnu_parallel::sort(keys, keys + n);
#endif
}

const char* parallel_sort_name() {
#ifdef RTCG_WITH_TBB
  return "std::sort, parallel policy";
#else
  return "std::sort, libstdc++ parallel mode";
#endif
}

}  // namespace rtcg::bench
