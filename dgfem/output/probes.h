// Fields at given points and on planes, worked out on the device: only the values asked for come to the host, one copy
// for each sample. A point on a face, edge or vertex is read from one of its elements, always the same.
#pragma once

#include <filesystem>

#include "dgfem/locate.h"
#include "dgfem/solver.h"
#include "rtcg/compile/kernel.h"

namespace rtcg::dgfem {

struct Probe {
  std::string name;
  Point at{};
};

/// Values of every field at points of the mesh.
class PointSampler {
 public:
  PointSampler(const Solver& solver, std::span<const Located> points);
  std::size_t points() const { return points_; }
  /// [point][field], of a state like Solver::state().
  std::vector<double> operator()(const Buffer& state) const;

 private:
  std::shared_ptr<const StageData> data_;
  std::size_t points_;
  std::optional<Kernel> kernel_;
  Buffer element_, rows_, values_;
};

class Probes {
 public:
  /// InputError naming a probe that is in no element and the mesh's extent, or a name used twice.
  Probes(const Solver& solver, std::vector<Probe> probes);
  const std::vector<Probe>& probes() const { return probes_; }
  /// [probe x field]: "NAME.FIELD"
  const std::vector<std::string>& columns() const { return columns_; }
  /// [probe][field]
  std::vector<double> operator()(const Solver& solver) const { return sampler_(solver.state()); }

 private:
  std::vector<Probe> probes_;
  std::vector<std::string> columns_;
  PointSampler sampler_;
};

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
