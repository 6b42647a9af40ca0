// The core: what a launch, a compilation and a warm start cost.
#include <dlfcn.h>
#include <unistd.h>

#include <CL/cl.h>

#include <chrono>
#include <filesystem>

#include "apps/common/logging.h"
#include "apps/rtcg-bench/record.h"
#include "apps/rtcg-bench/warm_start.h"
#include "rtcg/array/fft.h"
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

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

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

void launch_cost(Suite& suite, const Context& context) {
  const Stream& stream = context.stream;
  const int n = 256;
  const float a = 2;
  const Buffer x = Buffer::of<float>(stream, n), y = Buffer::of<float>(stream, n);
  x.zero(stream), y.zero(stream);
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

void compile_cost(Suite& suite, const Context& context) {
  const Device& device = context.stream.device();
  std::vector<double> cold, again;
  for (int i = 0; i < (context.quick ? 3 : 9); ++i) {
    const std::string unique =
        fmt::format("{}{}", std::chrono::steady_clock::now().time_since_epoch().count(), ::getpid());
    const Source source = Source("small.cl", small_text).define("NEVER_SEEN_BEFORE", unique + "ul");
    cold.push_back(seconds_of([&] { compile(device, source); }));
    again.push_back(seconds_of([&] { compile(device, source); }));
  }
  const Measurement first = summarise(cold), repeat = summarise(again);
  suite.add({"compile, cold", 1e3 * first.median, "ms", first, {}, {}, "trivial kernel, empty caches"});
  suite.add({"compile, same process again", 1e6 * repeat.median, "us", repeat, {}, {}, "in-process look-up"});
}

void fft_rate(Suite& suite, const Context& context) {
  const Stream& stream = context.stream;
  const bool gpu = stream.device().properties().kind == DeviceKind::gpu;
  const std::size_t length = 4096, batch = context.quick ? 64 : gpu ? 16384 : 1024;
  const Fft fft(stream.device(), {length, FftDirection::inverse, false});
  const Buffer data = Buffer::of<std::complex<float>>(stream, batch * length),
               scratch = Buffer::of<std::complex<float>>(stream, batch * length);
  data.zero(stream);
  const Measurement time = measure(
      stream, [&] { fft(stream, data, scratch, batch); }, context.budget());
  const double bytes = 16.0 * static_cast<double>(batch * length);
  suite.add({fmt::format("FFT of {} x {}, complex float", batch, length),
             bytes / time.median / 1e9,
             "GB/s",
             time,
             {{"one copy of the data", bytes / time.median / context.copy_bandwidth}},
             {},
             "bytes of one read and one write"});
}

}  // namespace

Suite core_suite(const Context& context) {
  Suite suite{"core", {}};
  launch_cost(suite, context);
  compile_cost(suite, context);
  warm_start_cost(suite, context);
  fft_rate(suite, context);
  return suite;
}

}  // namespace rtcg::bench
