// The core: every topic in order; one that fails leaves its error in the record and the others go on.
#include <algorithm>

#include <fmt/format.h>

#include "apps/common/logging.h"
#include "apps/rtcg-bench/core/topics.h"
#include "rtcg/error.h"

namespace rtcg::bench {

namespace {

struct Topic {
  const char* name;
  void (*run)(Suite&, const Context&);
};

constexpr Topic topics[] = {
    {"launch", launch_topic},         {"compile", compile_topic}, {"elementwise", elementwise_topic},
    {"reduce", reduce_topic},         {"scan", scan_topic},       {"sort", sort_topic},
    {"histogram", histogram_topic},   {"fft", fft_topic},         {"sparse", sparse_topic},
    {"copperhead", copperhead_topic},
};

}  // namespace

std::vector<std::string> core_topics() {
  std::vector<std::string> names;
  for (const Topic& topic : topics) names.emplace_back(topic.name);
  return names;
}

Suite core_suite(const Context& context) {
  Suite suite{"core", {}, {}};
  for (const Topic& topic : topics) {
    if (!context.only.empty() && std::find(context.only.begin(), context.only.end(), topic.name) == context.only.end())
      continue;
    try {
      topic.run(suite, context);
    } catch (const std::exception& error) {
      suite.failures.push_back(fmt::format("{}: {}", topic.name, error.what()));
      app::log_error("{}", suite.failures.back());
    }
  }
  return suite;
}

}  // namespace rtcg::bench
