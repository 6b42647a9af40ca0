// The topics of the core suite: one function and one file of its name each; comparison.h says how one is written.
#pragma once

#include "apps/rtcg-bench/comparison.h"

namespace rtcg::bench {

void launch_topic(Suite& suite, const Context& context);
void compile_topic(Suite& suite, const Context& context);
void elementwise_topic(Suite& suite, const Context& context);
void reduce_topic(Suite& suite, const Context& context);
void scan_topic(Suite& suite, const Context& context);
void sort_topic(Suite& suite, const Context& context);
void histogram_topic(Suite& suite, const Context& context);
void fft_topic(Suite& suite, const Context& context);
void sparse_topic(Suite& suite, const Context& context);
void copperhead_topic(Suite& suite, const Context& context);

}  // namespace rtcg::bench
