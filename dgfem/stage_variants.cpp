#include "dgfem/stage_variants.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "dgfem/lane_stage.h"
#include "dgfem/portable_stage.h"
#include "dgfem/tensor_stage.h"
#include "dgfem/tiled_stage.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

std::span<const StageVariant> stage_variants() {
  static constexpr std::array variants{
      StageVariant{"lanes", lane_stage_serves, add_lane_parameters, lane_stage_demand, make_lane_stage},
      StageVariant{"tensor", tensor_stage_serves, add_tensor_parameters, tensor_stage_demand, make_tensor_stage},
      StageVariant{"tiled", tiled_stage_serves, add_tiled_parameters, tiled_stage_demand, make_tiled_stage},
      StageVariant{"portable", [](const Device&, const StageShape&) { return true; }, add_portable_parameters,
                   portable_stage_demand, make_portable_stage},
  };
  return variants;
}

const StageVariant& stage_variant(std::string_view name) {
  std::vector<std::string_view> known;
  for (const StageVariant& variant : stage_variants()) {
    if (variant.name == name) return variant;
    known.push_back(variant.name);
  }
  throw UsageError(fmt::format("no kernel of a stage is called \"{}\"; there are {}", name, fmt::join(known, ", ")));
}

ParameterSpace stage_space(const Device& device, const StageShape& shape) {
  std::vector<const StageVariant*> serving;
  std::vector<ParameterValue> names;
  for (const StageVariant& variant : stage_variants())
    if (variant.serves(device, shape)) {
      serving.push_back(&variant);
      names.emplace_back(std::string(variant.name));
    }
  ParameterSpace space;
  // With few nodes the blocks of tensor cores are mostly padding.
  const bool skips_first = serving.front()->name == "tensor" && shape.nodes < 20;
  space.parameter("kernel", names, names[skips_first ? 1 : 0]);
  for (const StageVariant* variant : serving) {
    const std::size_t before = space.parameters().size();
    variant->add_parameters(space, device, shape);
    // Parameters of variants that were not chosen stay at their defaults, so that no configuration is met twice.
    for (std::size_t k = before; k < space.parameters().size(); ++k) {
      const ParameterSpace::Parameter& parameter = space.parameters()[k];
      space.constraint(
          fmt::format("{} belongs to another kernel", parameter.name), {"kernel", parameter.name},
          [own = std::string(variant->name), name = parameter.name, standard = parameter.standard](
              const Configuration& choice) { return choice.word("kernel") == own || *choice.find(name) == standard; });
    }
  }
  return space;
}

std::unique_ptr<StageKernel> make_stage(std::shared_ptr<const StageData> data, const Configuration& choice) {
  const ParameterSpace space = stage_space(data->stream.device(), StageShape(*data->mesh, data->precision));
  if (const std::string objection = space.objection(choice); !objection.empty())
    throw UsageError(fmt::format("this stage cannot be computed by {}: {}", choice.text(), objection));
  return stage_variant(choice.word("kernel")).make(std::move(data), choice);
}

}  // namespace rtcg::dgfem
