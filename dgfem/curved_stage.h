// The stage on curved elements: weak form with over-integration and a weight-adjusted inverse of the mass matrix (Chan,
// Hewett and Warburton, SIAM J. Sci. Comput. 39, 2017), so that every element uses the same matrices and only factors
// at points are its own. Constants stay as they are to rounding, contents as far as 1 / J is resolved (fluxes between
// elements cancel), and systems may be nonlinear. Traces are interpolated from face nodes, which is also how straight
// neighbours see them.
#pragma once

#include "dgfem/stage.h"

namespace rtcg::dgfem {

/// For elements [mesh.straight, mesh.size()). Keeps the factors of every one: about (dimension^2 + 1) points of
/// integration reals, and the faces' normals; scratch for some thousand elements.
std::unique_ptr<StageKernel> make_curved_stage(std::shared_ptr<const StageData> data);

}  // namespace rtcg::dgfem
