// Fields on a plane across the mesh: a regular grid of points, worked out on the device, for pictures and for ParaView.
#pragma once

#include <filesystem>

#include "dgfem/output/probes.h"

namespace rtcg::dgfem {

/// A regular grid of points over the mesh's extent, at right angles to one axis.
struct Plane {
  std::string name;
  int normal = 2;                               ///< the axis, 0 to 2; of a mesh of triangles 2
  double at = 0;                                ///< where on that axis; of a mesh of triangles not looked at
  std::array<std::size_t, 2> points{256, 256};  ///< along the other axes in ascending order
};

class PlaneProbe {
 public:
  /// InputError when no point of the plane is in the mesh, with the mesh's extent; UsageError for an axis that is none
  /// and fewer than 2 points along one.
  PlaneProbe(const Solver& solver, const Plane& plane);
  const Plane& plane() const { return plane_; }
  Point origin() const { return origin_; }
  std::array<double, 2> spacing() const { return spacing_; }
  /// [field][second axis][first axis]; NaN outside of the mesh.
  std::vector<double> operator()(const Solver& solver) const;
  /// A VTK image (.vti) of these values, vectors as in field_file.h; InputError when it cannot be written.
  void write(const std::filesystem::path& file, const System& system, std::span<const double> values,
             double time) const;

 private:
  Plane plane_;
  Point origin_{};
  std::array<double, 2> spacing_{};
  std::array<int, 2> axes_{};
  std::size_t fields_;
  std::vector<std::size_t> place_;  // [sampled point]: its pixel
  std::optional<PointSampler> sampler_;
};

}  // namespace rtcg::dgfem
