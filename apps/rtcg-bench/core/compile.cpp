// What a compilation costs: cold, again in the same process, and in a new process that finds its kernels in the cache.
#include <unistd.h>

#include <chrono>

#include <fmt/format.h>

#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/warm_start.h"
#include "rtcg/compile/compiler.h"

namespace rtcg::bench {

namespace {

constexpr const char* small_text = R"(
kernel void small(global float* y, global const float* x, float a, int n) {
  const int i = (int)get_global_id(0);
  if (i < n) y[i] += a * x[i];
}
)";

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

}  // namespace

void compile_topic(Suite& suite, const Context& context) {
  compile_cost(suite, context);
  warm_start_cost(suite, context);
}

}  // namespace rtcg::bench
