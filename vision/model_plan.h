// What a model does to images of a given size, before anything runs: the extents after each operator, the work of its
// filters, and how much of an image one feature sees.
#pragma once

#include "vision/model_description.h"

namespace rtcg::vision {

struct PlannedStep {
  std::size_t layer = 0;       ///< from 0
  const char* operation = "";  ///< "filter", "pool", "normalise", "resample": the keys of a layer; clips cost nothing
  std::size_t height = 0, width = 0, channels = 0;  ///< of what it gives
  double flops = 0;  ///< of filters, two for each multiply-add; the others are bound by memory
};

struct ModelPlan {
  std::vector<PlannedStep> steps;
  std::size_t height = 0, width = 0, channels = 0;  ///< of the features
  double flops = 0;                                 ///< of one image
  std::size_t largest_step = 0;                     ///< elements that the largest step reads and writes for one image

  std::size_t features() const { return height * width * channels; }
};

/// UsageError naming model, layer and operator where an image of this size has become too small.
ModelPlan plan_model(const ModelDescription& model, std::size_t height, std::size_t width);

/// Rows (and columns) of an image that one feature depends on, backwards through the operators: (n - 1) stride +
/// window. Resampling takes single places and does not count.
struct ReceptiveField {
  std::size_t height = 1, width = 1;
};
ReceptiveField receptive_field(const ModelDescription& model);

}  // namespace rtcg::vision
