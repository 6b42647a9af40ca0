// Runge-Kutta schemes that keep one residual beside the state (Williamson's 2N form): stage s of a step of length dt is
//
//   residual = a[s] residual + dt rate(q, t + c[s] dt);   q = q + b[s] residual
//
// with a[0] = 0, so that the residual of the step before is not read.
#pragma once

#include <string>
#include <vector>

namespace rtcg::dgfem {

struct TimeScheme {
  std::string name;
  int order = 0;
  std::vector<double> a, b, c;  ///< [stage]

  std::size_t stages() const { return a.size(); }
};

/// Carpenter and Kennedy (NASA TM-109112, 1994): 5 stages, order 4.
const TimeScheme& lsrk45();

}  // namespace rtcg::dgfem
