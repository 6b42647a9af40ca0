#include "rtcg/device/opencl/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rtcg::opencl {

namespace {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

/// The directive's word and what follows it, both empty for other lines.
std::pair<std::string_view, std::string_view> directive(std::string_view line) {
  line = trim(line);
  if (!line.starts_with('#')) return {};
  line = trim(line.substr(1));
  const auto end = std::min(line.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), line.size());
  return {line.substr(0, end), trim(line.substr(end))};
}

/// The text between the delimiters of "name" or <name>, empty if there is neither.
std::string_view delimited(std::string_view text) {
  if (text.empty() || (text[0] != '"' && text[0] != '<')) return {};
  const auto end = text.find(text[0] == '"' ? '"' : '>', 1);
  return end == std::string_view::npos ? std::string_view{} : text.substr(1, end - 1);
}

struct Place {
  std::string file;
  int line = 0;
};

/// `#line 7 "name"` gives the next line its number and, with a name, its file.
bool follow_line(std::string_view rest, Place& next) {
  int number = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), number).ec != std::errc{}) return false;
  next.line = number;
  rest.remove_prefix(std::min(rest.find_first_not_of("0123456789"), rest.size()));
  if (const std::string_view name = delimited(trim(rest)); !name.empty()) next.file = name;
  return true;
}

/// Where line `physical` (from 1) of a text is by its #line directives; none before the first of them.
std::optional<Place> place_of_line(std::string_view text, int physical) {
  Place place;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    if (number == physical) return place.file.empty() ? std::nullopt : std::optional(place);
    const auto [word, rest] = directive(text.substr(0, end));
    if (word != "line" || !follow_line(rest, place)) ++place.line;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return std::nullopt;
}

}  // namespace

std::string restore_places(std::string_view log, std::string_view text) {
  constexpr std::string_view mark = "<kernel>:";
  std::string result;
  for (std::size_t at; (at = log.find(mark)) != std::string_view::npos;) {
    result += log.substr(0, at);
    log.remove_prefix(at + mark.size());
    int physical = 0;
    const auto [end, error] = std::from_chars(log.data(), log.data() + log.size(), physical);
    const auto place = error == std::errc{} ? place_of_line(text, physical) : std::nullopt;
    if (place) {
      result += fmt::format("{}:{}", place->file, place->line);
      log.remove_prefix(static_cast<std::size_t>(end - log.data()));
    } else {
      result += mark;
    }
  }
  return result += log;
}

}  // namespace rtcg::opencl
