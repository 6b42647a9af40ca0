// The topics of the dgfem suite: one function and one file of its name each, as those of the core suite.
#pragma once

#include "apps/rtcg-bench/comparison.h"

namespace rtcg::bench {

void maxwell_topic(Suite& suite, const Context& context);
void meshes_topic(Suite& suite, const Context& context);

}  // namespace rtcg::bench
