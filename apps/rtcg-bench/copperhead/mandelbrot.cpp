#include "apps/rtcg-bench/copperhead/programs.h"
#include "rtcg/array/function.h"

namespace rtcg::bench {

Array mandelbrot(const Stream& stream, int side, int limit) {
  const Function steps{R"(int steps(float re, float im, int limit) {
    float x = 0, y = 0;
    int step = 0;
    for (; step < limit && x * x + y * y <= 4; ++step) {
      const float t = x * x - y * y + re;
      y = 2 * x * y + im, x = t;
    }
    return step;
  })"};
  const auto along = [&](int axis) { return 3.0f / side * index_along({side, side}, axis).astype(Dtype::f32); };
  return steps(along(1) - 2.0f, along(0) - 1.5f, limit).evaluate(stream);
}

}  // namespace rtcg::bench
