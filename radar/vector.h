// Three-vectors of doubles: positions in metres.
#pragma once

#include <Eigen/Core>

namespace rtcg::radar {

using Vec3 = Eigen::Vector3d;

inline constexpr double speed_of_light = 299'792'458.0;  // m/s

// What positions, ranges and frequencies may reach: far beyond every radar, yet safe to square and to count in bins.
inline constexpr double length_limit = 1e12;     // m
inline constexpr double frequency_limit = 1e15;  // Hz

}  // namespace rtcg::radar
