// The fused stage for NVIDIA GPUs with asynchronous copies (compute capability 8.0 and up), of linear systems:
// kernels/stage_tiles.cu. Its parameters:
//   tiled.lanes      nodes of one element that a thread computes at once, with all fields
//   tiled.elements   of a tile, a multiple of 8
//   tiled.teams      tiles that a work-group has in hand, each with its own warps and its own barrier
//   tiled.blocks     work-groups a multiprocessor is to hold: bounds registers
//   tiled.unroll     pairs of columns in one body
//   tiled.chunk      0: the operators stay in shared memory; else they stream through it, so many columns at a time
//   tiled.shared     neighbours of the same tile are read from shared memory
#pragma once

#include "dgfem/stage.h"
#include "dgfem/stage_shape.h"
#include "rtcg/tune/tunable.h"

namespace rtcg::dgfem {

/// Whether it can be used at all: the device, the system, and shared memory for one tile.
bool tiled_stage_serves(const Device& device, const StageShape& shape);
/// With defaults that are good for the shape, as measured on an H200, and constraints.
void add_tiled_parameters(ParameterSpace& space, const Device& device, const StageShape& shape);
Demand tiled_stage_demand(const StageShape& shape, const Configuration& choice);
/// The text of a configuration, for CUDA whatever the device of the data.
Source tiled_stage_source(const StageData& data, const Configuration& choice);
std::unique_ptr<StageKernel> make_tiled_stage(std::shared_ptr<const StageData> data, const Configuration& choice);

}  // namespace rtcg::dgfem
