// What a kernel's text says about its parameters, and whether the arguments of a launch fit. A host compiler checks a
// call; without this a double given for a float parameter would silently be read as zero on a device.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rtcg/compile/kernel.h"

namespace rtcg {

/// Kernels (`kernel void name(...)`, `__kernel`, `__global__`) in order of appearance. Comments are skipped;
/// object-like defines and simple typedefs, the text's own and those given, are replaced. A kernel that cannot be read
/// with certainty (a conditional or a macro with arguments in its parameter list, two versions with different
/// parameters) is left out; a single parameter of a type not known here has is_known == false.
std::vector<Signature> read_signatures(std::string_view text,
                                       std::span<const std::pair<std::string, std::string>> defines = {});

/// What the text says and what the driver reports as one: the driver's types where it knows them, the text's spelling.
/// std::nullopt when neither says anything. `read` may be null.
std::optional<Signature> reconcile(std::string_view kernel, const Signature* read,
                                   std::span<const ParameterInfo> reported);

/// Throws UsageError naming kernel, parameter, what was given and what is expected. Integers of one size may differ
/// in sign; half takes 16-bit integers; complex and vector elements take Buffers of their scalar; the element type of
/// an untyped Buffer is not checked.
void check_arguments(const Signature& signature, std::span<const Argument> arguments);

/// Declarations that read_signatures reads back, one line a kernel: what a cache entry keeps.
std::string serialise(std::span<const Signature> signatures);

}  // namespace rtcg
