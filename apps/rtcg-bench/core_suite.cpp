#include "apps/rtcg-bench/core/topics.h"
#include "apps/rtcg-bench/topic.h"

namespace rtcg::bench {

constexpr Topic topics[] = {
    {"launch", launch_topic},         {"compile", compile_topic}, {"elementwise", elementwise_topic},
    {"reduce", reduce_topic},         {"scan", scan_topic},       {"sort", sort_topic},
    {"histogram", histogram_topic},   {"fft", fft_topic},         {"sparse", sparse_topic},
    {"copperhead", copperhead_topic},
};

std::vector<std::string> core_topics() {
  return names_of(topics);
}

Suite core_suite(const Context& context) {
  return run_topics("core", topics, context);
}

}  // namespace rtcg::bench
