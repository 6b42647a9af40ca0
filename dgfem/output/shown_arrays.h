// How a system's fields are shown: vectors together, the others one by one.
#pragma once

#include "dgfem/system.h"

namespace rtcg::dgfem {

/// The system's vectors, then the fields that belong to none as "vectors" of one component.
std::vector<VectorField> shown_arrays(const System& system);

}  // namespace rtcg::dgfem
