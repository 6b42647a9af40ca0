#include "radar/window.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>

#include "rtcg/error.h"

namespace rtcg::radar {

namespace {

template <class Number>
std::optional<Number> read_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Taylor (1955) as in Carrara, Goodman, Majewski, "Spotlight Synthetic Aperture Radar", appendix D.
std::vector<double> taylor(int nbar, double sidelobe_db, std::size_t n) {
  const double a = std::acosh(std::pow(10.0, -sidelobe_db / 20.0)) / std::numbers::pi;
  const double spread = static_cast<double>(nbar) * nbar / (a * a + (nbar - 0.5) * (nbar - 0.5));
  std::vector<double> coefficient(static_cast<std::size_t>(nbar), 0.0);
  for (int m = 1; m < nbar; ++m) {
    double numerator = m % 2 == 1 ? 0.5 : -0.5, denominator = 1;
    for (int i = 1; i < nbar; ++i) {
      numerator *= 1 - static_cast<double>(m) * m / spread / (a * a + (i - 0.5) * (i - 0.5));
      if (i != m) denominator *= 1 - static_cast<double>(m) * m / (static_cast<double>(i) * i);
    }
    coefficient[static_cast<std::size_t>(m)] = numerator / denominator;
  }
  std::vector<double> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double place = (static_cast<double>(i) - 0.5 * static_cast<double>(n - 1)) / static_cast<double>(n);
    double sum = 1;
    for (int m = 1; m < nbar; ++m)
      sum += 2 * coefficient[static_cast<std::size_t>(m)] * std::cos(2 * std::numbers::pi * m * place);
    result[i] = sum;
  }
  return result;
}

std::vector<double> hamming(std::size_t n) {
  std::vector<double> result(n, 1.0);
  for (std::size_t i = 0; n > 1 && i < n; ++i)
    result[i] = 0.54 - 0.46 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n - 1));
  return result;
}

}  // namespace

Window Window::parse(std::string_view text) {
  Window window;
  if (text == "none") return window;
  if (text == "hamming") {
    window.kind = Kind::hamming;
    return window;
  }
  constexpr std::string_view name = "taylor";
  const auto refuse = [&](std::string_view reason) { return UsageError(fmt::format("window '{}': {}", text, reason)); };
  if (!text.starts_with(name) || (text.size() > name.size() && text[name.size()] != ':'))
    throw refuse("unknown; there are none, hamming, taylor and taylor:NBAR,LEVEL such as taylor:4,-35");
  window.kind = Kind::taylor;
  if (text.size() == name.size()) return window;

  const std::string_view numbers = text.substr(name.size() + 1);
  const std::size_t comma = numbers.find(',');
  if (comma == std::string_view::npos) throw refuse("expected taylor:NBAR,LEVEL such as taylor:4,-35");
  const auto nbar = read_number<int>(numbers.substr(0, comma));
  const auto level = read_number<double>(numbers.substr(comma + 1));
  if (!nbar || *nbar < 1 || *nbar > 64) throw refuse("NBAR must be a whole number from 1 to 64");
  if (!level || !(*level >= -120 && *level < 0))
    throw refuse("the sidelobe level must be in dB, from -120 to below 0, such as -35");
  window.nbar = *nbar;
  window.sidelobe_db = *level;
  return window;
}

std::vector<double> weights(const Window& window, std::size_t n) {
  if (window.kind == Window::Kind::none || n < 2) return std::vector<double>(n, 1.0);
  std::vector<double> result =
      window.kind == Window::Kind::hamming ? hamming(n) : taylor(window.nbar, window.sidelobe_db, n);
  double sum = 0;
  for (const double weight : result) sum += weight;
  for (double& weight : result) weight *= static_cast<double>(n) / sum;
  return result;
}

}  // namespace rtcg::radar
