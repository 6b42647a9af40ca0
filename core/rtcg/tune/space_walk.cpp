#include <algorithm>
#include <numeric>

#include "rtcg/tune/space.h"

namespace rtcg {

double ParameterSpace::product() const {
  double count = 1;
  for (const Parameter& parameter : parameters_) count *= static_cast<double>(parameter.values.size());
  return count;
}

/// Of the constraints whose parameters are all chosen, those that read the last one; the earlier ones were asked
/// before.
bool ParameterSpace::holds_so_far(const Configuration& chosen) const {
  const std::string& last = chosen.values().back().first;
  return std::all_of(constraints_.begin(), constraints_.end(), [&](const Constraint& constraint) {
    const auto& reads = constraint.reads;
    if (std::find(reads.begin(), reads.end(), last) == reads.end()) return true;
    const bool known = std::all_of(reads.begin(), reads.end(), [&](const auto& name) { return chosen.find(name); });
    return !known || constraint.holds(chosen);
  });
}

/// `order` holds, for each parameter, its values' places in the order to try them. False when the visitor has enough.
bool ParameterSpace::walk(Configuration& chosen, std::size_t depth, const std::vector<std::vector<std::size_t>>& order,
                          const std::function<bool(const Configuration&)>& visit) const {
  if (depth == parameters_.size()) return visit(chosen);
  const Parameter& parameter = parameters_[depth];
  for (const std::size_t place : order[depth]) {
    Configuration longer = chosen;
    longer.set(parameter.name, parameter.values[place]);
    if (holds_so_far(longer) && !walk(longer, depth + 1, order, visit)) return false;
  }
  return true;
}

void ParameterSpace::enumerate(const std::function<bool(const Configuration&)>& visit) const {
  std::vector<std::vector<std::size_t>> order;
  for (const Parameter& parameter : parameters_) {
    order.emplace_back(parameter.values.size());
    std::iota(order.back().begin(), order.back().end(), std::size_t{0});
  }
  Configuration chosen;
  walk(chosen, 0, order, visit);
}

Configuration ParameterSpace::random(std::mt19937_64& generator) const {
  // Not std::uniform_int_distribution: its results differ between libraries, and a seed is to mean one path.
  const auto below = [&generator](std::size_t count) { return static_cast<std::size_t>(generator() % count); };
  for (int attempt = 0; attempt < 200; ++attempt) {
    Configuration chosen;
    for (const Parameter& parameter : parameters_)
      chosen.set(parameter.name, parameter.values[below(parameter.values.size())]);
    if (std::all_of(constraints_.begin(), constraints_.end(), [&](const auto& c) { return c.holds(chosen); }))
      return chosen;
  }
  std::vector<std::vector<std::size_t>> order;
  for (const Parameter& parameter : parameters_) {
    std::vector<std::size_t>& places = order.emplace_back(parameter.values.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    for (std::size_t n = places.size(); n > 1; --n) std::swap(places[n - 1], places[below(n)]);
  }
  Configuration chosen, found = standard_;
  walk(chosen, 0, order, [&found](const Configuration& first) {
    found = first;
    return false;
  });
  return found;
}

std::vector<Configuration> ParameterSpace::neighbours(const Configuration& configuration) const {
  std::vector<Configuration> result;
  for (const Parameter& parameter : parameters_) {
    const ParameterValue* current = configuration.find(parameter.name);
    for (const ParameterValue& value : parameter.values) {
      if (current && *current == value) continue;
      Configuration neighbour = configuration;
      neighbour.set(parameter.name, value);
      const Configuration changed = neighbour;
      for (const Constraint& constraint : constraints_)
        if (!constraint.holds(changed))
          for (const std::string& name : constraint.reads)
            if (name != parameter.name) neighbour.set(name, *standard_.find(name));
      if (objection(neighbour).empty() && std::find(result.begin(), result.end(), neighbour) == result.end())
        result.push_back(std::move(neighbour));
    }
  }
  return result;
}

}  // namespace rtcg
