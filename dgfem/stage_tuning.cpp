#include "dgfem/stage_tuning.h"

#include <fmt/format.h>

#include <algorithm>

#include "dgfem/stage_trial.h"
#include "dgfem/system_file.h"
#include "rtcg/tune/wisdom.h"

namespace rtcg::dgfem {

namespace {

constexpr const char* family_name = "dg_stage";

ElementType type_of(const StageShape& shape) {
  return shape.dimension == 2 ? ElementType::triangle : ElementType::tetrahedron;
}

}  // namespace

Tunable describe_stage(const Device& device, const std::shared_ptr<const System>& system, const StageShape& shape,
                       std::size_t elements) {
  Tunable tunable;
  tunable.family = family_name;
  tunable.version = 1;
  tunable.traits = {{"system", system->name},
                    {"element", name_of(type_of(shape))},
                    {"order", std::to_string(shape.order)},
                    {"precision", shape.precision == ScalarType::f32 ? "single" : "double"}};
  tunable.sizes = {{"elements", static_cast<double>(elements)}};
  tunable.space = stage_space(device, shape);
  tunable.demand = [shape](const Configuration& choice) {
    return stage_variant(choice.word("kernel")).demand(shape, choice);
  };
  tunable.trial = [system, shape, elements](const Stream& stream) {
    return std::make_unique<StageTrial>(stream, system, type_of(shape), shape.order, shape.precision, elements);
  };
  tunable.work = static_cast<double>(elements) * shape.nodes * shape.fields;
  tunable.unit = "DOF";
  return tunable;
}

Configuration chosen_stage(const Device& device, const Discretization& mesh, ScalarType precision) {
  return select(device, describe_stage(device, mesh.system, StageShape(mesh, precision), mesh.size())).configuration;
}

void add_stages(TunableRegistry& registry) {
  TunableFamily family;
  family.name = family_name;
  family.meaning = "a Runge-Kutta stage of the discontinuous Galerkin solver on straight elements";
  std::vector<std::string> systems = shipped_systems(3), orders;
  for (const std::string& name : shipped_systems(2))
    if (std::find(systems.begin(), systems.end(), name) == systems.end()) systems.push_back(name);
  std::stable_partition(systems.begin(), systems.end(), [](const std::string& name) { return name == "maxwell"; });
  for (int order = 1; order <= highest_order; ++order) orders.push_back(std::to_string(order));
  std::rotate(orders.begin(), orders.begin() + 2, orders.begin() + 3);
  family.traits = {{"system", "equations, of the shipped ones", systems},
                   {"element", "its shape", {"tetrahedron", "triangle"}},
                   {"order", "of the polynomials", orders},
                   {"precision", "of fields and operators", {"single", "double"}}};
  family.sizes = {{"elements", "of the mesh", 200000}};
  family.describe = [](const Device& device, const TunableFamily::Traits& traits, const TunableFamily::Sizes& sizes) {
    const ElementType type = traits.at("element") == "triangle" ? ElementType::triangle : ElementType::tetrahedron;
    const std::shared_ptr<const System> system = shipped_system(traits.at("system"), dimension_of(type));
    const StageShape shape(*system, type, std::stoi(traits.at("order")),
                           traits.at("precision") == "single" ? ScalarType::f32 : ScalarType::f64);
    return describe_stage(device, system, shape, static_cast<std::size_t>(sizes.at("elements")));
  };
  registry.add(std::move(family));
}

}  // namespace rtcg::dgfem
