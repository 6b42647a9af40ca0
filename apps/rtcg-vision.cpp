#include <CLI/CLI.hpp>

#include "apps/common/application.h"
#include "apps/rtcg-vision/commands.h"

int main(int argc, char** argv) {
  return rtcg::app::run_application(argc, argv, "Filterbanks and models of the visual cortex on a GPU or a CPU",
                                    [](CLI::App& app) {
                                      app.require_subcommand(1);
                                      rtcg::app::add_filter_command(app);
                                      rtcg::app::add_features_command(app);
                                      rtcg::app::add_search_command(app);
                                      rtcg::app::add_tune_command(app);
                                    });
}
