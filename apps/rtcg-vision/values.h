// Values of rtcg-vision's options. Every function throws UsageError naming the option, the text and what is expected.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rtcg::app {

/// "2" (along y and x) or "2x1" (y, x); at least 1 each.
std::pair<std::size_t, std::size_t> parse_stride(const std::string& text);
/// "0,1", either of them "none".
std::pair<std::optional<float>, std::optional<float>> parse_clip(const std::string& text);
/// Finite numbers with commas between, `count` of them; a single one counts for all.
std::vector<float> parse_bias(const std::string& text, std::size_t count);

}  // namespace rtcg::app
