// The subcommands of rtcg-radar. Each checks all of its options, its inputs' headers and its outputs' places before it
// touches a device.
#pragma once

namespace CLI {
class App;
}

namespace rtcg::app {

void add_image_command(CLI::App& app);
void add_simulate_command(CLI::App& app);
void add_quality_command(CLI::App& app);
void add_info_command(CLI::App& app);

}  // namespace rtcg::app
