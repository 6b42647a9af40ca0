// The cells between the nodes of an element: what a viewer without high-order cells can draw.
#pragma once

#include <vector>

#include "dgfem/element_type.h"

namespace rtcg::dgfem {

/// order^2 triangles or order^3 tetrahedra that fill the element, as nodes in lattice order: [cell][vertex], each in
/// positive order.
std::vector<int> subcells(ElementType type, int order);

}  // namespace rtcg::dgfem
