// Sources: formulas of place and time that add to the rate of change of fields, everywhere or in a region.
#pragma once

#include "dgfem/problem.h"
#include "dgfem/solver.h"

namespace rtcg::dgfem {

/// InputError for a region that the mesh lacks, fields that the system lacks, and formulas, with a caret.
std::shared_ptr<StageExtra> make_source(std::shared_ptr<const StageData> data, const SourceTerm& source);

}  // namespace rtcg::dgfem
