// The kernels that can compute a stage. A variant is one file NAME_stage.cpp with its text in kernels/ and one line in
// the list of stage_variants.cpp; it is then a value of the tuning parameter "kernel", checked and timed as the others
// are.
#pragma once

#include <span>

#include "dgfem/stage.h"
#include "dgfem/stage_shape.h"
#include "rtcg/tune/tunable.h"

namespace rtcg::dgfem {

struct StageVariant {
  std::string_view name;
  /// Whether it can be used at all: device, architecture, what the shape rules out.
  bool (*serves)(const Device& device, const StageShape& shape);
  /// Its own parameters, each name beginning with the variant's and a dot ("tiled.lanes"), with defaults that are good
  /// for this shape, and its constraints. Those hold also where another variant is chosen.
  void (*add_parameters)(ParameterSpace& space, const Device& device, const StageShape& shape);
  Demand (*demand)(const StageShape& shape, const Configuration& choice);
  std::unique_ptr<StageKernel> (*make)(std::shared_ptr<const StageData> data, const Configuration& choice);
};

/// All there are, in the order of preference where nothing is known: the first that serves is the default.
std::span<const StageVariant> stage_variants();
/// UsageError listing what there is.
const StageVariant& stage_variant(std::string_view name);

/// "kernel" and each serving variant's own parameters.
ParameterSpace stage_space(const Device& device, const StageShape& shape);
/// The configuration's kernel. UsageError for one that is not of stage_space().
std::unique_ptr<StageKernel> make_stage(std::shared_ptr<const StageData> data, const Configuration& choice);

}  // namespace rtcg::dgfem
