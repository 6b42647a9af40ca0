#include "apps/common/tuning.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/common/json_output.h"
#include "apps/common/picture.h"
#include "apps/common/progress.h"
#include "apps/common/search_chart.h"
#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"
#include "rtcg/tune/session.h"

namespace rtcg::app {

namespace {

using Json = nlohmann::ordered_json;

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

}  // namespace

std::string time_text(double seconds) {
  if (seconds < 1e-6) return fmt::format("{:.1f} ns", 1e9 * seconds);
  if (seconds < 1e-3) return fmt::format("{:.2f} us", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.3f} ms", 1e3 * seconds);
  return fmt::format("{:.3f} s", seconds);
}

std::string rate_text(double work, const std::string& unit, double seconds) {
  if (!(work > 0) || !(seconds > 0)) return {};
  double rate = work / seconds;
  const char* prefix = "";
  for (const char* larger : {"k", "M", "G", "T", "P"}) {
    if (rate < 1000) break;
    rate /= 1000, prefix = larger;
  }
  return fmt::format("{:.3g} {}{}/s", rate, prefix, unit);
}

Json as_json(const WisdomRecord& record) {
  return Json::parse(to_line(record));
}

void run_tuning(const Device& device, const Tunable& tunable, const TuningOptions& options) {
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

void add_tuning_options(CLI::App& command, TuningOptions& options) {
  command
      .add_option("--strategy", options.strategy,
                  fmt::format("{}; exhaustive for up to 200 variants, model beyond, when left out",
                              fmt::join(strategy_names(), ", ")))
      ->type_name("NAME");
  command.add_option("--seconds", options.seconds, "Time for the search")->type_name("SECONDS")->default_str("60");
  command.add_option("--variants", options.variants, "Variants to run at most")->type_name("N")->check(whole_number(1));
  command.add_option("--seed", options.seed, "Where a search begins; the same seed takes the same path")
      ->type_name("N")
      ->check(whole_number(0))
      ->default_str("1");
  command
      .add_option("--journal,--resume", options.journal,
                  "Write each result to this file at once, and go on from what a killed search left in it")
      ->type_name("FILE");
  command.add_flag("--cold", options.cold, "Sweep the device's cache before each execution");
  command.add_flag("--no-wisdom", options.without_wisdom, "Neither ask wisdom for starts nor remember the winner");
  command.add_option("--png", options.png, "Draw the search: every variant's time in order, the best so far, failures")
      ->type_name("FILE");
}

}  // namespace rtcg::app
