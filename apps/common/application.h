// The frame of every binary: describe the command line, run the command it chose, turn what was thrown into one line on
// the standard error and an exit code. Unfinished output files are removed also when a signal ends the process.
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace rtcg::app {

/// `describe` adds options and subcommands; their work goes into CLI11 callbacks, which may throw any rtcg::Error.
///
///   int main(int argc, char** argv) {
///     return rtcg::app::run_application(argc, argv, "What it is for", [](CLI::App& app) {
///       CLI::App* command = app.add_subcommand("devices", "List the devices");
///       command->callback([] { ... });
///     });
///   }
int run_application(int argc, char** argv, const std::string& description,
                    const std::function<void(CLI::App&)>& describe);

}  // namespace rtcg::app
