// A model that runs: a description with its filters on a device. All layers stay there; what lies between two operators
// comes from the pool and goes back to it.
#pragma once

#include <memory>

#include "rtcg/array/array.h"
#include "vision/model_plan.h"

namespace rtcg::vision {

class Model {
 public:
  /// Makes or reads the filters. InputError for files of filters that do not fit, UsageError for layers that do not.
  Model(const Stream& stream, ModelDescription description);

  /// images [image, y, x, channel], of the description's channels and any size the layers leave something of (the
  /// input's sizes are the image readers' business); float32 features [image, y, x, feature].
  Array operator()(const Array& images) const;

  /// Compiles all kernels that this many images of this size need, at once on all cores; without it the first call
  /// compiles one after the other. Cheap when done before.
  void prepare(std::size_t images, std::size_t height, std::size_t width) const;

  const ModelDescription& description() const;
  const Stream& stream() const;
  /// Images of this size that one call should get: enough to fill the device, within a share of its memory.
  std::size_t batch(std::size_t height, std::size_t width) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// The filters of a stage as [filter, y, x, channel]. "uniform": the numbers of numpy.random.RandomState(seed).uniform
/// of that shape, each filter less its mean and of unit length.
Array make_filters(const Stream& stream, const FilterStage& stage, std::size_t channels);

}  // namespace rtcg::vision
