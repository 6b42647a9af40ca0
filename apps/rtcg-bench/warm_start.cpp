#include "apps/rtcg-bench/warm_start.h"

#include <unistd.h>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "rtcg/array/expression.h"
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

struct Warm {
  int from_cache = 0;
  std::size_t compilations = 0;
  double kernel_seconds = 0, expression_seconds = 0;  ///< until the first one has run, each
};

Warm load(const Device& device) {
  Warm warm;
  const Stream stream(device);
  const Buffer y = Buffer::of<float>(stream, 256);
  y.zero(stream);
  // The first touches libraries and contexts, which every program pays once however its kernels come.
  compile(device, probe(-1)).kernel("probe")(stream, Grid::over(256), y, 1.0f);
  stream.synchronize();
  warm.kernel_seconds = seconds_of([&] {
                          for (int i = 0; i < probes; ++i) {
                            const Module module = compile(device, probe(i));
                            warm.from_cache += module.from_cache();
                            module.kernel("probe")(stream, Grid::over(256), y, 1.0f);
                          }
                          stream.synchronize();
                        }) /
                        probes;
  const Array a(y, Dtype::f32, {256}, {1});
  const std::size_t before = CompileCache::standard().statistics().misses;
  warm.expression_seconds = seconds_of([&] {
                              Expression sum = a;
                              for (int i = 0; i < probes; ++i) {
                                sum = sum + a * (sum + 1.0f);
                                const Array result = sum;
                              }
                              stream.synchronize();
                            }) /
                            probes;
  warm.compilations = CompileCache::standard().statistics().misses - before;
  return warm;
}

}  // namespace

void print_warm_start(const Device& device) {
  const Warm warm = load(device);
  fmt::print("{} {} {:.9g} {:.9g}\n", warm.from_cache, warm.compilations, warm.kernel_seconds, warm.expression_seconds);
}

void warm_start_cost(Suite& suite, const Context& context) {
  const Device& device = context.stream.device();
  load(device);
  std::vector<double> kernels, expressions;
  int cached = 0;
  std::size_t compilations = 0;
  for (int run = 0; run < (context.quick ? 1 : 5); ++run) {
    const std::string command = fmt::format("'/proc/{}/exe' --warm-start --device {}", getpid(), device.id());
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> child(popen(command.c_str(), "r"), pclose);
    Warm warm;
    if (!child || std::fscanf(child.get(), "%d %zu %lf %lf", &warm.from_cache, &warm.compilations, &warm.kernel_seconds,
                              &warm.expression_seconds) != 4)
      throw DeviceError("the warm-start probe did not run");
    cached += warm.from_cache, compilations += warm.compilations;
    kernels.push_back(warm.kernel_seconds), expressions.push_back(warm.expression_seconds);
  }
  const Measurement kernel = summarise(kernels), expression = summarise(expressions);
  suite.add({"warm start, per kernel",
             1e3 * kernel.median,
             "ms",
             kernel,
             {},
             {{"from_cache_share", static_cast<double>(cached) / (probes * static_cast<double>(kernels.size()))}},
             "new process, warm cache: load and first launch"});
  suite.add({"warm start, per array expression",
             1e3 * expression.median,
             "ms",
             expression,
             {},
             {{"compilations", static_cast<double>(compilations)}},
             "new process, warm cache: graph, text, load and first launch"});
}

}  // namespace rtcg::bench
