#include <CLI/CLI.hpp>

#include "apps/common/application.h"
#include "apps/rtcg/commands.h"

int main(int argc, char** argv) {
  return rtcg::app::run_application(argc, argv, "Devices, compiler, kernel cache and tuner of the RTCG suite",
                                    [](CLI::App& app) {
                                      app.require_subcommand(1);
                                      rtcg::app::add_devices_command(app);
                                      rtcg::app::add_info_command(app);
                                      rtcg::app::add_compile_command(app);
                                      rtcg::app::add_cache_command(app);
                                      rtcg::app::add_tune_command(app);
                                    });
}
