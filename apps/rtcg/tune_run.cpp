// rtcg tune run: a search on this device.
#include <CLI/CLI.hpp>
#include <memory>

#include "apps/rtcg/tune.h"

namespace rtcg::app {

namespace {

struct RunOptions : TuningOptions {
  ProblemOptions problem;
};

void run(const RunOptions& options) {
  const Device device = select_device(options);
  run_tuning(device,
             tunable_families()
                 .find(options.problem.family)
                 .make(device, options.problem.trait_values(), options.problem.size_values()),
             options);
}

}  // namespace

void add_tune_run(CLI::App& tune) {
  CLI::App* command = tune.add_subcommand("run", "Time the variants of a family on a problem and remember the fastest");
  command->footer(
      "What is not given of the problem is the family's default; 'rtcg tune list' shows it.\n"
      "Example: rtcg tune run radix_sort --size length=1000000 --seconds 30 --png search.png");
  const auto options = std::make_shared<RunOptions>();
  command->add_option("family", options->problem.family, "Family; see 'rtcg tune list'")
      ->type_name("FAMILY")
      ->required();
  add_problem_options(*command, options->problem);
  add_tuning_options(*command, *options);
  add_device_option(*command, *options);
  add_output_options(*command, *options);
  command->callback([options] { run(*options); });
}

}  // namespace rtcg::app
