// What a second start of a program costs when the cache is warm: measured in a process of its own, since the first has
// everything in memory already.
#pragma once

#include "apps/rtcg-bench/record.h"

namespace rtcg::bench {

/// Compiles the probes into the cache, then starts this binary anew and has it load and run them.
void warm_start_cost(Suite& suite, const Context& context);

/// The child's part: loads the probes and prints four figures on the standard output: kernels from the cache,
/// compilations for the array expressions, seconds for each kernel, seconds for each expression.
void print_warm_start(const Device& device);

}  // namespace rtcg::bench
