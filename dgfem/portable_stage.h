// The stage for every device and system: kernels/stage.cl. Its parameters:
//   portable.fused     one kernel, or three: volume, surface, update
//   portable.elements  that a work-group owns
//   portable.lanes     nodes that an item computes at once: vectors on a CPU
#pragma once

#include "dgfem/stage.h"
#include "dgfem/stage_shape.h"
#include "rtcg/tune/tunable.h"

namespace rtcg::dgfem {

void add_portable_parameters(ParameterSpace& space, const Device& device, const StageShape& shape);
Demand portable_stage_demand(const StageShape& shape, const Configuration& choice);
std::unique_ptr<StageKernel> make_portable_stage(std::shared_ptr<const StageData> data, const Configuration& choice);

}  // namespace rtcg::dgfem
