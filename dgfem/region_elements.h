// Elements by the names of their regions, for what concerns a part of a mesh only.
#pragma once

#include <span>

#include "dgfem/discretization.h"

namespace rtcg::dgfem {

/// Ascending. InputError listing the regions there are when a name is none; `what` names who asks: "pml".
std::vector<std::int32_t> elements_of_regions(const Discretization& mesh, std::span<const std::string> names,
                                              const std::string& what);

}  // namespace rtcg::dgfem
