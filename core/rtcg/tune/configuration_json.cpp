#include "rtcg/tune/configuration_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "rtcg/error.h"

namespace rtcg {

namespace {

ParameterValue value_of(const nlohmann::ordered_json& value, const std::string& name) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_string()) return value.get<std::string>();
  throw InputError(
      fmt::format("parameter \"{}\" of \"configuration\" is neither a whole number, a text, nor true or false", name));
}

}  // namespace

nlohmann::ordered_json json_of(const Configuration& configuration) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : configuration.values())
    std::visit([&object, &key = name](const auto& v) { object[key] = v; }, value);
  return object;
}

Configuration configuration_of(const nlohmann::ordered_json& object) {
  Configuration configuration;
  for (const auto& [name, value] : object.items()) configuration.set(name, value_of(value, name));
  return configuration;
}

}  // namespace rtcg
