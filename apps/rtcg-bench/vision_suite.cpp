#include "apps/rtcg-bench/topic.h"
#include "apps/rtcg-bench/vision/topics.h"

namespace rtcg::bench {

constexpr Topic topics[] = {{"filterbank", filterbank_topic}, {"models", models_topic}};

std::vector<std::string> vision_topics() {
  return names_of(topics);
}

Suite vision_suite(const Context& context) {
  return run_topics("vision", topics, context);
}

}  // namespace rtcg::bench
