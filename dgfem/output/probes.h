// Fields at given points, worked out on the device: only the values asked for come to the host, one copy
// for each sample. A point on a face, edge or vertex is read from one of its elements, always the same.
#pragma once

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

}  // namespace rtcg::dgfem
