#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/common/json_output.h"
#include "apps/common/options.h"
#include "apps/common/progress.h"
#include "apps/rtcg-dgfem/commands.h"
#include "apps/rtcg-dgfem/run.h"
#include "dgfem/case/case_file.h"
#include "rtcg/error.h"

namespace rtcg::app {

namespace {

namespace fs = std::filesystem;

struct Arguments {
  CommonOptions common;
  std::string input, directory, precision, restart;
  int order = 0;
};

void run_case(const Arguments& arguments) {
  dgfem::Case plan = dgfem::read_case(arguments.input);
  if (arguments.order != 0) plan.problem.order = arguments.order;
  if (!arguments.precision.empty())
    plan.precision = arguments.precision == "single" ? ScalarType::f32 : ScalarType::f64;
  const Stream stream(select_device(arguments.common));
  const RunSummary summary = run(stream, plan, {arguments.directory, arguments.restart});
  if (arguments.common.prints_text()) fmt::print("{}", to_text(summary));
  write_json(arguments.common.json, to_json(summary));
}

}  // namespace

void add_run_command(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("run", "Solve the problem of a case file");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("case", arguments->input, "Case file (.toml)")->required()->type_name("FILE");
  command.add_option("-o,--output", arguments->directory, "Directory for results; made where there is none")
      ->required()
      ->type_name("DIR");
  command.add_option("--order", arguments->order, "Polynomial order instead of the file's")->check(CLI::Range(1, 10));
  command.add_option("--precision", arguments->precision, "Instead of the file's")
      ->check(CLI::IsMember({"single", "double"}));
  command.add_option("--restart", arguments->restart, "Go on from a checkpoint")->type_name("FILE");
  add_device_option(command, arguments->common);
  add_output_options(command, arguments->common);
  command.callback([arguments] { run_case(*arguments); });
  command.footer("Example: rtcg-dgfem run cavity.toml -o results --order 4 --device cuda:0");
}

}  // namespace rtcg::app
