#include "apps/rtcg/tune.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "apps/rtcg/commands.h"
#include "rtcg/environment.h"
#include "rtcg/error.h"

namespace rtcg::app {

namespace {

using Json = nlohmann::ordered_json;

std::map<std::string, std::string> pairs_of(const char* option, const std::vector<std::string>& texts) {
  std::map<std::string, std::string> pairs;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == text.npos || equals + 1 == text.size())
      throw UsageError(fmt::format("{} '{}': not name=value", option, text));
    if (!pairs.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      throw UsageError(fmt::format("{} '{}': given twice", option, text.substr(0, equals)));
  }
  return pairs;
}

}  // namespace

TunableFamily::Traits ProblemOptions::trait_values() const {
  return pairs_of("--trait", traits);
}

TunableFamily::Sizes ProblemOptions::size_values() const {
  TunableFamily::Sizes values;
  for (const auto& [name, text] : pairs_of("--size", sizes)) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size())
      throw UsageError(fmt::format("--size {}={}: not a number", name, text));
    values.emplace(name, value);
  }
  return values;
}

bool ProblemOptions::covers(const WisdomRecord& record) const {
  const auto agree = [](const auto& asked, const auto& known) {
    return std::all_of(asked.begin(), asked.end(), [&known](const auto& pair) {
      const auto found = known.find(pair.first);
      return found != known.end() && found->second == pair.second;
    });
  };
  return (family.empty() || record.family == family) && agree(trait_values(), record.traits) &&
         agree(size_values(), record.sizes);
}

void add_problem_options(CLI::App& command, ProblemOptions& options) {
  command.add_option("--size", options.sizes, "A size of the problem; once for each")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--trait", options.traits, "A trait of the problem, such as dtype=float32; once for each")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

bool is_of(const WisdomDevice& device, const WisdomRecord& record) {
  return record.device.name == device.name && record.device.architecture == device.architecture &&
         record.device.backend == device.backend;
}

Wisdom& opened_wisdom() {
  if (!environment().wisdom_enabled) throw UsageError("wisdom is turned off by RTCG_WISDOM=0");
  return Wisdom::standard();
}

std::vector<std::string> families_in(const std::filesystem::path& directory) {
  std::vector<std::string> families;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error))
    if (const std::string stem = entry.path().stem().string();
        entry.path().extension() == ".jsonl" && !stem.starts_with('.'))
      families.push_back(stem);
  std::sort(families.begin(), families.end());
  return families;
}

Json as_json(const Selection& selection) {
  Json result = {{"link", to_text(selection.link)}, {"configuration", selection.configuration.text()}};
  if (selection.source) {
    result["distance"] = selection.distance;
    result["file"] = selection.source->file.string();
    result["line"] = selection.source->line;
    result["tier"] = selection.source->tier;
    result["record"] = as_json(selection.source->record);
  }
  result["passed_over"] = selection.passed_over;
  return result;
}

void add_tune_command(CLI::App& app) {
  CLI::App* tune = app.add_subcommand("tune", "Time the variants of a kernel and remember the fastest");
  tune->require_subcommand(1);
  tune->footer(
      "What is remembered lies in RTCG_WISDOM_DIR, else ~/.local/share/rtcg/wisdom; RTCG_WISDOM_SITE names "
      "directories\n"
      "that are asked after it, RTCG_WISDOM=0 turns all of it off. A first step: rtcg tune list");
  add_tune_list(*tune);
  add_tune_show(*tune);
  add_tune_run(*tune);
  add_tune_export(*tune);
  add_tune_merge(*tune);
  add_tune_verify(*tune);
  add_tune_forget(*tune);
}

}  // namespace rtcg::app
