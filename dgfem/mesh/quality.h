// How well shaped a mesh's straight elements are, and how small: what the time step and the condition of the operators
// depend on.
#pragma once

#include "dgfem/mesh/mesh.h"

namespace rtcg::dgfem {

struct ElementShape {
  double measure = 0;  ///< area or volume
  double inradius = 0, circumradius = 0;
  double shortest_edge = 0, longest_edge = 0;
  /// dimension x inradius / circumradius: 1 for a regular element, 0 for a flat one (or one so
  /// small or large that a radius is beyond a double).
  double radius_ratio = 0;
};
ElementShape element_shape(const Mesh& mesh, std::size_t e);

struct MeshQuality {
  double measure = 0;  ///< of all, as straight elements
  double smallest_measure = 0, largest_measure = 0;
  double shortest_edge = 0, longest_edge = 0;
  double smallest_inradius = 0;
  double worst_ratio = 0, mean_ratio = 0;
  std::size_t worst_element = 0;
  std::array<std::size_t, 10> histogram{};  ///< elements by radius_ratio in tenths
};
MeshQuality mesh_quality(const Mesh& mesh);

}  // namespace rtcg::dgfem
