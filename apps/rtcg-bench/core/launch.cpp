// What a launch costs beside the driver's own call.
#include <dlfcn.h>

#include <CL/cl.h>

#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
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
  // Host time of queueing, in bursts short enough that the queue never fills; ours and the raw call take turns, so
  // that both meet the same machine.
  const int burst = 200, rounds = context.quick ? 20 : 200;
  std::vector<double> ours, theirs, added;
  for (int round = 0; round < rounds; ++round) {
    ours.push_back(seconds_of([&] {
                     for (int i = 0; i < burst; ++i) kernel(stream, grid, y, x, a, n);
                   }) /
                   burst);
    stream.synchronize();
    theirs.push_back(seconds_of([&] {
                       for (int i = 0; i < burst; ++i) raw();
                     }) /
                     burst);
    stream.synchronize();
    added.push_back(ours.back() - theirs.back());
  }
  const Measurement own = summarise(ours), driver = summarise(theirs);
  suite.add(
      {"launch, driver's own call", 1e6 * driver.median, "us", driver, {}, {}, "host time to queue, four arguments"});
  suite.add({"launch",
             1e6 * own.median,
             "us",
             own,
             {{"driver's own call", own.median / driver.median}},
             {{"added_us", 1e6 * summarise(added).median}},
             "host time to queue, four arguments, checked"});
}

}  // namespace rtcg::bench
