// Gmsh's numbers of element types. Shared by reader and writer.
#pragma once

#include <optional>

#include "dgfem/element_type.h"

namespace rtcg::dgfem {

struct GmshElement {
  int dimension = 0;
  int nodes = 0;
  int order = 0;          ///< of complete simplices; 0 for any other shape
  const char* name = "";  ///< for messages
};

/// What a type number means; nothing for numbers that Gmsh does not use or that are not known here.
std::optional<GmshElement> gmsh_element(int type);
/// The number of the complete simplex of this dimension (1 to 3) and order (1 to 10).
int gmsh_type(int dimension, int order);

}  // namespace rtcg::dgfem
