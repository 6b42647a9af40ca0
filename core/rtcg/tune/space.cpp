#include "rtcg/tune/space.h"

#include <fmt/format.h>

#include <algorithm>

#include "rtcg/error.h"

namespace rtcg {

ParameterSpace& ParameterSpace::parameter(std::string name, std::vector<ParameterValue> values,
                                          ParameterValue standard) {
  if (standard_.find(name)) throw UsageError(fmt::format("the parameter {} is there twice", name));
  for (auto value = values.begin(); value != values.end(); ++value)
    if (std::find(std::next(value), values.end(), *value) != values.end())
      throw UsageError(fmt::format("the parameter {} has the value {} twice", name, to_text(*value)));
  if (std::find(values.begin(), values.end(), standard) == values.end())
    throw UsageError(fmt::format("the default {} of the parameter {} is none of its values", to_text(standard), name));
  standard_.set(name, standard);
  parameters_.push_back({std::move(name), std::move(values), std::move(standard)});
  return *this;
}

ParameterSpace& ParameterSpace::constraint(std::string reason, std::vector<std::string> reads, Predicate holds) {
  for (const std::string& name : reads)
    if (!standard_.find(name)) throw UsageError(fmt::format("\"{}\" reads {}, which is no parameter", reason, name));
  if (!holds(standard_)) throw UsageError(fmt::format("the default ({}) breaks \"{}\"", standard_.text(), reason));
  constraints_.push_back({std::move(reason), std::move(reads), std::move(holds)});
  return *this;
}

std::string ParameterSpace::objection(const Configuration& configuration) const {
  for (const auto& [name, value] : configuration.values())
    if (!standard_.find(name)) return fmt::format("there is no parameter {}", name);
  for (const Parameter& parameter : parameters_) {
    const ParameterValue* value = configuration.find(parameter.name);
    if (!value) return fmt::format("the parameter {} is missing", parameter.name);
    if (std::find(parameter.values.begin(), parameter.values.end(), *value) == parameter.values.end())
      return fmt::format("{}={} is not among the values", parameter.name, to_text(*value));
  }
  for (const Constraint& constraint : constraints_)
    if (!constraint.holds(configuration)) return fmt::format("breaks \"{}\"", constraint.reason);
  return {};
}

}  // namespace rtcg
