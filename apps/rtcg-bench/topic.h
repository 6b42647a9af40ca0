// A suite as a list of topics: they run in order, and one that fails leaves its error in the record while the others go
// on.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "apps/rtcg-bench/record.h"

namespace rtcg::bench {

struct Topic {
  const char* name;
  void (*run)(Suite&, const Context&);
};

std::vector<std::string> names_of(std::span<const Topic> topics);
/// Those that Context::only names, or all.
Suite run_topics(std::string suite, std::span<const Topic> topics, const Context& context);

}  // namespace rtcg::bench
