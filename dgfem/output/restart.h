// A solver's state as a checkpoint, and back. A run that goes on from a checkpoint of the same order, precision and
// device gives the bits of a run without a break, as long as both take the same steps.
#pragma once

#include "dgfem/output/checkpoint.h"
#include "dgfem/solver.h"

namespace rtcg::dgfem {

/// Fields, clock, step, and what absorbing layers and the like have to keep. `numbers` and `series` are left to whoever
/// has some.
Checkpoint checkpoint_of(const Solver& solver);

/// Sets fields, clock and the state of the solver's extras; the step stays the solver's (Checkpoint::time_step has the
/// stored one). InputError, beginning with `name`, for a checkpoint of another problem, or whose extras are not the
/// solver's; the solver is then as it was.
void restart(Solver& solver, const Checkpoint& checkpoint, const std::string& name);

}  // namespace rtcg::dgfem
