// How long a step may be. The bound is measured, not estimated: eigenvalues of the upwind operators for sound and light
// on a periodic lattice of simplices, over Bloch phases, against a scheme's region of stability. It
// is kept as a table, in units of inradius / speed; docs/dgfem.md says how it is made, stability_test.cpp makes it
// again.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "dgfem/element_type.h"
#include "dgfem/time_scheme.h"

namespace rtcg::dgfem {

/// The largest stable dt x speed / inradius at this order, 1 to 10, for upwind fluxes; central ones allow at least it.
double stability_limit(const TimeScheme& scheme, ElementType type, int order);

/// The matrices A_d of a symmetric system with speed one, dq/dt + sum_d A_d dq/dx_d = 0.
using SymmetricSystem = std::vector<Eigen::MatrixXd>;
SymmetricSystem acoustic_system(int dimension);
SymmetricSystem maxwell_system();  ///< in space

/// Eigenvalues x inradius / speed of the system's upwind operator on the lattice of the box mesh's cells, with phase
/// factors exp(i phase[d]) from a cell to the next along axis d.
Eigen::VectorXcd upwind_spectrum(ElementType type, int order, const SymmetricSystem& system,
                                 const Eigen::Vector3d& phase);
/// The largest s with |amplification(s lambda)| <= 1 for every eigenvalue.
double largest_scale(const TimeScheme& scheme, const Eigen::VectorXcd& eigenvalues);

}  // namespace rtcg::dgfem
