#include "apps/rtcg-bench/dgfem/topics.h"
#include "apps/rtcg-bench/topic.h"

namespace rtcg::bench {

constexpr Topic topics[] = {{"maxwell", maxwell_topic}, {"meshes", meshes_topic}};

std::vector<std::string> dgfem_topics() {
  return names_of(topics);
}

Suite dgfem_suite(const Context& context) {
  return run_topics("dgfem", topics, context);
}

}  // namespace rtcg::bench
