// The subcommands of rtcg-dgfem. Each checks all of its options and its outputs' places before it does the work.
#pragma once

namespace CLI {
class App;
}

namespace rtcg::app {

/// mesh info, mesh check, mesh convert.
void add_mesh_commands(CLI::App& app);
void add_run_command(CLI::App& app);
void add_convergence_command(CLI::App& app);
void add_info_command(CLI::App& app);

}  // namespace rtcg::app
