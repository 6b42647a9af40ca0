// How a variant of the stage is tried: a periodic box of one material with fields near a state that every shipped
// system allows.
#pragma once

#include "dgfem/stage.h"
#include "rtcg/tune/trial.h"

namespace rtcg::dgfem {

class StageTrial final : public Trial {
 public:
  StageTrial(const Stream& stream, std::shared_ptr<const System> system, ElementType type, int order,
             ScalarType precision, std::size_t elements);

  std::function<void()> prepare(const Configuration& configuration) override;
  std::vector<const GuardedOutput*> outputs() const override { return {&next_, &residual_}; }
  /// NumericalError when new fields or residuals are farther from the host's than roundings explain.
  void check() override;

 private:
  std::size_t row_size() const {
    return static_cast<std::size_t>(mesh_->nodes()) * static_cast<std::size_t>(mesh_->fields());
  }
  std::vector<double> row_of(const Buffer& buffer, std::size_t element) const;

  std::shared_ptr<const Discretization> mesh_;
  std::shared_ptr<const StageData> data_;
  std::vector<double> start_;  ///< [element][node][field], rounded to the precision
  Buffer q_;
  GuardedOutput next_, residual_;
  std::vector<std::size_t> sample_;
  std::vector<std::vector<double>> expected_;  ///< rates of the sample, computed when asked for first
};

}  // namespace rtcg::dgfem
