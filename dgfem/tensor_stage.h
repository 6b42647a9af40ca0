// The fused stage in double precision on the tensor cores of NVIDIA GPUs, compute capability 8.0 and up, for linear
// systems with an even number of fields: kernels/stage_tensor.cu. Its parameters:
//   tensor.groups    of 8 elements in a block
//   tensor.warps     of a group, which share its nodes
//   tensor.resident  blocks a multiprocessor is to hold: bounds registers
//   tensor.depth     steps that the derivatives' entries are fetched ahead
#pragma once

#include "dgfem/stage.h"
#include "dgfem/stage_shape.h"
#include "rtcg/tune/tunable.h"

namespace rtcg::dgfem {

bool tensor_stage_serves(const Device& device, const StageShape& shape);
/// With defaults that are good for the shape, and constraints.
void add_tensor_parameters(ParameterSpace& space, const Device& device, const StageShape& shape);
Demand tensor_stage_demand(const StageShape& shape, const Configuration& choice);
/// The text of a configuration, for CUDA whatever the device of the data.
Source tensor_stage_source(const StageData& data, const Configuration& choice);
std::unique_ptr<StageKernel> make_tensor_stage(std::shared_ptr<const StageData> data, const Configuration& choice);

}  // namespace rtcg::dgfem
