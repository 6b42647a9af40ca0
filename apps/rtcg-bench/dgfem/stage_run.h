// A stage's kernel with a state of random numbers, ready to be run again and again, and whether its rates are right.
#pragma once

#include <memory>
#include <vector>

#include "apps/rtcg-bench/record.h"
#include "dgfem/host/host_mesh.h"
#include "dgfem/stage_variants.h"

namespace rtcg::bench {

class StageRun {
 public:
  StageRun(std::shared_ptr<const dgfem::StageData> data, const Configuration& choice);

  /// Queues one stage; the state moves, by little.
  void operator()();
  /// Runs once and compares the residual of a sample's elements with the host solver's rates. DeviceError when they are
  /// farther apart than roundings explain.
  void check(const dgfem::HostSample& sample);

 private:
  std::shared_ptr<const dgfem::StageData> data_;
  std::unique_ptr<dgfem::StageKernel> stage_;
  dgfem::StageBuffers buffers_;
};

/// Elements from all over the mesh, the first and the last among them.
dgfem::HostSample sample_of(const dgfem::Discretization& mesh);

}  // namespace rtcg::bench
