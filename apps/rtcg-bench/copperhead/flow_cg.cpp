#include "apps/rtcg-bench/copperhead/programs.h"
#include "rtcg/array/manipulation.h"
#include "rtcg/array/reductions.h"

namespace rtcg::bench {

Array flow_cg(const Array& a, const Array& b, const Array& c, float w, const Array& right, int iterations) {
  const Slice inner{1, -1}, before{0, -2}, after{2, {}};
  const Array diagonal = stack({a, c}), inverse = stack({c, a}) / (a * c - b * b), cross = b / (a * c - b * b);
  const Array r = right.copy(), x = Array::zeros(r.stream(), r.shape(), r.dtype());
  const Array padded = Array::zeros(r.stream(), {2, r.extent(1) + 2, r.extent(2) + 2}, r.dtype());
  const auto window = [&](const Slice& rows, const Slice& columns) { return padded(all_of, rows, columns); };
  const Array p = window(inner, inner);
  const Expression neighbours =
      window(before, inner) + window(after, inner) + window(inner, before) + window(inner, after);
  const Expression product = diagonal * p + b * p.flip(0) - w * neighbours, z = inverse * r - cross * r.flip(0);
  p.assign(z);
  Array rz = sum(r * z);
  for (int turn = 0; turn < iterations; ++turn) {
    const Array q = product, pq = sum(p * q);
    x += rz / pq * p;
    r -= rz / pq * q;
    const Array next = sum(r * z);
    p.assign(z + next / rz * p);
    rz = next;
  }
  return x;
}

}  // namespace rtcg::bench
