// From earth-centred coordinates (WGS 84) to the frame images are formed in: origin in the scene, z up.
#pragma once

#include <Eigen/Geometry>

#include "radar/vector.h"

namespace rtcg::radar {

struct LocalFrame {
  Vec3 origin = Vec3::Zero();                          ///< earth-centred, m
  Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();  ///< rows: the frame's x, y, z as earth-centred unit vectors
  Vec3 to_local(const Vec3& earth) const { return axes * (earth - origin); }
};

/// Normal of the ellipsoid below or above the point, outwards.
Vec3 geodetic_up(const Vec3& earth);
/// x east, y north, z up; at a pole, east is the direction of 90 degrees of longitude.
LocalFrame east_north_up(const Vec3& origin);

}  // namespace rtcg::radar
