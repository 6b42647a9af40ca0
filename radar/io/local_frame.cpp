#include "radar/io/local_frame.h"

#include <cmath>

namespace rtcg::radar {
namespace {

constexpr double semi_major = 6378137.0;          // m, WGS 84
constexpr double flattening = 1 / 298.257223563;  // WGS 84
constexpr double eccentricity_squared = flattening * (2 - flattening);

struct Geodetic {
  double latitude = 0, longitude = 0;
};

// Fixed point of tan(lat) = (z + e^2 N sin(lat)) / p: each round gains a factor e^2 = 1/150.
Geodetic geodetic(const Vec3& earth) {
  const double p = std::hypot(earth.x(), earth.y());
  double latitude = std::atan2(earth.z(), p * (1 - eccentricity_squared));
  for (int round = 0; round < 10; ++round) {
    const double sine = std::sin(latitude);
    latitude = std::atan2(
        earth.z() + eccentricity_squared * semi_major / std::sqrt(1 - eccentricity_squared * sine * sine) * sine, p);
  }
  return {latitude, std::atan2(earth.y(), earth.x())};
}

}  // namespace

Vec3 geodetic_up(const Vec3& earth) {
  const Geodetic at = geodetic(earth);
  return {std::cos(at.latitude) * std::cos(at.longitude), std::cos(at.latitude) * std::sin(at.longitude),
          std::sin(at.latitude)};
}

LocalFrame east_north_up(const Vec3& origin) {
  const double longitude = geodetic(origin).longitude;
  const Vec3 up = geodetic_up(origin), east{-std::sin(longitude), std::cos(longitude), 0};
  LocalFrame frame{origin, {}};
  frame.axes.row(0) = east;
  frame.axes.row(1) = up.cross(east);
  frame.axes.row(2) = up;
  return frame;
}

}  // namespace rtcg::radar
