// The subcommands of rtcg-vision. Each checks its options, its inputs and its outputs' places before it begins to
// compute.
#pragma once

namespace CLI {
class App;
}

namespace rtcg::app {

void add_filter_command(CLI::App& app);
void add_features_command(CLI::App& app);
void add_search_command(CLI::App& app);
void add_tune_command(CLI::App& app);

}  // namespace rtcg::app
