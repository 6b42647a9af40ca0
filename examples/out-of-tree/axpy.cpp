// y = a x + y: a kernel of one's own, compiled at run time for the device at hand, launched with checked arguments.
#include <cmath>
#include <cstdio>
#include <numeric>
#include <vector>

#include "rtcg/compile/compiler.h"

constexpr const char* text = R"(
kernel void axpy(global T* y, global const T* x, T a, int n) {
  for (int i = get_global_id(0); i < n; i += get_global_size(0)) y[i] += a * x[i];
})";

int main() try {
  using namespace rtcg;
  const Device device = Device::preferred();  // RTCG_DEVICE, else a GPU, else the first OpenCL device
  const Stream stream{device};
  const Kernel axpy = compile(device, Source{"axpy.cl", text}.define("T", "float")).kernel("axpy");

  const int n = 1'000'003;
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  const Buffer x = Buffer::from(stream, values), y = Buffer::from(stream, values);
  axpy(stream, Grid::over(n), y, x, 2.0f, n);

  float error = 0;
  const std::vector<float> result = y.read<float>();
  for (int i = 0; i < n; ++i) error = std::fmax(error, std::fabs(result[i] - 3.0f * values[i]));
  std::printf("axpy of %d values on %s: largest error %g\n", n, device.properties().name.c_str(), error);
  return error == 0 ? 0 : 1;
} catch (const rtcg::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
