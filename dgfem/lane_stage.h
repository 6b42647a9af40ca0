// The fused stage for CPUs: as many elements as a vector has lanes are computed at once, so that fluxes, faces and the
// product with [derivatives, LIFT] are all work on whole vectors. kernels/stage_lanes.cl. Its parameters:
//   lanes.width  elements of a block: lanes of a vector
//   lanes.rows   nodes whose rates stay in registers during the product
#pragma once

#include "dgfem/stage.h"
#include "dgfem/stage_shape.h"
#include "rtcg/tune/tunable.h"

namespace rtcg::dgfem {

bool lane_stage_serves(const Device& device, const StageShape& shape);
void add_lane_parameters(ParameterSpace& space, const Device& device, const StageShape& shape);
Demand lane_stage_demand(const StageShape& shape, const Configuration& choice);
std::unique_ptr<StageKernel> make_lane_stage(std::shared_ptr<const StageData> data, const Configuration& choice);

}  // namespace rtcg::dgfem
