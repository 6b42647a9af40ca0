// rtcg-vision search: random models, each judged by how well its features tell labelled images apart.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/common/chart.h"
#include "apps/common/json_output.h"
#include "apps/common/logging.h"
#include "apps/common/options.h"
#include "apps/common/outputs.h"
#include "apps/common/picture.h"
#include "apps/common/progress.h"
#include "apps/rtcg-vision/commands.h"
#include "apps/rtcg-vision/joined_images.h"
#include "rtcg/error.h"
#include "vision/features.h"
#include "vision/search.h"

namespace rtcg::app {

namespace {

using Json = nlohmann::ordered_json;

struct SearchArguments : CommonOptions {
  std::string space, labels, output, classifier = "ridge";
  std::vector<std::string> images;
  vision::SearchOptions options;
};

/// Accuracy of each trial and the best so far, over the number of the trial.
Chart chart_of(const vision::SearchReport& report, const std::string& title, double chance) {
  const double last = static_cast<double>(std::max<std::size_t>(1, report.trials.size() - 1));
  Chart::Series trials{"trial", {}, {}, Chart::Mark::dots, Chart::Colour::blue};
  Chart::Series best{"best so far", {}, {}, Chart::Mark::steps, Chart::Colour::orange};
  Chart::Series failed{"failed", {}, {}, Chart::Mark::at_edge, Chart::Colour::red};
  for (std::size_t k = 0; k < report.trials.size(); ++k) {
    const vision::TrialResult& result = report.trials[k];
    const auto at = static_cast<double>(k);
    if (!result.works()) {
      failed.x.push_back(at), failed.y.push_back(0);
      continue;
    }
    const double accuracy = 100 * result.validation.accuracy;
    trials.x.push_back(at), trials.y.push_back(accuracy);
    best.x.push_back(at), best.y.push_back(best.y.empty() ? accuracy : std::max(best.y.back(), accuracy));
  }
  if (!best.x.empty()) best.x.push_back(last), best.y.push_back(best.y.back());
  Chart chart{.title = title, .x_label = "trial", .y_label = "accuracy, nested cross-validation (%)", .counts = true};
  chart.series.push_back({"chance", {0, last}, {100 * chance, 100 * chance}, Chart::Mark::level, Chart::Colour::grey});
  for (Chart::Series* series : {&trials, &best, &failed})
    if (!series->x.empty()) chart.series.push_back(std::move(*series));
  return chart;
}

Json as_json(const vision::TrialResult& result) {
  Json json{{"trial", result.trial}};
  if (!result.works()) {
    json["failure"] = result.failure;
    return json;
  }
  json["accuracy"] = result.validation.accuracy, json["spread"] = result.validation.spread;
  json["features"] = result.features;
  json["feature_seconds"] = result.feature_seconds, json["classifier_seconds"] = result.classifier_seconds;
  return json;
}

double chance_of(const vision::Labels& labels) {
  std::vector<std::size_t> sizes(labels.names.size());
  for (const std::size_t c : labels.classes) ++sizes[c];
  return static_cast<double>(*std::max_element(sizes.begin(), sizes.end())) /
         static_cast<double>(labels.classes.size());
}

void print_report(const SearchArguments& arguments, const vision::SearchReport& report, double chance) {
  fmt::print("rank accuracy          features  trial  file\n");
  for (std::size_t k = 0; k < std::min(arguments.options.keep, report.ranking.size()); ++k) {
    const vision::TrialResult& result = report.trials[report.ranking[k]];
    fmt::print("{:4} {:6.2f} +- {:5.2f} % {:9} {:6}  {}/best-{}.toml\n", k + 1, 100 * result.validation.accuracy,
               100 * result.validation.spread, result.features, result.trial, arguments.output, k + 1);
  }
  fmt::print("chance {:.2f} %; {} trials, {} known before, {} failed", 100 * chance, report.trials.size(),
             report.resumed, report.failed);
  if (report.images_per_second > 0)
    fmt::print("; {:.1f} s, {:.4g} images/s, {:.0f} % of it for features", report.seconds, report.images_per_second,
               100 * report.feature_seconds / report.seconds);
  fmt::print("\n");
}

void run(SearchArguments& arguments) {
  check_outputs({{"--json", arguments.json_to_stdout() ? "" : arguments.json}}, {arguments.space, arguments.labels});
  arguments.options.validation.kind = vision::parse_classifier(arguments.classifier);
  const vision::ModelSpace space = vision::ModelSpace::read(arguments.space);
  const JoinedImages sources(arguments.images, space.input());
  const Stream stream(select_device(arguments));
  const vision::Labels labels = vision::read_labels(stream, arguments.labels, sources);
  const Array images = vision::load_images(stream, sources);
  const double chance = chance_of(labels);
  log_info("{} images of {} x {} x {} in {} classes, {:.3g} models in the space, on {} ({})", images.extent(0),
           images.extent(1), images.extent(2), images.extent(3), labels.names.size(), space.size(),
           stream.device().id(), stream.device().properties().name);
  vision::SearchReport report;
  {
    Progress progress("searching", arguments.options.trials, "models");
    double best = 0;
    arguments.options.progress = [&](std::size_t done, const vision::TrialResult& latest) {
      if (latest.works()) best = std::max(best, latest.validation.accuracy);
      progress.update(done, fmt::format("best {:.2f} %", 100 * best));
    };
    report = vision::search_models(stream, space, images, labels, arguments.output, arguments.options);
  }
  const std::filesystem::path picture = std::filesystem::path(arguments.output) / "accuracy.png";
  if (pictures_available())
    write_chart(picture, chart_of(report,
                                  fmt::format("{} models for {} images in {} classes, {}", report.trials.size(),
                                              labels.classes.size(), labels.names.size(), arguments.classifier),
                                  chance));
  if (report.ranking.empty() && !report.trials.empty())
    throw NumericalError(fmt::format("none of {} models gave an accuracy; the first: {}", report.trials.size(),
                                     report.trials.front().failure));
  if (arguments.prints_text()) print_report(arguments, report, chance);
  Json trials = Json::array(), best = Json::array();
  for (const vision::TrialResult& result : report.trials) trials.push_back(as_json(result));
  for (const std::size_t k : report.ranking)
    if (best.size() < arguments.options.keep) best.push_back(as_json(report.trials[k]));
  const DeviceProperties& properties = stream.device().properties();
  write_json(arguments.json,
             {{"command", "search"},
              {"device", {{"id", properties.id}, {"name", properties.name}, {"driver", properties.driver}}},
              {"images", labels.classes.size()},
              {"classes", labels.names},
              {"classifier", arguments.classifier},
              {"folds", arguments.options.validation.folds},
              {"seed", arguments.options.seed},
              {"chance", chance},
              {"best", best},
              {"resumed", report.resumed},
              {"failed", report.failed},
              {"seconds", report.seconds},
              {"feature_seconds", report.feature_seconds},
              {"images_per_s", report.images_per_second},
              {"output", arguments.output},
              {"trials", trials}});
}

}  // namespace

void add_search_command(CLI::App& app) {
  const auto arguments = std::make_shared<SearchArguments>();
  vision::SearchOptions& options = arguments->options;
  CLI::App& command = *app.add_subcommand("search", "Search a space of models for one that tells images apart");
  command.footer(
      "DIR gets trials.jsonl, a line a trial, from which a search that was stopped goes on; the best models, "
      "best-1.toml\n"
      "and so on; and accuracy.png. Accuracies are of nested cross-validation. The best of many trials is a little "
      "better\n"
      "by luck: judge it by images that had no part in the search.\n"
      "Example: rtcg-vision search --space data/models/small.toml --images faces.npy --labels 100x0,100x1 -o found");
  command.add_option("--space", arguments->space, "The space of models, TOML; see docs/vision.md")
      ->type_name("FILE")
      ->required();
  command.add_option("--images", arguments->images, "Stacks in .npy files, folders of pictures; of one size")
      ->type_name("IMG")
      ->required();
  command
      .add_option(
          "--labels", arguments->labels,
          "A file of lines LABEL or IMAGE,LABEL; a .npy of integers; counts such as 100x0,100x1; or folders, for "
          "each image the name of its own")
      ->type_name("LABELS")
      ->required();
  command.add_option("-o,--output", arguments->output, "Directory for what is found")->type_name("DIR")->required();
  command.add_option("--trials", options.trials, "Models to try")
      ->type_name("N")
      ->check(whole_number(1))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "The same seed draws the same models")
      ->type_name("N")
      ->check(whole_number(0))
      ->capture_default_str();
  command.add_option("--classifier", arguments->classifier, "ridge or svm")->type_name("KIND")->capture_default_str();
  command.add_option("--folds", options.validation.folds, "Outer folds of the cross-validation")
      ->type_name("N")
      ->check(whole_number(2))
      ->capture_default_str();
  command.add_option("--keep", options.keep, "Best models to write")
      ->type_name("N")
      ->check(whole_number(1))
      ->capture_default_str();
  command.add_option("--batch", options.batch, "Images at a time; default: what fills the device")
      ->type_name("N")
      ->check(whole_number(1));
  add_device_option(command, *arguments);
  add_output_options(command, *arguments);
  command.callback([arguments] { run(*arguments); });
}

}  // namespace rtcg::app
