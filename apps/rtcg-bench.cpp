// Reproduces the suite's figures: each beside a limit or a peer measured in the same run.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/common/application.h"
#include "apps/common/json_output.h"
#include "apps/common/logging.h"
#include "apps/common/options.h"
#include "apps/rtcg-bench/dgfem/figure.h"
#include "apps/rtcg-bench/record.h"
#include "apps/rtcg-bench/warm_start.h"
#include "rtcg/error.h"

namespace {

using namespace rtcg;

struct Options {
  app::CommonOptions common;
  std::vector<std::string> suites, only;
  std::vector<int> orders;
  double tune_seconds = 0;
  std::string commit = "unknown";
  std::filesystem::path figures;
  bool quick = false, warm_start = false;
};

/// Beside the record, with its name.
void draw_figures(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const nlohmann::json record = nlohmann::json::parse(stream, nullptr, false);
  if (record.is_discarded() || !record.contains("suites"))
    throw InputError(fmt::format("{} is no record of rtcg-bench", file.string()));
  int drawn = 0;
  for (const char* precision : {"single", "double"}) {
    const app::Chart chart = bench::stages_figure(record, precision);
    if (chart.series.empty()) continue;
    const std::filesystem::path picture =
        file.parent_path() / fmt::format("{}-{}.png", file.stem().string(), precision);
    app::write_chart(picture, chart);
    fmt::print("{}\n", picture.string());
    ++drawn;
  }
  if (drawn == 0) throw InputError(fmt::format("{} has no stages of the dgfem suite to draw", file.string()));
}

void run(const Options& options) {
  if (!options.figures.empty()) return draw_figures(options.figures);
  const Device device = app::select_device(options.common);
  if (options.warm_start) return bench::print_warm_start(device);
  const std::map<std::string, bench::Suite (*)(const bench::Context&)> known{{"core", bench::core_suite},
                                                                             {"radar", bench::radar_suite},
                                                                             {"vision", bench::vision_suite},
                                                                             {"dgfem", bench::dgfem_suite}};
  for (const std::string& name : options.suites)
    if (!known.contains(name))
      throw UsageError(fmt::format("there is no suite \"{}\": choose from core, radar, vision, dgfem", name));
  std::vector<std::string> topics = bench::core_topics();
  for (std::string& name : bench::vision_topics()) topics.push_back(std::move(name));
  for (std::string& name : bench::dgfem_topics()) topics.push_back(std::move(name));
  for (const std::string& name : options.only)
    if (std::find(topics.begin(), topics.end(), name) == topics.end())
      throw UsageError(fmt::format("--only: there is no topic \"{}\": choose from {}", name, fmt::join(topics, ", ")));
  bench::Context context{Stream(device), options.quick, options.only};
  context.orders = options.orders;
  context.tune_seconds = options.tune_seconds;
  app::log_info("{}: {}", device.id(), device.properties().name);
  bench::measure_ceilings(context);
  app::log_info("copy {:.4g} GB/s, multiply-add {:.4g} TFLOP/s", context.copy_bandwidth / 1e9, context.fma_rate / 1e12);
  std::vector<bench::Suite> suites;
  if (!options.common.json.empty() && options.common.json != "-")
    context.keep = [&](const bench::Suite& unfinished) {
      std::vector<bench::Suite> so_far = suites;
      so_far.push_back(unfinished);
      app::write_json(options.common.json, bench::to_json(context, so_far, options.commit));
    };
  for (const std::string& name : options.suites) suites.push_back(known.at(name)(context));
  const nlohmann::ordered_json record = bench::to_json(context, suites, options.commit);
  app::write_json(options.common.json, record);
  if (options.common.prints_text())
    for (const bench::Suite& suite : suites)
      for (const bench::Result& result : suite.results) {
        fmt::print("{:8} {:52} {:>10.4g} {}", suite.name, result.name, result.value, result.unit);
        for (const auto& [peer, ratio] : result.ratios) fmt::print("  {:.3g} x {}", ratio, peer);
        for (const auto& [label, figure] : result.figures) fmt::print("  {} {:.4g}", label, figure);
        fmt::print("\n");
      }
  for (const bench::Suite& suite : suites)
    if (!suite.failures.empty()) throw DeviceError(fmt::format("{}: {}", suite.name, fmt::join(suite.failures, "; ")));
}

/// Idle threads of OpenMP's run-time library spin for some milliseconds by default, on the cores that what is timed
/// next needs. The library reads its environment when it is loaded, hence the new start.
void let_idle_threads_sleep(char** argv) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr) return;
  setenv("OMP_WAIT_POLICY", "passive", 1);
  execv("/proc/self/exe", argv);
}

}  // namespace

int main(int argc, char** argv) {
  let_idle_threads_sleep(argv);
  static Options options;
  return app::run_application(
      argc, argv, "Measure the suite, each figure beside a limit or a peer of the same run", [](CLI::App& command) {
        command.add_option("suites", options.suites, "Suites to run: core, radar, vision, dgfem")
            ->default_val(std::vector<std::string>{"core", "radar", "vision", "dgfem"});
        app::add_device_option(command, options.common);
        app::add_output_options(command, options.common);
        command.add_option("--commit", options.commit, "Commit that was built, for the record");
        command.add_option("--only", options.only, "Topics of the suites to run, all if left out")->delimiter(',');
        command.add_option("--orders", options.orders, "Orders of the dgfem suite, up to 10; 1 to 8 if left out")
            ->delimiter(',')
            ->check(CLI::Range(1, 10));
        command
            .add_option("--tune", options.tune_seconds,
                        "Seconds to tune each stage of the dgfem suite before it is measured; else what wisdom says")
            ->check(CLI::NonNegativeNumber);
        command.add_flag("--quick", options.quick, "Small problems and short measurements: a trial, not a record");
        command.add_option("--figures", options.figures,
                           "Draw the dgfem suite of this record (JSON) instead of measuring: PNG files beside it");
        command.add_flag("--warm-start", options.warm_start)->group("");
        command.footer(
            "Example:\n  rtcg-bench core radar --device cuda:0 --json record.json\n"
            "  rtcg-bench core --only launch,fft --quick");
        command.callback([] { run(options); });
      });
}
