// How long a step may be. The bound is measured, not estimated: eigenvalues of the upwind operator for advection on a
// periodic lattice of simplices, over directions of flow and Bloch phases, against a scheme's region of stability. It
// is kept as a table, in units of inradius / speed; docs/dgfem.md says how it is made, stability_test.cpp makes it
// again.
#pragma once

#include <Eigen/Core>

#include "dgfem/element_type.h"
#include "dgfem/time_scheme.h"

namespace rtcg::dgfem {

/// The largest stable dt x speed / inradius at this order, 1 to 10, for upwind fluxes; central ones allow at least it.
double stability_limit(const TimeScheme& scheme, ElementType type, int order);

/// Eigenvalues x inradius / speed of the upwind operator for advection along `direction` (of length one) on the
/// lattice of the box mesh's cells, with phase factors exp(i phase[d]) from a cell to the next along axis d.
Eigen::VectorXcd advection_spectrum(ElementType type, int order, const Eigen::Vector3d& direction,
                                    const Eigen::Vector3d& phase);
/// The largest s with |amplification(s lambda)| <= 1 for every eigenvalue.
double largest_scale(const TimeScheme& scheme, const Eigen::VectorXcd& eigenvalues);

}  // namespace rtcg::dgfem
