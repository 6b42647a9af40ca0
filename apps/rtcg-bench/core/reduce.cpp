// Sums, a user's dot product, and reductions along rows and columns.
#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/peers/cuda_libraries.h"
#include "apps/rtcg-bench/peers/cuda_peers.h"
#include "apps/rtcg-bench/peers/openmp_peers.h"
#include "rtcg/array/elementwise_kernel.h"
#include "rtcg/array/reduction_kernel.h"

namespace rtcg::bench {

namespace {

double double_dot(const std::vector<float>& x, const std::vector<float>& y) {
  double total = 0;
  for (std::size_t i = 0; i < x.size(); ++i) total += static_cast<double>(x[i]) * y[i];
  return total;
}

/// One reduction of rows x columns float; what it reads is what it costs.
void axis_line(Suite& suite, const Context& context, const Array& all, std::int64_t rows, std::int64_t columns,
               int axis) {
  const Array x = all(Slice{0, rows * columns}).reshape({rows, columns});
  const double bytes = 4.0 * static_cast<double>(rows * columns);
  Comparison line(suite, context, fmt::format("sum over axis {} of {} x {} float", axis, rows, columns),
                  {bytes / 1e9, "GB/s", bytes, 0});
  line.ours([&] { sum(x, axis).evaluate(); },
            [&] {
              const double whole = sum(x).evaluate().item<float>();
              const double parts = sum(sum(x, axis).astype(Dtype::f64)).evaluate().item<double>();
              require(std::abs(whole - parts) <= 1e-6 * static_cast<double>(rows * columns), "the sums over one axis");
            });
}

/// Host time of a call on small arrays, in bursts short enough that the queue never fills.
void call_line(Suite& suite, const Context& context, const char* name, const std::function<void()>& call) {
  const int burst = 100;
  std::vector<double> times;
  for (int round = 0; round < (context.quick ? 20 : 200); ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < burst; ++i) call();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / burst);
    context.stream.synchronize();
  }
  const Measurement time = summarise(times);
  suite.add({name, 1e6 * time.median, "us", time, {}, {}, "host time of a call; the launch topic has a bare launch"});
}

}  // namespace

void reduce_topic(Suite& suite, const Context& context) {
  const Stream& stream = context.stream;
  const std::size_t n = context.size(28, 24);
  const double size = static_cast<double>(n);
  const std::string floats = power_of_two(n) + " float";
  const Buffer x = random_floats(stream, n, 1), y = random_floats(stream, n, 2), result = Buffer::of<float>(stream, 1);
  const CudaPeers* cuda = cuda_peers(stream.device());
  std::vector<float> host_x, host_y;
  if (!context.on_gpu()) host_x = x.read<float>(), host_y = y.read<float>();
  volatile float host_result = 0;

  Comparison sum(suite, context, "sum, " + floats, {4 * size / 1e9, "GB/s", 4 * size, 4300});
  if (cuda) sum.peer("CUB", [&] { call_peer(cuda->sum, stream, x, result, n); });
  if (!context.on_gpu()) sum.host_peer("C++ with OpenMP", [&] { host_result = openmp_sum(host_x.data(), n); });
  const Array u = as_array(x), v = as_array(y);
  sum.ours([&] { rtcg::sum(u).evaluate(); },
           [&] {
             const double exact = double_dot(x.read<float>(), std::vector<float>(n, 1.0f));
             require(std::abs(rtcg::sum(u).evaluate().item<float>() - exact) <= 1e-6 * size, "the sum");
           });

  Comparison dot(suite, context, "dot, " + floats, {8 * size / 1e9, "GB/s", 8 * size, 4300});
  if (cuda) dot.peer("CUB over a transform iterator", [&] { call_peer(cuda->dot, stream, x, y, result, n); });
  if (const auto peer = cublas_dot(stream, x, y, result, n)) dot.peer("cuBLAS", peer);
  if (!context.on_gpu())
    dot.host_peer("C++ with OpenMP", [&] { host_result = openmp_dot(host_x.data(), host_y.data(), n); });
  const Reduction user_dot{
      {.result = "T", .neutral = "0", .combine = "a + b", .map = "x[i] * y[i]", .arguments = "const T* x, const T* y"}};
  dot.ours([&] { user_dot(u, v); },
           [&] {
             const double exact = double_dot(x.read<float>(), y.read<float>());
             require(std::abs(user_dot(u, v).item<float>() - exact) <= 1e-6 * size, "the dot product");
           },
           "by a user's Reduction");

  const Elementwise saxpy{"T* z, T a, const T* x, const T* y", "z[i] = a * x[i] + y[i]"};
  const Array w = Array::empty(stream, u.shape(), Dtype::f32);
  Comparison axpy(suite, context, "saxpy by a user's Elementwise, " + floats,
                  {12 * size / 1e9, "GB/s", 12 * size, 4300});
  axpy.ours([&] { saxpy(w, 2.0f, u, v); },
            [&] {
              const std::vector<float> a = x.read<float>(), b = y.read<float>(), c = w.to_vector<float>();
              std::size_t wrong = 0;
              for (std::size_t i = 0; i < n; ++i) wrong += !(std::abs(2.0f * a[i] + b[i] - c[i]) <= 1e-6f);
              require(wrong == 0, "saxpy");
            });

  Comparison place(suite, context, "argmax, " + floats, {4 * size / 1e9, "GB/s", 4 * size, 0});
  place.ours([&] { argmax(u).evaluate(); },
             [&] {
               const std::vector<float> a = x.read<float>();
               const auto first = std::max_element(a.begin(), a.end()) - a.begin();
               require(argmax(u).evaluate().item<std::int64_t>() == first, "the place of the greatest");
             });
  const Array a = u(Slice{0, 256}), b = v(Slice{0, 256}), c = w(Slice{0, 256});
  call_line(suite, context, "saxpy by a user's Elementwise, 256 float", [&] { saxpy(c, 2.0f, a, b); });
  call_line(suite, context, "dot by a user's Reduction, 256 float", [&] { user_dot(a, b); });
  call_line(suite, context, "sum, 256 float", [&] { rtcg::sum(a).evaluate(); });

  const auto side = static_cast<std::int64_t>(context.size(14, 12)), long_side = static_cast<std::int64_t>(n) / 4;
  for (const int axis : {1, 0}) axis_line(suite, context, u, side, side, axis);
  axis_line(suite, context, u, long_side, 3, 1), axis_line(suite, context, u, long_side, 3, 0);
  axis_line(suite, context, u, 3, long_side, 1), axis_line(suite, context, u, 3, long_side, 0);
  axis_line(suite, context, u, 1000, 1000, 1), axis_line(suite, context, u, 1000, 1000, 0);
}

}  // namespace rtcg::bench
