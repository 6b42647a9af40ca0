#include <CLI/CLI.hpp>

#include "apps/common/application.h"
#include "apps/rtcg-dgfem/commands.h"

int main(int argc, char** argv) {
  return rtcg::app::run_application(argc, argv, "Discontinuous Galerkin solver for waves and flows on a GPU or a CPU",
                                    [](CLI::App& app) {
                                      app.require_subcommand(1);
                                      rtcg::app::add_run_command(app);
                                      rtcg::app::add_convergence_command(app);
                                      rtcg::app::add_info_command(app);
                                      rtcg::app::add_mesh_commands(app);
                                    });
}
