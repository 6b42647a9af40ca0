#include "radar/geometry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace rtcg::radar {

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double quotient(double a, double b) {
  return b > 0 ? a / b : infinite;
}

double round_down(double value) {
  const double decade = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {5.0, 2.0})
    if (factor * decade <= value * (1 + 1e-12)) return factor * decade;
  return decade;
}

}  // namespace

Geometry geometry_of(const Collection& collection) {
  Geometry geometry;
  const std::size_t pulses = collection.pulses();
  double unwrapped = 0, least = 0, most = 0, before = 0, highest_frequency = 0;
  for (std::size_t p = 0; p < pulses; ++p) {
    const Vec3& antenna = collection.antenna[p];
    const double ground = std::hypot(antenna.x(), antenna.y()), azimuth = std::atan2(antenna.y(), antenna.x());
    geometry.slant_range += collection.reference_range[p] / static_cast<double>(pulses);
    geometry.elevation += std::atan2(antenna.z(), ground) / static_cast<double>(pulses);
    if (p == 0) {
      unwrapped = least = most = azimuth;
    } else {
      const double turn = std::remainder(azimuth - before, 2 * std::numbers::pi);
      geometry.largest_turn = std::max(geometry.largest_turn, std::abs(turn));
      unwrapped += turn;
      least = std::min(least, unwrapped), most = std::max(most, unwrapped);
    }
    before = azimuth;
    highest_frequency =
        std::max(highest_frequency, collection.first_frequency[p] +
                                        static_cast<double>(collection.samples - 1) * collection.frequency_step[p]);
  }
  geometry.aperture = std::min(most - least, 2 * std::numbers::pi);
  geometry.azimuth = std::remainder(0.5 * (least + most), 2 * std::numbers::pi);
  geometry.range_direction = {std::cos(geometry.azimuth), std::sin(geometry.azimuth), 0};

  const double flat = std::cos(geometry.elevation) > 1e-9 ? std::cos(geometry.elevation) : 0;
  const double wavelength = speed_of_light / collection.centre_frequency();
  geometry.slant_swath = collection.swath();
  geometry.ground_swath = quotient(geometry.slant_swath, flat);
  geometry.range_resolution = quotient(speed_of_light, 2 * collection.bandwidth() * flat);
  geometry.cross_range_resolution =
      quotient(wavelength, 4 * std::sin(0.5 * std::min(geometry.aperture, std::numbers::pi)) * flat);
  geometry.cross_range_swath = quotient(speed_of_light, 2 * highest_frequency * geometry.largest_turn * flat);
  return geometry;
}

ImageGrid suggested_grid(const Geometry& geometry, std::size_t most) {
  ImageGrid grid;
  const double finest = std::min(geometry.range_resolution, geometry.cross_range_resolution);
  grid.dx = grid.dy = std::isfinite(finest) ? round_down(0.5 * finest) : 1.0;
  const double extent = std::min(geometry.ground_swath, geometry.cross_range_swath);
  const double pixels = std::isfinite(extent) ? std::floor(extent / grid.dx) : static_cast<double>(most);
  grid.nx = grid.ny = static_cast<std::size_t>(std::clamp(pixels, 1.0, static_cast<double>(most)));
  return grid;
}

double slant_reach(const Collection& collection, const ImageGrid& grid) {
  double reach = 0;
  for (const std::size_t k : {std::size_t{0}, grid.nz - 1})
    for (const std::size_t j : {std::size_t{0}, grid.ny - 1})
      for (const std::size_t i : {std::size_t{0}, grid.nx - 1}) {
        const Vec3 corner = grid.position(i, j, k);
        for (std::size_t p = 0; p < collection.pulses(); ++p)
          reach = std::max(reach, std::abs((collection.antenna[p] - corner).norm() - collection.reference_range[p]));
      }
  return reach;
}

}  // namespace rtcg::radar
