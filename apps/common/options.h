// The options every command shares, spelled and documented in one place.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "rtcg/device/device.h"

namespace CLI {
class App;
}

namespace rtcg::app {

struct CommonOptions {
  std::string device;  ///< --device: an id or a part of a name; empty: RTCG_DEVICE, else the preferred one
  std::string json;    ///< --json FILE or "-" for the standard output; empty: none
  bool quiet = false;  ///< --quiet

  bool json_to_stdout() const { return json == "-"; }
  /// Whether the command should print its result as text: not with --quiet nor when the standard output carries JSON.
  bool prints_text() const { return !quiet && !json_to_stdout(); }
};

void add_device_option(CLI::App& command, CommonOptions& options);
/// --json and --quiet. Applies the verbosity when parsed: --quiet and --json - both silence everything but warnings.
void add_output_options(CLI::App& command, CommonOptions& options);

/// For CLI::Option::check: what is wrong with a text that must be a whole number of at least `least`.
std::function<std::string(const std::string&)> whole_number(std::uint64_t least);

/// Throws DeviceError listing what there is.
Device select_device(const CommonOptions& options);

}  // namespace rtcg::app
