#include "apps/rtcg-bench/poisson.h"

namespace rtcg::bench {

HostCsr poisson(int side) {
  HostCsr matrix;
  const int steps[] = {-side * side, -side, -1, 0, 1, side, side * side};
  for (int z = 0; z < side; ++z)
    for (int y = 0; y < side; ++y)
      for (int x = 0; x < side; ++x) {
        const bool inside[] = {z > 0, y > 0, x > 0, true, x + 1 < side, y + 1 < side, z + 1 < side};
        for (int k = 0; k < 7; ++k)
          if (inside[k]) {
            matrix.columns.push_back((z * side + y) * side + x + steps[k]);
            matrix.values.push_back(k == 3 ? 6 : -1);
          }
        matrix.starts.push_back(static_cast<int>(matrix.columns.size()));
      }
  return matrix;
}

}  // namespace rtcg::bench
