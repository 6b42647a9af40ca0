// How long a program text is, by the rule that docs/benchmarks states.
#pragma once

#include <cstddef>
#include <string_view>

namespace rtcg::bench {

/// Lines that hold code: not blank, no comment alone, no preprocessor directive, no opening or closing of a namespace.
std::size_t lines_of_code(std::string_view text);

}  // namespace rtcg::bench
