// Configurations as JSON objects, for records and journals. Only .cpp files include this.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "rtcg/tune/configuration.h"

namespace rtcg {

nlohmann::ordered_json json_of(const Configuration& configuration);
/// InputError naming a parameter whose value is neither a whole number, a text, nor true or false.
Configuration configuration_of(const nlohmann::ordered_json& object);

}  // namespace rtcg
