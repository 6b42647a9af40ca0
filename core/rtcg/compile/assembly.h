// One Source made ready for one compiler: prelude, defines and headers in one text, the options in that compiler's
// words, and the manifest that names the result. Internal to compile/.
#pragma once

#include <string>
#include <vector>

#include "rtcg/compile/manifest.h"
#include "rtcg/compile/prelude.h"
#include "rtcg/compile/source.h"
#include "rtcg/device/driver.h"

namespace rtcg {

struct Assembly {
  CompileRequest request;  ///< complete; headers are part of the text
  std::string included;    ///< the user's text with its headers, without prelude and defines
  Manifest manifest;
};

/// `identity` is everything about the compiler that can change a binary. Throws UsageError for CUDA texts on OpenCL.
Assembly assemble(const PreludeTarget& target, std::string_view identity, const Source& source);

}  // namespace rtcg
