// What a launch costs beside the driver's own call.
#include <dlfcn.h>

#include <CL/cl.h>

#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "rtcg/array/expression.h"
#include "rtcg/compile/compiler.h"
#include "rtcg/error.h"

namespace rtcg::bench {

namespace {

constexpr const char* small_text = R"(
kernel void small(global float* y, global const float* x, float a, int n) {
  const int i = (int)get_global_id(0);
  if (i < n) y[i] += a * x[i];
}
)";

/// The same launch by the driver's own call, with everything prepared that can be.
std::function<void()> raw_launch(const Stream& stream, const Kernel& kernel, const Grid& grid, const Buffer& y,
                                 const Buffer& x, const float& a, const int& n) {
  if (stream.device().properties().backend == Backend::cuda) {
    using Launch =
        int (*)(Handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Handle, void**, void**);
    void* library = dlopen("libcuda.so.1", RTLD_NOW);
    const auto launch = library ? reinterpret_cast<Launch>(dlsym(library, "cuLaunchKernel")) : nullptr;
    if (!launch) throw DeviceError("libcuda.so.1 has no cuLaunchKernel");
    return [=, stream_handle = stream.native(), kernel_handle = kernel.native(), &y, &x, &a, &n] {
      void* arguments[] = {const_cast<Handle*>(y.argument()), const_cast<Handle*>(x.argument()), const_cast<float*>(&a),
                           const_cast<int*>(&n)};
      launch(kernel_handle, grid.groups[0], 1, 1, grid.local[0], 1, 1, 0, stream_handle, arguments, nullptr);
    };
  }
  return [=, queue = reinterpret_cast<cl_command_queue>(stream.native()),
          handle = reinterpret_cast<cl_kernel>(kernel.native()), &y, &x, &a, &n] {
    clSetKernelArg(handle, 0, sizeof(cl_mem), y.argument());
    clSetKernelArg(handle, 1, sizeof(cl_mem), x.argument());
    clSetKernelArg(handle, 2, sizeof a, &a);
    clSetKernelArg(handle, 3, sizeof n, &n);
    const std::size_t global = std::size_t{grid.groups[0]} * grid.local[0], local = grid.local[0];
    clEnqueueNDRangeKernel(queue, handle, 1, nullptr, &global, &local, 0, nullptr, nullptr);
  };
}

/// Host time to queue, in bursts short enough that the queue never fills; both take turns, so that they meet the same
/// machine.
struct Pair {
  Measurement ours, theirs;
  double added = 0;  ///< s, median of the differences of each turn
};
Pair in_turn(const Context& context, const std::function<void()>& ours, const std::function<void()>& theirs) {
  const int burst = 200, rounds = context.quick ? 20 : 200;
  std::vector<double> own, other, added;
  const auto burst_of = [&](const std::function<void()>& work) {
    const double seconds = seconds_of([&] {
      for (int i = 0; i < burst; ++i) work();
    });
    context.stream.synchronize();
    return seconds / burst;
  };
  for (int round = 0; round < rounds; ++round) {
    own.push_back(burst_of(ours));
    other.push_back(burst_of(theirs));
    added.push_back(own.back() - other.back());
  }
  return {summarise(own), summarise(other), summarise(added).median};
}

}  // namespace

void launch_topic(Suite& suite, const Context& context) {
  const Stream& stream = context.stream;
  const int n = 256;
  const float a = 2;
  const Buffer x = random_floats(stream, n), y = Buffer::of<float>(stream, n);
  y.zero(stream);
  const Kernel kernel = compile(stream.device(), Source("small.cl", small_text)).kernel("small");
  const Grid grid = Grid::over(n);
  const std::function<void()> raw = raw_launch(stream, kernel, grid, y, x, a, n);
  const Pair launch = in_turn(
      context, [&] { kernel(stream, grid, y, x, a, n); }, raw);
  suite.add({"launch, driver's own call",
             1e6 * launch.theirs.median,
             "us",
             launch.theirs,
             {},
             {},
             "host time to queue, four arguments"});
  suite.add({"launch",
             1e6 * launch.ours.median,
             "us",
             launch.ours,
             {{"driver's own call", launch.ours.median / launch.theirs.median}},
             {{"added_us", 1e6 * launch.added}},
             "host time to queue, four arguments, checked"});

  const Array u = as_array(x), v = as_array(y), w = Array::empty(stream, {n}, Dtype::f32);
  const Pair fresh = in_turn(
      context, [&] { const Array z = 2.0f * u + v; }, raw);
  suite.add({"array expression, 256 float",
             1e6 * fresh.ours.median,
             "us",
             fresh.ours,
             {{"driver's own call", fresh.ours.median / fresh.theirs.median}},
             {{"added_us", 1e6 * fresh.added}},
             "host time of z = 2 * x + y: graph, look-up, memory for z, launch"});
  const Pair assigned = in_turn(
      context, [&] { w.assign(2.0f * u + v); }, raw);
  suite.add({"array expression into an array, 256 float",
             1e6 * assigned.ours.median,
             "us",
             assigned.ours,
             {{"driver's own call", assigned.ours.median / assigned.theirs.median}},
             {{"added_us", 1e6 * assigned.added}},
             "host time of z.assign(2 * x + y)"});
  const Expression sum = 2.0f * u + v;
  const Pair again = in_turn(
      context, [&] { w.assign(sum); }, raw);
  suite.add({"the same array expression again, 256 float",
             1e6 * again.ours.median,
             "us",
             again.ours,
             {{"driver's own call", again.ours.median / again.theirs.median}},
             {{"added_us", 1e6 * again.added}},
             "host time of z.assign(sum), where sum = 2 * x + y was made before"});
}

}  // namespace rtcg::bench
