// What a Runge-Kutta stage of a nodal scheme on straight tetrahedra moves and computes: the figures that times are held
// against. A degree of freedom is a node's field; both rules are for 6 fields (Maxwell's equations in space).
#pragma once

#include <cstddef>

namespace rtcg::bench {

struct StageWork {
  int order;
  std::size_t real_bytes;

  double nodes() const;
  double face_nodes() const;
  /// Dense derivatives and LIFT applied once, and 66 a node and 60 a face node for curls, fluxes and the update.
  double flops_per_dof() const;
  /// A fused stage: fields in and out, the residual in and out, the neighbours' traces as if nothing of them were in a
  /// cache, 25 words of geometry and 20 bytes of links an element.
  double bytes_per_dof() const;
  /// As the authors of hedge counted for theirs (MIDG2): 36 Np^2 + 66 Np + 244 Nfp + Np (48 Nfp + 6) + 24 Np an
  /// element.
  double paper_flops_per_dof() const;
};

}  // namespace rtcg::bench
