// The text that goes in front of a kernel's own, so that one text in the words of OpenCL C 1.2 compiles on both back
// ends (docs/kernel-language.md lists the words). It ends before the `#line` that starts the user's text, so no line
// number of an error message is shifted by it.
#pragma once

#include <string>
#include <string_view>

#include "rtcg/compile/source.h"
#include "rtcg/device/properties.h"

namespace rtcg {

/// How errors inside the prelude name it; they are not shown to users.
inline constexpr std::string_view prelude_name = "rtcg_prelude";

/// What of a device decides the prelude.
struct PreludeTarget {
  Backend backend = Backend::opencl;
  DeviceKind kind = DeviceKind::cpu;
  bool has_double = true;
  auto operator<=>(const PreludeTarget&) const = default;
  static PreludeTarget of(const DeviceProperties& device);
};

struct Prelude {
  std::string text, digest;
};
/// Empty for Dialect::raw. `text` is looked at only to leave out what it cannot be using (textures on CUDA). Each
/// prelude is written once and lives as long as the process.
const Prelude& prelude(const PreludeTarget& target, Dialect dialect, std::string_view text);

/// Does the text mention anything that needs NVRTC's texture support or device runtime?
bool needs_cuda_textures(std::string_view text);

}  // namespace rtcg
