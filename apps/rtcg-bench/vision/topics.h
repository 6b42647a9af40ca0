// The topics of the vision suite: one function and one file of its name each, as those of the core suite.
#pragma once

#include "apps/rtcg-bench/comparison.h"

namespace rtcg::bench {

void filterbank_topic(Suite& suite, const Context& context);
void models_topic(Suite& suite, const Context& context);

}  // namespace rtcg::bench
