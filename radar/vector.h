// Three-vectors of doubles: positions in metres.
#pragma once

#include <Eigen/Core>

namespace rtcg::radar {

using Vec3 = Eigen::Vector3d;

inline constexpr double speed_of_light = 299'792'458.0;  // m/s

}  // namespace rtcg::radar
