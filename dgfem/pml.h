// Perfectly matched layers: regions that waves enter without reflection and die in. For systems that say along which
// axis each field points (System::pml_axes): Maxwell's equations and sound in the plane. With rates sx, sy, sz (1/s),
// of a field u along axis a, b and c being the others, and an auxiliary field P for each,
//
//   du/dt = ... - (sb + sc - sa) u - P,   dP/dt = - sa P + (sa - sb)(sa - sc) u
//
// which needs no derivative: the stage's kernels stay as they are. Rates grow from the layer's inner side as
// s = -(m + 1) c ln(R0) / (2 L) (depth / L)^m, where layers lie around the box that the other regions fill.
#pragma once

#include "dgfem/problem.h"
#include "dgfem/solver.h"

namespace rtcg::dgfem {

/// InputError for a system without axes, regions that the mesh lacks, layers that leave no inside.
std::shared_ptr<StageExtra> make_pml(std::shared_ptr<const StageData> data, const Pml& pml);

}  // namespace rtcg::dgfem
