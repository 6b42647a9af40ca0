// rtcg tune verify: reads every file and says of every line whether it can answer.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/common/json_output.h"
#include "apps/rtcg/tune.h"
#include "rtcg/error.h"

namespace rtcg::app {

namespace {

using Json = nlohmann::ordered_json;

struct VerifyOptions : CommonOptions {
  std::vector<std::string> files;
};

struct Counts {
  std::size_t records = 0, bad = 0, unused = 0;
};

std::vector<TierFile> chosen_files(const VerifyOptions& options) {
  std::vector<TierFile> files;
  for (const std::string& name : options.files) {
    if (!std::filesystem::exists(name)) throw InputError(name + ": there is no such file");
    files.push_back({"file", read_wisdom(name)});
  }
  if (options.files.empty())
    for (const WisdomTier& tier : opened_wisdom().tiers())
      for (const std::string& family : families_in(tier.directory))
        files.push_back({tier.name, read_wisdom(tier.directory / wisdom_file_name(family))});
  return files;
}

/// Why a record cannot answer on the device; empty when it can. Makes its problem.
std::string objection_to(const WisdomRecord& record, const Device& device, std::optional<Tunable>& problem) {
  const auto& families = tunable_families().families();
  const auto family =
      std::find_if(families.begin(), families.end(), [&](const auto& f) { return f.name == record.family; });
  if (family == families.end()) return "the family is not of this suite";
  try {
    problem = family->make(device, record.traits, record.sizes);
  } catch (const UsageError& error) {
    return error.what();
  }
  if (problem->version != record.version)
    return fmt::format("version {} of the family, where this suite has {}", record.version, problem->version);
  if (!record.verified) return "its result was never verified";
  return question_of(device, *problem).objection(record.configuration);
}

void verify(const VerifyOptions& options) {
  const Device device = select_device(options);
  const WisdomDevice described = WisdomDevice::of(device);
  Counts counts;
  Json remarks = Json::array();
  const auto remark = [&](const std::string& kind, const WisdomFile& file, std::size_t line, const std::string& what) {
    const std::string place = line == 0 ? file.path.string() : fmt::format("{}:{}", file.path.string(), line);
    if (options.prints_text()) fmt::print("{}: {}: {}\n", place, kind, what);
    remarks.push_back({{"kind", kind}, {"file", file.path.string()}, {"line", line}, {"what", what}});
  };
  for (const TierFile& tier : chosen_files(options)) {
    for (const auto& [line, what] : tier.file.bad) remark("bad", tier.file, line, what);
    for (const auto& [line, what] : tier.file.foreign) remark("unused", tier.file, line, what);
    counts.bad += tier.file.bad.size(), counts.unused += tier.file.foreign.size();
    counts.records += tier.file.entries.size();
    for (const WisdomEntry& entry : tier.file.entries) {
      if (!is_of(described, entry.record)) continue;
      std::optional<Tunable> problem;
      if (const std::string objection = objection_to(entry.record, device, problem); !objection.empty()) {
        remark("unused", tier.file, entry.line, objection);
        ++counts.unused;
      }
    }
  }
  if (options.prints_text())
    fmt::print("{} records; {} lines are bad, {} are not used\n", counts.records, counts.bad, counts.unused);
  write_json(options.json,
             {{"records", counts.records}, {"bad", counts.bad}, {"unused", counts.unused}, {"remarks", remarks}});
  if (counts.bad > 0) throw InputError(fmt::format("{} lines of wisdom are bad", counts.bad));
}

}  // namespace

void add_tune_verify(CLI::App& tune) {
  CLI::App* command = tune.add_subcommand("verify", "Read wisdom files and name every line that is bad or not used");
  command->footer("Example: rtcg tune verify --device cuda:0");
  const auto options = std::make_shared<VerifyOptions>();
  command->add_option("files", options->files, "Files to read; those of every tier when left out")->type_name("FILE");
  add_device_option(*command, *options);
  add_output_options(*command, *options);
  command->callback([options] { verify(*options); });
}

}  // namespace rtcg::app
