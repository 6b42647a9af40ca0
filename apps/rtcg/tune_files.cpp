// rtcg tune export, merge and forget: wisdom carried from one place to another, and thrown away.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "apps/common/json_output.h"
#include "apps/common/logging.h"
#include "apps/rtcg/tune.h"
#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"

namespace rtcg::app {

namespace {

namespace fs = std::filesystem;

struct ExportOptions : CommonOptions {
  std::vector<std::string> families;
  std::string output;
  bool every_device = false;
};

/// The user's records before the site's, so that of one date the site's count less.
std::vector<WisdomRecord> own_records(const std::string& family) {
  std::vector<WisdomRecord> records;
  const auto files = opened_wisdom().files(family);
  for (auto tier = files->rbegin(); tier != files->rend(); ++tier)
    if (tier->tier != "shipped")
      for (const WisdomEntry& entry : tier->file.entries) records.push_back(entry.record);
  return records;
}

void export_records(const ExportOptions& options) {
  std::set<std::string> families(options.families.begin(), options.families.end());
  if (families.empty())
    for (const WisdomTier& tier : opened_wisdom().tiers())
      for (std::string& name : families_in(tier.directory)) families.insert(std::move(name));
  std::optional<WisdomDevice> device;
  if (!options.every_device) device = WisdomDevice::of(select_device(options));
  std::vector<WisdomRecord> records;
  for (const std::string& family : families)
    for (WisdomRecord& record : own_records(family))
      if (!device || is_of(*device, record)) records.push_back(std::move(record));
  if (records.empty()) throw InputError("there is nothing to export: no record fits");

  records = newest_of(records);
  std::string content = wisdom_header("export") + '\n';
  for (const WisdomRecord& record : records) content += to_line(record) + '\n';
  if (options.output == "-") {
    std::fwrite(content.data(), 1, content.size(), stdout);
    return;
  }
  write_file(options.output, content);
  if (options.prints_text()) fmt::print("{}: {} records\n", options.output, records.size());
  write_json(options.json, {{"file", options.output}, {"records", records.size()}});
}

struct MergeOptions : CommonOptions {
  std::vector<std::string> files;
  std::string output;
};

void merge(const MergeOptions& options) {
  std::map<std::string, std::vector<WisdomRecord>> records;  // by family, or all under one name
  std::size_t read = 0, bad = 0, foreign = 0;
  for (const std::string& name : options.files) {
    if (!fs::exists(name)) throw InputError(name + ": there is no such file");
    WisdomFile file = read_wisdom(name);
    if (!file.bad.empty() && file.bad.front().line == 0) throw InputError(name + ": " + file.bad.front().what);
    for (const auto& [line, what] : file.bad) log_warning("{}:{}: {}", name, line, what);
    for (WisdomEntry& entry : file.entries)
      records[options.output.empty() ? entry.record.family : ""].push_back(std::move(entry.record));
    read += file.entries.size(), bad += file.bad.size(), foreign += file.foreign.size();
  }
  std::size_t taken = 0;
  for (const auto& [family, added] : records) {
    const fs::path target = options.output.empty() ? opened_wisdom().file_of(family) : fs::path(options.output);
    if (target.empty()) throw UsageError("wisdom has no place of the user's: set RTCG_WISDOM_DIR, or give -o FILE");
    taken += merge_wisdom(target, added);
  }
  if (options.prints_text())
    fmt::print("{} records read, {} taken; {} lines not understood, {} of another schema\n", read, taken, bad, foreign);
  write_json(options.json, {{"read", read}, {"taken", taken}, {"bad", bad}, {"foreign", foreign}});
}

struct ForgetOptions : TuneCommandOptions {};

void forget(const ForgetOptions& options) {
  const fs::path file = opened_wisdom().file_of(options.problem.family);
  if (file.empty()) throw UsageError("wisdom has no place of the user's: set RTCG_WISDOM_DIR");
  std::optional<WisdomDevice> device;
  if (!options.device.empty()) device = WisdomDevice::of(select_device(options));
  options.problem.trait_values(), options.problem.size_values();  // refused before the file is looked at
  const std::size_t forgotten = remove_wisdom(file, [&](const WisdomEntry& entry) {
    return options.problem.covers(entry.record) && (!device || is_of(*device, entry.record));
  });
  if (options.prints_text()) fmt::print("{}: {} records forgotten\n", file.string(), forgotten);
  write_json(options.json, {{"file", file.string()}, {"forgotten", forgotten}});
}

}  // namespace

void add_tune_export(CLI::App& tune) {
  CLI::App* command =
      tune.add_subcommand("export", "Write the records of the device to one file, of equal problems the newest");
  command->footer("Example: rtcg tune export radix_sort --device cuda:0 -o h200.jsonl");
  const auto options = std::make_shared<ExportOptions>();
  command->add_option("families", options->families, "Families; every one when left out")->type_name("FAMILY");
  command->add_option("-o,--output", options->output, "File to write, or - for the standard output")
      ->type_name("FILE")
      ->required();
  command->add_flag("--all-devices", options->every_device, "Take the records of every device");
  add_device_option(*command, *options);
  add_output_options(*command, *options);
  command->callback([options] { export_records(*options); });
}

void add_tune_merge(CLI::App& tune) {
  CLI::App* command = tune.add_subcommand(
      "merge", "Take the records of files into the user's wisdom or one file; of equal problems the newest stays");
  command->footer("Example: rtcg tune merge colleague.jsonl cluster.jsonl");
  const auto options = std::make_shared<MergeOptions>();
  command->add_option("files", options->files, "Files to read")->type_name("FILE")->required();
  command->add_option("-o,--output", options->output, "Merge into this file instead of the user's wisdom")
      ->type_name("FILE");
  add_output_options(*command, *options);
  command->callback([options] { merge(*options); });
}

void add_tune_forget(CLI::App& tune) {
  CLI::App* command =
      tune.add_subcommand("forget", "Remove records of a family from the user's wisdom: all, or those that fit");
  command->footer("Example: rtcg tune forget radix_sort --size length=1048576 --device cuda:0");
  const auto options = std::make_shared<ForgetOptions>();
  command->add_option("family", options->problem.family, "Family; see 'rtcg tune list'")
      ->type_name("FAMILY")
      ->required();
  add_problem_options(*command, options->problem);
  add_device_option(*command, *options);
  add_output_options(*command, *options);
  command->callback([options] { forget(*options); });
}

}  // namespace rtcg::app
