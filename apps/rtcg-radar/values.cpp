#include "apps/rtcg-radar/values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

#include "rtcg/error.h"

namespace rtcg::app {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = text.find(separator)) != text.npos; text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

template <class Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

UsageError refuse(const std::string& option, const std::string& text, const char* expected) {
  return UsageError(fmt::format("{} '{}': expected {}", option, text, expected));
}

}  // namespace

std::array<std::size_t, 3> parse_size(const std::string& option, const std::string& text) {
  const auto error = refuse(option, text, "pixels as NXxNY or NXxNYxNZ, such as 501x501");
  const auto parts = split(text, 'x');
  if (parts.size() < 2 || parts.size() > 3) throw error;
  std::array<std::size_t, 3> size{1, 1, 1};
  for (std::size_t n = 0; n < parts.size(); ++n) {
    const auto value = number<std::size_t>(parts[n]);
    if (!value || *value == 0) throw error;
    size[n] = *value;
  }
  return size;
}

std::array<double, 3> parse_spacing(const std::string& option, const std::string& text) {
  const auto error = refuse(option, text, "metres above 0 as D, DXxDY or DXxDYxDZ, such as 0.2");
  const auto parts = split(text, 'x');
  if (parts.size() > 3) throw error;
  std::array<double, 3> spacing{};
  for (std::size_t n = 0; n < 3; ++n) {
    const auto value = number<double>(parts[std::min(n, parts.size() - 1)]);
    if (!value || !std::isfinite(*value) || !(*value > 0)) throw error;
    spacing[n] = *value;
  }
  return spacing;
}

std::vector<double> parse_numbers(const std::string& option, const std::string& text, std::size_t least,
                                  std::size_t most) {
  const auto parts = split(text, ',');
  std::vector<double> values;
  for (const std::string_view part : parts)
    if (const auto value = number<double>(part); value && std::isfinite(*value)) values.push_back(*value);
  if (values.size() != parts.size() || values.size() < least || values.size() > most)
    throw UsageError(fmt::format("{} '{}': expected {} numbers with commas between", option, text,
                                 least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most)));
  return values;
}

Interval parse_interval(const std::string& option, const std::string& text, std::size_t count) {
  const auto parts = split(text, ':');
  Interval interval{0, count};
  const auto read = [&](std::string_view part, std::size_t& end) {
    if (part.empty()) return;
    const auto value = number<std::size_t>(part);
    if (!value) throw refuse(option, text, "FIRST:LAST, such as 0:100");
    end = *value;
  };
  if (parts.size() != 2) throw refuse(option, text, "FIRST:LAST, such as 0:100");
  read(parts[0], interval.first), read(parts[1], interval.last);
  if (interval.first >= interval.last || interval.last > count)
    throw UsageError(fmt::format("{} '{}': there are pulses 0 to {} (LAST is the first one left out, so at most {})",
                                 option, text, count - 1, count));
  return interval;
}

}  // namespace rtcg::app
