// The subcommands of `rtcg`, each in a file of its name.
#pragma once

namespace CLI {
class App;
}

namespace rtcg::app {

void add_devices_command(CLI::App& app);
void add_info_command(CLI::App& app);
void add_compile_command(CLI::App& app);
void add_cache_command(CLI::App& app);
void add_tune_command(CLI::App& app);

}  // namespace rtcg::app
