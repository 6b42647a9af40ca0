// Runge-Kutta schemes that keep one residual beside the state (Williamson's 2N form): stage s of a step of length dt is
//
//   residual = a[s] residual + dt rate(q, t + c[s] dt);   q = q + b[s] residual
//
// with a[0] = 0, so that the residual of the step before is not read.
#pragma once

#include <complex>
#include <string>
#include <string_view>
#include <vector>

namespace rtcg::dgfem {

struct TimeScheme {
  std::string name;
  int order = 0;
  std::vector<double> a, b, c;  ///< [stage]

  std::size_t stages() const { return a.size(); }
  /// What a step multiplies the solution of dq/dt = lambda q by, z = lambda dt.
  std::complex<double> amplification(std::complex<double> z) const;
};

/// Carpenter and Kennedy (NASA TM-109112, 1994): 5 stages, order 4.
const TimeScheme& lsrk45();
/// Niegemann, Diehl and Busch (J. Comput. Phys. 231, 2012): 14 stages, order 4, with a region of stability made for
/// upwind discontinuous Galerkin: steps are longer by more than the stages.
const TimeScheme& lsrk144();

/// "lsrk45", "lsrk144"; InputError listing them.
const TimeScheme& time_scheme(std::string_view name);
std::vector<std::string> time_schemes();

}  // namespace rtcg::dgfem
