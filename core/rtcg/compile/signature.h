// What a kernel's text says about its parameters, and whether the arguments of a launch fit. A host compiler checks a
// call; without this a double given for a float parameter would silently be read as zero on a device.
#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "rtcg/compile/kernel.h"

namespace rtcg {

/// Kernels (`kernel void name(...)`, `__kernel`, `__global__`) in order of appearance. Comments are skipped, object-like
/// defines and simple typedefs (the text's own and those given) replaced. A kernel that cannot be read with certainty, because
/// a conditional or a macro with arguments stands in its parameter list or because it is there twice with different
/// parameters, is left out; a single parameter of a type not known here has is_known == false.
std::vector<Signature> read_signatures(std::string_view text,
                                       std::span<const std::pair<std::string, std::string>> defines = {});

/// The parameters as a driver reports them; std::nullopt when it reports none.
std::optional<Signature> signature_of(std::string_view kernel, std::span<const ParameterInfo> parameters);

/// Throws UsageError naming kernel, parameter, what was given and what is expected. Integers of one size may differ
/// in sign; half takes 16-bit integers; the element type of an untyped Buffer is not checked.
void check_arguments(const Signature& signature, std::span<const Argument> arguments);

}  // namespace rtcg
