// The stage as the tuner sees it: which kernels and parameters there are for a system, an element, an order and a
// precision on a device, and how one is tried.
#pragma once

#include "dgfem/stage_variants.h"
#include "rtcg/tune/registry.h"

namespace rtcg::dgfem {

/// Family "dg_stage"; unit "DOF" (a node's field, one stage). The trial is a periodic box of some `elements` elements
/// with random fields; rates of elements from all over it are compared with those of formula_rate.h.
Tunable describe_stage(const Device& device, const std::shared_ptr<const System>& system, const StageShape& shape,
                       std::size_t elements);

/// What is known to be best for the problem, else the default. Never tunes.
Configuration chosen_stage(const Device& device, const Discretization& mesh, ScalarType precision);

/// Adds the family "dg_stage" to what can be tuned by name: of the shipped systems.
void add_stages(TunableRegistry& registry);

}  // namespace rtcg::dgfem
