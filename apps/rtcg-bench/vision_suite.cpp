// Vision: every topic in order; one that fails leaves its error in the record and the others go on.
#include <algorithm>

#include <fmt/format.h>

#include "apps/common/logging.h"
#include "apps/rtcg-bench/vision/topics.h"
#include "rtcg/error.h"

namespace rtcg::bench {

namespace {

struct Topic {
  const char* name;
  void (*run)(Suite&, const Context&);
};

constexpr Topic topics[] = {{"filterbank", filterbank_topic}, {"models", models_topic}};

}  // namespace

std::vector<std::string> vision_topics() {
  std::vector<std::string> names;
  for (const Topic& topic : topics) names.emplace_back(topic.name);
  return names;
}

Suite vision_suite(const Context& context) {
  Suite suite{"vision", {}, {}};
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
