// A command's result as JSON: two-space indent, keys in the order given, NaN and infinities as null.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace rtcg::app {

/// `target` as --json takes it: a file (written aside and renamed), "-" for the standard output, "" for nowhere.
/// InputError when it cannot be written.
void write_json(const std::string& target, const nlohmann::ordered_json& value);

}  // namespace rtcg::app
