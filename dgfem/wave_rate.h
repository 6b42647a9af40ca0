// How fast waves cross elements where their speed depends on the state: what the step of a nonlinear system follows
// from. It is worked out on the device for a state as it is; a copy of one number comes to the host.
#pragma once

#include "dgfem/stage.h"
#include "rtcg/compile/kernel.h"

namespace rtcg::dgfem {

class WaveRate {
 public:
  explicit WaveRate(std::shared_ptr<const StageData> data);

  /// The largest of System::speed / inradius over all nodes, in 1 / time, of a state like Solver::state(). NaN where
  /// the speed of any node is (a gas of negative pressure).
  double operator()(const Buffer& state) const;

 private:
  std::shared_ptr<const StageData> data_;
  std::optional<Kernel> kernel_;
  Buffer materials_, inverse_radius_, rate_;
};

}  // namespace rtcg::dgfem
