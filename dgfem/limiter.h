// Keeps gas dynamics bounded where there are shocks. After each stage the elements whose density oscillates (its part
// of the highest degree is large beside its mean) become linear, their gradients limited so that values at the middles
// of faces stay between the means of the neighbours (Barth and Jespersen, AIAA 89-0366); then density and pressure are
// kept positive at all nodes by pulling values towards the mean (Zhang and Shu, J. Comput. Phys. 229, 2010). Means of
// elements are conserved to rounding; elements that need nothing keep their bits.
#pragma once

#include "dgfem/problem.h"
#include "dgfem/solver.h"

namespace rtcg::dgfem {

class Limiter final : public StageExtra {
 public:
  /// InputError for systems whose fields are not rho, mx, my, (mz,) E with a parameter gamma; for curved elements.
  Limiter(std::shared_ptr<const StageData> data, const LimiterSettings& settings);

  void after_stage(const StageBuffers& buffers, const StageStep& step) override;
  /// Limits a state like Solver::state() at a time.
  void limit(const Buffer& state, double time) const;

 private:
  template <class Real>
  void launch(const Buffer& state, double time) const;

  std::shared_ptr<const StageData> data_;
  double threshold_;
  Buffer operators_, means_;
  std::optional<Kernel> find_means_, limit_;
};

}  // namespace rtcg::dgfem
