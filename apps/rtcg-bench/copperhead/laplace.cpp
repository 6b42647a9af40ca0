#include "apps/rtcg-bench/copperhead/programs.h"
#include "rtcg/array/expression.h"

namespace rtcg::bench {

void laplace(const Array& u, const Array& scratch, int steps) {
  const Slice inner{1, -1}, before{0, -2}, after{2, {}};
  const auto average = [&](const Array& a) {
    return 0.25f * (a(before, inner) + a(after, inner) + a(inner, before) + a(inner, after));
  };
  const Array targets[] = {scratch(inner, inner), u(inner, inner)};
  const Expression values[] = {average(u), average(scratch)};
  for (int step = 0; step < steps; ++step) targets[step % 2].assign(values[step % 2]);
}

}  // namespace rtcg::bench
