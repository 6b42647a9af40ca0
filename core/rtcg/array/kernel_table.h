// Compiled kernels of generated loops by the key of the code they need: a look-up without text, hash of text or disk.
// Kernels live as long as the process, as compiled modules do.
#pragma once

#include <functional>
#include <string_view>

#include "rtcg/compile/compiler.h"

namespace rtcg {

/// The kernel of this skeleton ("elementwise", static text) and key on the device, made on first use from the Source
/// and the kernel name that `make` gives. Thread-safe; two threads may both compile, one result is kept.
const Kernel& cached_kernel(const Device& device, std::string_view skeleton, std::string_view key,
                            const std::function<std::pair<Source, std::string>()>& make);

}  // namespace rtcg
