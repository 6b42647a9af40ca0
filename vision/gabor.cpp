#include "vision/gabor.h"

#include <charconv>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "rtcg/error.h"

namespace rtcg::vision {

namespace {

[[noreturn]] void refuse(std::string_view text, const std::string& what) {
  throw UsageError(
      fmt::format("\"{}\": {}; right is gabor or gabor:size=43,orientations=16,frequencies=1/2;1/3,phases=0,sigma=8.6",
                  text, what));
}

std::vector<std::string_view> pieces(std::string_view text, char separator) {
  std::vector<std::string_view> found;
  for (std::size_t start = 0;;) {
    const std::size_t end = text.find(separator, start);
    found.push_back(text.substr(start, end - start));
    if (end == std::string_view::npos) return found;
    start = end + 1;
  }
}

template <class Number>
bool read_number(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

/// "0.25" or "1/4".
double read_ratio(std::string_view text, std::string_view whole) {
  const std::vector<std::string_view> parts = pieces(text, '/');
  double values[2] = {0, 1};
  if (parts.size() > 2) refuse(whole, fmt::format("\"{}\" is not a number", text));
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (!read_number(parts[k], values[k])) refuse(whole, fmt::format("\"{}\" is not a number", text));
  const double value = values[0] / values[1];
  if (!std::isfinite(value)) refuse(whole, fmt::format("\"{}\" is not finite", text));
  return value;
}

}  // namespace

GaborBank parse_gabor(std::string_view text) {
  GaborBank bank;
  constexpr std::string_view word = "gabor";
  if (text == word) return bank;
  if (text.substr(0, word.size() + 1) != "gabor:") refuse(text, "it does not begin with gabor");
  for (const std::string_view setting : pieces(text.substr(word.size() + 1), ',')) {
    const std::size_t equals = setting.find('=');
    const std::string_view key = setting.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : setting.substr(equals + 1);
    const auto whole_number = [&](std::size_t& to, std::size_t most) {
      if (!read_number(value, to) || to == 0 || to > most)
        refuse(text, fmt::format("{} \"{}\" is not a number from 1 to {}", key, value, most));
    };
    const auto list = [&](std::vector<double>& to) {
      to.clear();
      for (const std::string_view piece : pieces(value, ';')) to.push_back(read_ratio(piece, text));
    };
    if (key == "size")
      whole_number(bank.size, 1024);
    else if (key == "orientations")
      whole_number(bank.orientations, 4096);
    else if (key == "frequencies")
      list(bank.frequencies);
    else if (key == "phases")
      list(bank.phases);
    else if (key == "sigma") {
      bank.sigma = read_ratio(value, text);
      if (!(bank.sigma > 0)) refuse(text, fmt::format("sigma \"{}\" is not positive", value));
    } else
      refuse(text, fmt::format("there is no \"{}\"", key));
  }
  return bank;
}

std::string to_text(const GaborBank& bank) {
  return fmt::format("gabor:size={},orientations={},frequencies={},phases={},sigma={}", bank.size, bank.orientations,
                     fmt::join(bank.frequencies, ";"), fmt::join(bank.phases, ";"),
                     bank.sigma > 0 ? bank.sigma : static_cast<double>(bank.size) / 5);
}

std::vector<float> gabor_filters(const GaborBank& bank) {
  const double sigma = bank.sigma > 0 ? bank.sigma : static_cast<double>(bank.size) / 5;
  const auto centre = static_cast<double>(bank.size / 2);
  const std::size_t pixels = bank.size * bank.size;
  std::vector<float> filters;
  filters.reserve(bank.filters() * pixels);
  std::vector<double> filter(pixels);
  for (const double frequency : bank.frequencies)
    for (std::size_t k = 0; k < bank.orientations; ++k)
      for (const double phase : bank.phases) {
        const double angle = static_cast<double>(k) * std::numbers::pi / static_cast<double>(bank.orientations);
        const double fx = frequency * std::cos(angle), fy = frequency * std::sin(angle);
        double mean = 0, square = 0;
        for (std::size_t p = 0; p < pixels; ++p) {
          const auto x = static_cast<double>(p % bank.size), y = static_cast<double>(p / bank.size);
          filter[p] = std::exp(-((x - centre) * (x - centre) + (y - centre) * (y - centre)) / (2 * sigma * sigma)) *
                      std::cos(2 * std::numbers::pi * (fx * x + fy * y) + phase);
          mean += filter[p] / static_cast<double>(pixels);
        }
        for (double& v : filter) v -= mean, square += v * v;
        if (!(square > 1e-20))
          throw UsageError(fmt::format("Gabor filter of size {}, frequency {}, phase {}: it is constant", bank.size,
                                       frequency, phase));
        for (const double v : filter) filters.push_back(static_cast<float>(v / std::sqrt(square)));
      }
  return filters;
}

Array gabor_bank(const Stream& stream, const GaborBank& bank) {
  const auto size = static_cast<std::int64_t>(bank.size);
  return Array::from(stream, gabor_filters(bank), Shape{static_cast<std::int64_t>(bank.filters()), size, size, 1});
}

}  // namespace rtcg::vision
