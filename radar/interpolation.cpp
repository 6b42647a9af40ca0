#include "radar/interpolation.h"

#include <charconv>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "radar/tile_plan.h"
#include "rtcg/error.h"

namespace rtcg::radar {

Interpolation Interpolation::parse(std::string_view text) {
  if (text == "linear") return {};
  Interpolation sinc{Kind::sinc, 8};
  if (text == "sinc") return sinc;
  if (text.starts_with("sinc:")) {
    const std::string_view digits = text.substr(5);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), sinc.taps);
    if (error == std::errc{} && end == digits.data() + digits.size() && sinc.taps >= 4 && sinc.taps <= 16 &&
        sinc.taps % 2 == 0)
      return sinc;
  }
  throw UsageError(fmt::format(
      "interpolation \"{}\" is neither linear, sinc nor sinc:TAPS with an even number of taps from 4 to 16", text));
}

namespace {

double weight(double distance, int taps, double beta) {
  const double half = 0.5 * taps, inside = 1 - distance * distance / (half * half);
  if (inside <= 0) return 0;
  const double sinc = distance == 0 ? 1 : std::sin(std::numbers::pi * distance) / (std::numbers::pi * distance);
  return sinc * std::cyl_bessel_i(0.0, beta * std::sqrt(inside)) / std::cyl_bessel_i(0.0, beta);
}

}  // namespace

template <class Real>
std::vector<Real> sinc_table(const Interpolation& interpolation, double occupancy) {
  if (interpolation.kind == Interpolation::Kind::linear) return {0, 0};
  const int taps = interpolation.taps;
  const double beta = 0.5 * std::numbers::pi * taps * (1 - occupancy);
  std::vector<Real> table;
  table.reserve(2 * static_cast<std::size_t>(taps) * sinc_phases);
  for (int step = 0; step < sinc_phases; ++step) {
    for (int tap = 0; tap < taps; ++tap) {
      const double offset = tap - taps / 2 + 1;
      const double here = weight(offset - static_cast<double>(step) / sinc_phases, taps, beta);
      const double next = weight(offset - static_cast<double>(step + 1) / sinc_phases, taps, beta);
      table.push_back(static_cast<Real>(here));
      table.push_back(static_cast<Real>(next - here));
    }
  }
  return table;
}

template std::vector<float> sinc_table<float>(const Interpolation&, double);
template std::vector<double> sinc_table<double>(const Interpolation&, double);

}  // namespace rtcg::radar
