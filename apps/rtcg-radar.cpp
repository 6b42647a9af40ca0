#include <CLI/CLI.hpp>

#include "apps/common/application.h"
#include "apps/rtcg-radar/commands.h"

int main(int argc, char** argv) {
  return rtcg::app::run_application(argc, argv, "Radar images from pulses by filtered backprojection on a GPU or a CPU",
                                    [](CLI::App& app) {
                                      app.require_subcommand(1);
                                      rtcg::app::add_image_command(app);
                                      rtcg::app::add_simulate_command(app);
                                      rtcg::app::add_quality_command(app);
                                      rtcg::app::add_info_command(app);
                                    });
}
