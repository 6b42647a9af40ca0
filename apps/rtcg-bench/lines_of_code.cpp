#include "apps/rtcg-bench/lines_of_code.h"

namespace rtcg::bench {

std::size_t lines_of_code(std::string_view text) {
  std::size_t lines = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    const std::size_t start = line.find_first_not_of(" \t");
    if (start == std::string_view::npos) continue;
    line.remove_prefix(start);
    const bool is_namespace = line.starts_with("namespace ") || line.starts_with("}  // namespace");
    lines += !line.starts_with("//") && !line.starts_with("#") && !is_namespace;
  }
  return lines;
}

}  // namespace rtcg::bench
