// What the readers of models and of spaces of models share. Included by .cpp files only.
#pragma once

#include <filesystem>

#include "rtcg/io/toml_table.h"
#include "vision/model_description.h"

namespace rtcg::vision {

/// The description that a parsed file holds; InputError with `file` and line. Files of filters are in `directory`.
ModelDescription model_from_toml(const toml::table& table, const std::string& file,
                                 const std::filesystem::path& directory);

}  // namespace rtcg::vision
