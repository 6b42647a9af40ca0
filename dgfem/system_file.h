// Systems as TOML files (docs/systems.md): what the suite ships and what a user writes are of one form. The shipped
// texts are part of the library.
#pragma once

#include <filesystem>
#include <memory>

#include "dgfem/system.h"

namespace rtcg::dgfem {

/// InputError "SOURCE:LINE: ..." for what is not a system: unknown keys, missing or surplus fluxes, more than 16
/// fields, names that are there twice or have a meaning in formulas; with a caret for formulas that cannot be read or
/// use names that mean nothing there.
System read_system(std::string_view text, const std::string& source);
System read_system_file(const std::filesystem::path& file);

/// The names of shipped systems of this dimension, sorted.
std::vector<std::string> shipped_systems(int dimension);
/// InputError listing those there are.
std::shared_ptr<const System> shipped_system(std::string_view name, int dimension);

}  // namespace rtcg::dgfem
