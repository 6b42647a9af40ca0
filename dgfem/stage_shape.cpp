#include "dgfem/stage_shape.h"

#include "dgfem/lattice.h"

namespace rtcg::dgfem {

StageShape::StageShape(const System& system, ElementType type, int of_order, ScalarType real)
    : dimension(dimension_of(type)),
      order(of_order),
      faces(faces_of(type)),
      orientations(orientations_of(type)),
      nodes(nodes_of(type, of_order)),
      face_nodes(face_nodes_of(type, of_order)),
      fields(static_cast<int>(system.fields.size())),
      is_linear(system.is_linear()),
      precision(real) {}

}  // namespace rtcg::dgfem
