// What a compilation costs: cold, again in the same process, and in a new process that finds its kernels in the cache.
#include <unistd.h>

#include <chrono>
#include <random>

#include <fmt/format.h>

#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/data.h"
#include "apps/rtcg-bench/warm_start.h"
#include "rtcg/array/expression.h"
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

/// An expression whose operations no kernel has had before, over the same arrays.
Expression unseen(const Array& x, const Array& y, std::mt19937& random) {
  Expression value = x;
  for (int i = 0; i < 8; ++i) {
    switch (random() % 6) {
      case 0:
        value = value + y;
        break;
      case 1:
        value = value * y;
        break;
      case 2:
        value = value - x;
        break;
      case 3:
        value = minimum(value, y);
        break;
      case 4:
        value = abs(value);
        break;
      default:
        value = 0.5f * value;
        break;
    }
  }
  return value;
}

std::size_t compilations() {
  return CompileCache::standard().statistics().misses;
}

void expression_cost(Suite& suite, const Context& context) {
  const Stream& stream = context.stream;
  const Array x = as_array(random_floats(stream, 1024, 1)), y = as_array(random_floats(stream, 1024, 2)),
              z = as_array(random_floats(stream, 1024, 3));
  std::mt19937 random(static_cast<unsigned>(std::chrono::steady_clock::now().time_since_epoch().count()) ^
                      static_cast<unsigned>(::getpid()));
  std::vector<double> first, again;
  std::size_t compiled_again = 0;
  for (int i = 0; i < (context.quick ? 3 : 9); ++i) {
    const std::mt19937 recipe = random;
    const auto evaluate_with = [&](const Array& a, const Array& b) {
      std::mt19937 copy = recipe;
      return seconds_of([&] {
        const Array result = unseen(a, b, copy);
        stream.synchronize();
      });
    };
    const std::size_t before = compilations();
    const double seconds = evaluate_with(x, y);
    if (compilations() != before) first.push_back(seconds);  // otherwise an earlier run's cache knew it
    const std::size_t compiled = compilations();
    again.push_back(evaluate_with(z, x));
    compiled_again += compilations() - compiled;
    random.discard(8);
  }
  if (!first.empty()) {
    const Measurement time = summarise(first);
    suite.add({"new array expression, cold",
               1e3 * time.median,
               "ms",
               time,
               {},
               {},
               "eight operations never compiled before: graph, text, compilation, run"});
  }
  const Measurement time = summarise(again);
  suite.add({"the same expression on other arrays",
             1e6 * time.median,
             "us",
             time,
             {},
             {{"compilations", static_cast<double>(compiled_again)}},
             "with a wait for the device"});
}

}  // namespace

void compile_topic(Suite& suite, const Context& context) {
  compile_cost(suite, context);
  expression_cost(suite, context);
  warm_start_cost(suite, context);
}

}  // namespace rtcg::bench
