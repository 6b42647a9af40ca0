#include "apps/rtcg-vision/values.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "rtcg/error.h"

namespace rtcg::app {

namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

}  // namespace

std::pair<std::size_t, std::size_t> parse_stride(const std::string& text) {
  std::vector<std::size_t> values;
  for (const std::string_view part : split(text, 'x')) {
    const auto value = read_number<std::uint32_t>(part);
    if (!value || *value == 0) throw UsageError(fmt::format("--stride '{}': expected pixels, N or NYxNX", text));
    values.push_back(*value);
  }
  if (values.size() > 2) throw UsageError(fmt::format("--stride '{}': expected pixels, N or NYxNX", text));
  return {values.front(), values.back()};
}

std::pair<std::optional<float>, std::optional<float>> parse_clip(const std::string& text) {
  const auto parts = split(text, ',');
  std::optional<float> bounds[2];
  bool is_right = parts.size() == 2;
  for (std::size_t k = 0; is_right && k < 2; ++k)
    if (parts[k] != "none") {
      bounds[k] = read_number<float>(parts[k]);
      is_right = bounds[k] && std::isfinite(*bounds[k]);
    }
  if (!is_right) throw UsageError(fmt::format("--clip '{}': expected MIN,MAX, either of them none", text));
  return {bounds[0], bounds[1]};
}

std::vector<float> parse_bias(const std::string& text, std::size_t count) {
  std::vector<float> values;
  for (const std::string_view part : split(text, ',')) {
    const auto value = read_number<float>(part);
    if (!value || !std::isfinite(*value))
      throw UsageError(fmt::format("--bias '{}': '{}' is not a finite number", text, part));
    values.push_back(*value);
  }
  if (values.size() == 1) values.resize(count, values[0]);
  if (values.size() != count) throw UsageError(fmt::format("--bias: {} numbers for {} filters", values.size(), count));
  return values;
}

}  // namespace rtcg::app
