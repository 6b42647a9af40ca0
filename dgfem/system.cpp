#include "dgfem/system.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dgfem/formula_value.h"
#include "rtcg/error.h"

namespace rtcg::dgfem {

namespace {

template <class Named>
const Named* named(const std::vector<Named>& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Named& one) { return one.name == name; });
  return found == list.end() ? nullptr : &*found;
}

}  // namespace

int System::field(std::string_view field_name) const {
  const auto found = std::find(fields.begin(), fields.end(), field_name);
  return found == fields.end() ? -1 : static_cast<int>(found - fields.begin());
}

const BoundaryKind* System::boundary(std::string_view kind) const {
  return named(boundaries, kind);
}

std::vector<double> System::region_values(const std::map<std::string, double>& given) const {
  for (const auto& [given_name, value] : given)
    if (!named(materials, given_name)) {
      std::vector<std::string> known;
      for (const Quantity& material : materials) known.push_back(material.name);
      throw InputError(fmt::format("the system '{}' has no material constant '{}': it has {}", name, given_name,
                                   known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    }
  std::map<std::string, double, std::less<>> known;
  std::vector<double> values;
  const auto keep = [&](const std::string& what, double value) {
    known[what] = value;
    values.push_back(value);
  };
  for (const Quantity& material : materials) {
    const auto found = given.find(material.name);
    keep(material.name, found == given.end() ? material.value : found->second);
  }
  for (const Definition& constant : constants)
    keep(constant.name, formula_value(read_formula(constant.text), [&](std::string_view what) -> std::optional<double> {
           const auto found = known.find(what);
           return found == known.end() ? std::nullopt : std::optional(found->second);
         }));
  return values;
}

Dependence System::dependence(const std::string& formula) const {
  std::map<std::string, Dependence, std::less<>> of;
  for (const std::string& name_of_field : fields) of[name_of_field] = Dependence::linear;
  const auto of_name = [&](std::string_view what) {
    const auto found = of.find(what);
    return found == of.end() ? Dependence::none : found->second;
  };
  for (const Definition& one : volume_let) of[one.name] = formula_dependence(read_formula(one.text), of_name);
  return formula_dependence(read_formula(formula), of_name);
}

bool System::is_linear() const {
  for (const auto& along : flux)
    for (const std::string& text : along)
      if (dependence(text) != Dependence::linear) return false;
  return true;
}

double System::wave_speed(const std::vector<double>& region_values,
                          const std::map<std::string, double>& given_parameters) const {
  return formula_value(read_formula(speed), [&](std::string_view what) -> std::optional<double> {
    for (std::size_t i = 0; i < materials.size(); ++i)
      if (materials[i].name == what) return region_values[i];
    for (std::size_t i = 0; i < constants.size(); ++i)
      if (constants[i].name == what) return region_values[materials.size() + i];
    if (const auto found = given_parameters.find(std::string(what)); found != given_parameters.end())
      return found->second;
    return std::nullopt;
  });
}

}  // namespace rtcg::dgfem
