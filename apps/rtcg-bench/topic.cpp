#include "apps/rtcg-bench/topic.h"

#include <algorithm>

#include <fmt/format.h>

#include "apps/common/logging.h"

namespace rtcg::bench {

std::vector<std::string> names_of(std::span<const Topic> topics) {
  std::vector<std::string> names;
  for (const Topic& topic : topics) names.emplace_back(topic.name);
  return names;
}

Suite run_topics(std::string name, std::span<const Topic> topics, const Context& context) {
  Suite suite{std::move(name), {}, {}};
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
