// What a collection's geometry promises before an image is formed: where the radar looked from, the resolution of a
// point without weighting, and how large a scene stays free of ambiguities. Angles in radians, in the ground plane
// counted from +x towards +y; lengths in metres on the ground plane unless "slant" is said.
#pragma once

#include "radar/image.h"
#include "radar/pulses.h"

namespace rtcg::radar {

struct Geometry {
  double slant_range = 0;                ///< mean of the reference ranges
  double elevation = 0;                  ///< mean angle of the antenna above the ground, seen from the scene centre
  double azimuth = 0;                    ///< direction to the antenna: mean of the first and the last
  double aperture = 0;                   ///< azimuth swept, at most 2 pi
  double largest_turn = 0;               ///< widest azimuth between two neighbouring pulses
  Vec3 range_direction = Vec3::UnitX();  ///< unit vector on the ground, from the scene to the antenna
  double range_resolution = 0;           ///< Rayleigh, c / (2 B cos elevation)
  double cross_range_resolution =
      0;                         ///< Rayleigh, lambda / (4 sin(aperture / 2) cos elevation); infinite for one pulse
  double slant_swath = 0;        ///< c / (2 step)
  double ground_swath = 0;       ///< slant_swath / cos elevation
  double cross_range_swath = 0;  ///< lambda_min / (2 largest_turn cos elevation); infinite for one pulse
};

/// The collection must have passed its check(). Looking straight down leaves the ground resolutions infinite.
Geometry geometry_of(const Collection& collection);

/// A square grid about the scene centre that shows what the collection holds: pixels of half the finer resolution
/// (rounded down to 1, 2 or 5 times a power of ten), as wide as the swaths allow, at most `most` pixels to a side.
ImageGrid suggested_grid(const Geometry& geometry, std::size_t most = 1001);

/// Largest |slant range - reference range| of the grid's corners (heights at their own pixels) over all pulses.
double slant_reach(const Collection& collection, const ImageGrid& grid);

}  // namespace rtcg::radar
