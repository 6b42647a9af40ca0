// Values of rtcg-radar's options. Every function throws UsageError naming the option, the text and what is expected.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace rtcg::app {

/// "501x301" or "501x301x20": pixels along x, y and z; at least 1 each.
std::array<std::size_t, 3> parse_size(const std::string& option, const std::string& text);
/// "0.2" (the same along x and y, z too), "0.2x0.3" or "0.2x0.3x1": metres, > 0.
std::array<double, 3> parse_spacing(const std::string& option, const std::string& text);
/// `least` to `most` finite numbers with commas between.
std::vector<double> parse_numbers(const std::string& option, const std::string& text, std::size_t least,
                                  std::size_t most);

/// Half-open [first, last).
struct Interval {
  std::size_t first = 0, last = 0;
};
/// "FIRST:LAST" of `count` things, counted from 0, LAST left out; either end may be missing.
Interval parse_interval(const std::string& option, const std::string& text, std::size_t count);

}  // namespace rtcg::app
