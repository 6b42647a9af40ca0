// What the size of a stage's tiles depends on: known without a mesh, so that a tuner can ask for variants of a problem
// that is not there.
#pragma once

#include "dgfem/discretization.h"
#include "rtcg/device/argument.h"

namespace rtcg::dgfem {

struct StageShape {
  StageShape(const System& system, ElementType type, int of_order, ScalarType real);
  StageShape(const Discretization& mesh, ScalarType real)
      : StageShape(*mesh.system, mesh.mesh.type, mesh.reference.order(), real) {}

  int traces() const { return faces * face_nodes; }
  int columns() const { return (nodes + 1) / 2 * 2; }  ///< of the derivatives, kernels read two at once
  int lift_columns() const { return (traces() + 1) / 2 * 2; }

  int dimension, order, faces, orientations, nodes, face_nodes, fields;
  bool is_linear;
  ScalarType precision;
};

}  // namespace rtcg::dgfem
