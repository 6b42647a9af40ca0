#include "apps/rtcg-bench/warm_start.h"

#include <unistd.h>
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "rtcg/compile/compiler.h"
#include "rtcg/error.h"

namespace rtcg::bench {

namespace {

constexpr int probes = 20;

Source probe(int number) {
  return Source("probe.cl",
                "kernel void probe(global float* y, float a) { y[get_global_id(0)] = a * (float)NUMBER + "
                "y[get_global_id(0)]; }")
      .define("NUMBER", number);
}

double load(const Device& device, int* from_cache) {
  const Stream stream(device);
  const Buffer y = Buffer::of<float>(stream, 256);
  // The first touches libraries and contexts, which every program pays once however its kernels come.
  compile(device, probe(-1)).kernel("probe")(stream, Grid::over(256), y, 1.0f);
  stream.synchronize();
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < probes; ++i) {
    const Module module = compile(device, probe(i));
    *from_cache += module.from_cache();
    module.kernel("probe")(stream, Grid::over(256), y, 1.0f);
  }
  stream.synchronize();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / probes;
}

}  // namespace

void print_warm_start(const Device& device) {
  int from_cache = 0;
  const double seconds = load(device, &from_cache);
  fmt::print("{} {} {:.9g}\n", from_cache, probes, seconds);
}

void warm_start_cost(Suite& suite, const Context& context) {
  const Device& device = context.stream.device();
  int from_cache = 0;
  load(device, &from_cache);
  std::vector<double> seconds;
  int cached = 0, total = 0;
  for (int run = 0; run < (context.quick ? 1 : 5); ++run) {
    const std::string command = fmt::format("'/proc/{}/exe' --warm-start --device {}", getpid(), device.id());
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> child(popen(command.c_str(), "r"), pclose);
    int own = 0, count = 0;
    double time = 0;
    if (!child || std::fscanf(child.get(), "%d %d %lf", &own, &count, &time) != 3)
      throw DeviceError("the warm-start probe did not run");
    cached += own, total += count;
    seconds.push_back(time);
  }
  const Measurement time = summarise(seconds);
  suite.add({"warm start, per kernel",
             1e3 * time.median,
             "ms",
             time,
             {},
             {{"from_cache_share", static_cast<double>(cached) / total}},
             "new process, warm cache: load and first launch"});
}

}  // namespace rtcg::bench
