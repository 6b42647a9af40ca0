// A stage's kernel with a state of random numbers, ready to be run again and again, and whether its rates are right.
#pragma once

#include <memory>

#include "apps/rtcg-bench/record.h"
#include "dgfem/stage_variants.h"

namespace rtcg::bench {

class StageRun {
 public:
  StageRun(std::shared_ptr<const dgfem::StageData> data, const Configuration& choice);

  /// Queues one stage; the state moves, by little.
  void operator()();
  /// Runs once and compares the residual of elements from all over the mesh with the host solver's. DeviceError when
  /// they are farther apart than roundings explain.
  void check();
  /// Of state, residual, geometry and links.
  double bytes() const;

 private:
  std::shared_ptr<const dgfem::StageData> data_;
  std::unique_ptr<dgfem::StageKernel> stage_;
  dgfem::StageBuffers buffers_;
};

}  // namespace rtcg::bench
