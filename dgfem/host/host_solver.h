// Maxwell's equations in space and sound on straight simplices by C++ for the host's cores, written by hand: what the
// generated kernels are checked against and what they are measured beside. Elements are taken as many at a time as a
// vector register has lanes, their rates are one product of [derivatives, LIFT] with reference fluxes and face terms,
// and blocks of elements are shared among OpenMP's threads. Built with -O3 -march=native; not part of an installation.
#pragma once

#include <memory>

#include "dgfem/host/host_mesh.h"

namespace rtcg::dgfem {

/// Real is float or double. Fields are [element][node][field], numbered as in the HostMesh: E then H, or p then the
/// velocity. Sums have a fixed order: the result does not depend on the number of threads.
template <class Real>
class HostSolver {
 public:
  virtual ~HostSolver() = default;
  virtual void rate(const Real* q, Real* rate) const = 0;
  /// residual = a residual + dt rate(q); q_new = q + b residual. With a = 0 the residual is not read.
  virtual void stage(const Real* q, Real* q_new, Real* residual, Real a, Real b, Real dt) const = 0;
};

/// alpha: upwinding between elements and at walls that do not absorb, 0 central to 1 upwind. threads: 0 for all.
template <class Real>
std::unique_ptr<HostSolver<Real>> make_host_solver(std::shared_ptr<const HostMesh> mesh, double alpha = 1,
                                                   int threads = 0);

extern template std::unique_ptr<HostSolver<float>> make_host_solver<float>(std::shared_ptr<const HostMesh>, double,
                                                                           int);
extern template std::unique_ptr<HostSolver<double>> make_host_solver<double>(std::shared_ptr<const HostMesh>, double,
                                                                             int);

}  // namespace rtcg::dgfem
