// What a second start of a program costs when the cache is warm: measured in a process of its own, since the first has
// everything in memory already.
#pragma once

#include "apps/rtcg-bench/record.h"

namespace rtcg::bench {

/// Compiles the probe kernels into the cache, then starts this binary anew and has it load them.
void warm_start_cost(Suite& suite, const Context& context);

/// The child's part: loads the probe kernels and prints "kernels-from-cache total seconds" on the standard output.
void print_warm_start(const Device& device);

}  // namespace rtcg::bench
