// rtcg tune run: a search on this device, with its progress, its table, its picture.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/common/json_output.h"
#include "apps/common/picture.h"
#include "apps/common/progress.h"
#include "apps/rtcg/tune.h"
#include "apps/rtcg/tune_picture.h"
#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"
#include "rtcg/tune/session.h"

namespace rtcg::app {

namespace {

using Json = nlohmann::ordered_json;

struct RunOptions : TuneCommandOptions {
  std::string strategy, journal, png;
  double seconds = 60;
  std::size_t variants = 0;
  std::uint64_t seed = 1;
  bool cold = false, without_wisdom = false;
};

Json as_json(const VariantResult& result) {
  Json item = {{"configuration", result.configuration.text()}};
  if (result.works()) {
    item["seconds"] = result.timing.seconds, item["noise"] = result.timing.noise;
    item["samples"] = result.timing.samples;
  } else {
    item["failure"] = result.failure;
  }
  return item;
}

Json as_json(const TuneReport& report) {
  Json variants = Json::array();
  for (const VariantResult& result : report.variants) variants.push_back(as_json(result));
  return {{"record", rtcg::app::as_json(report.record)},
          {"file", report.file.empty() ? Json() : Json(report.file.string())},
          {"default", as_json(report.standard)},
          {"winner", as_json(report.winner)},
          {"strategy", to_text(report.strategy)},
          {"complete", report.is_complete},
          {"seconds", report.seconds},
          {"failed", report.failed},
          {"beyond_the_device", report.beyond},
          {"resumed", report.resumed},
          {"variants", variants}};
}

void print_row(const char* name, const VariantResult& result, const TuneReport& report) {
  if (!result.works()) {
    fmt::print("{:8} {:>11}  {}\n", name, "failed", result.failure);
    return;
  }
  fmt::print("{:8} {:>11} +- {:4.1f} %  {:>14}  {}\n", name, time_text(result.timing.seconds),
             100 * result.timing.noise, rate_text(report.record.work, report.record.unit, result.timing.seconds),
             result.configuration.text());
}

void print_report(const TuneReport& report) {
  print_row("default", report.standard, report);
  const bool default_stays = report.winner.configuration == report.standard.configuration;
  if (!default_stays) print_row("winner", report.winner, report);
  if (default_stays)
    fmt::print("No variant beats the default beyond the noise.\n");
  else if (report.standard.works())
    fmt::print("The winner is {:.2f} times as fast as the default.\n",
               report.standard.timing.seconds / report.winner.timing.seconds);
  fmt::print("{} variants in {:.1f} s ({} search{}), {} failed, {} beyond the device", report.variants.size(),
             report.seconds, to_text(report.strategy), report.is_complete ? ", complete" : "", report.failed,
             report.beyond);
  fmt::print("{}.\n", report.resumed == 0 ? "" : fmt::format(", {} taken from the journal", report.resumed));
  fmt::print("{}\n", report.file.empty() ? "Not remembered." : "Remembered in " + report.file.string());
}

std::vector<std::optional<double>> times_of(const TuneReport& report) {
  std::vector<std::optional<double>> times;
  for (const VariantResult& result : report.variants)
    times.push_back(result.works() ? std::optional(result.timing.seconds) : std::nullopt);
  return times;
}

void run(const RunOptions& options) {
  const Device device = select_device(options);
  const Tunable tunable = tunable_families()
                              .find(options.problem.family)
                              .make(device, options.problem.trait_values(), options.problem.size_values());
  if (!options.png.empty()) {
    if (!pictures_available()) write_chart(options.png, {});  // says why
    AsideFile place(options.png);                             // a place that cannot be written is known before the work
  }
  TuneOptions how{.seconds = options.seconds,
                  .variants = options.variants,
                  .seed = options.seed,
                  .cold = options.cold,
                  .journal = options.journal};
  if (!options.strategy.empty()) how.strategy = parse_strategy(options.strategy);
  if (options.without_wisdom) how.wisdom = nullptr;

  WisdomRecord problem;
  problem.traits = tunable.traits, problem.sizes = tunable.sizes;
  TuneReport report;
  {
    const bool counts_variants = options.variants > 0;
    Progress progress("tuning " + tunable.family,
                      counts_variants ? options.variants : static_cast<std::size_t>(std::ceil(options.seconds)),
                      counts_variants ? "variants" : "s");
    how.progress = [&](const TuneProgress& now) {
      const std::string best = now.best_seconds > 0 ? "best " + time_text(now.best_seconds) : "none works yet";
      progress.update(counts_variants ? now.variants : static_cast<std::size_t>(now.seconds),
                      fmt::format("{} variants, {}", now.variants, best));
    };
    report = tune(Stream(device), tunable, how);
  }
  const std::string title =
      fmt::format("{} on {}: {}", tunable.family, device.properties().name, problem.problem_text());
  if (options.prints_text()) {
    fmt::print("{}\n", title);
    print_report(report);
  }
  if (!options.png.empty())
    write_chart(options.png, search_chart(title, times_of(report), report.standard.timing.seconds));
  write_json(options.json, as_json(report));
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
  command
      ->add_option("--strategy", options->strategy,
                   fmt::format("{}; exhaustive for up to 200 variants, model beyond, when left out",
                               fmt::join(strategy_names(), ", ")))
      ->type_name("NAME");
  command->add_option("--seconds", options->seconds, "Time for the search")->type_name("SECONDS")->default_str("60");
  command->add_option("--variants", options->variants, "Variants to run at most")
      ->type_name("N")
      ->check(whole_number(1));
  command->add_option("--seed", options->seed, "Where a search begins; the same seed takes the same path")
      ->type_name("N")
      ->check(whole_number(0))
      ->default_str("1");
  command
      ->add_option("--journal,--resume", options->journal,
                   "Write each result to this file at once, and go on from what a killed search left in it")
      ->type_name("FILE");
  command->add_flag("--cold", options->cold, "Sweep the device's cache before each execution");
  command->add_flag("--no-wisdom", options->without_wisdom, "Neither ask wisdom for starts nor remember the winner");
  command
      ->add_option("--png", options->png, "Draw the search: every variant's time in order, the best so far, failures")
      ->type_name("FILE");
  add_device_option(*command, *options);
  add_output_options(*command, *options);
  command->callback([options] { run(*options); });
}

}  // namespace rtcg::app
