// rtcg tune verify: reads every file and says of every line whether it can answer, and with --run whether it is still
// right.
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
#include "rtcg/tune/session.h"

namespace rtcg::app {

namespace {

using Json = nlohmann::ordered_json;

struct VerifyOptions : CommonOptions {
  std::vector<std::string> files;
  bool run = false;
};

struct Counts {
  std::size_t records = 0, bad = 0, unused = 0, run = 0, wrong = 0;
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

/// Those that `known` lists: a description may add traits of its own.
template <class Values>
Values listed(const Values& values, const auto& known) {
  Values result;
  for (const auto& item : known)
    if (const auto found = values.find(item.name); found != values.end()) result.insert(*found);
  return result;
}

/// Why a record cannot answer on the device; empty when it can. Makes its problem.
std::string objection_to(const WisdomRecord& record, const Device& device, std::optional<Tunable>& problem) {
  const auto& families = tunable_families().families();
  const auto family =
      std::find_if(families.begin(), families.end(), [&](const auto& f) { return f.name == record.family; });
  if (family == families.end()) return "the family is not of this suite";
  try {
    problem = family->make(device, listed(record.traits, family->traits), listed(record.sizes, family->sizes));
  } catch (const UsageError& error) {
    return error.what();
  }
  if (problem->version != record.version)
    return fmt::format("version {} of the family, where this suite has {}", record.version, problem->version);
  if (problem->traits != record.traits || problem->sizes != record.sizes)
    return fmt::format("not a problem of this suite: {}", record.problem_text());
  if (!record.verified) return "its result was never verified";
  return question_of(device, *problem).objection(record.configuration);
}

/// Checks the winner again and times it beside the default. Throws NumericalError when its result is wrong.
Json run_again(const WisdomRecord& record, const Tunable& problem, const Device& device) {
  const Stream stream(device);
  const std::unique_ptr<Trial> trial = problem.trial(stream);
  std::vector<std::function<void()>> works{validated(*trial, stream, record.configuration),
                                           validated(*trial, stream, problem.space.standard())};
  const std::vector<Timing> timings = measure_in_turn(stream, works, {});
  return {{"problem", record.problem_text()},
          {"recorded_seconds", record.seconds},
          {"seconds", timings[0].seconds},
          {"noise", timings[0].noise},
          {"default_seconds", timings[1].seconds}};
}

void verify(const VerifyOptions& options) {
  const Device device = select_device(options);
  const WisdomDevice described = WisdomDevice::of(device);
  Counts counts;
  Json remarks = Json::array(), runs = Json::array();
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
      } else if (options.run) {
        ++counts.run;
        try {
          Json result = run_again(entry.record, *problem, device);
          if (options.prints_text())
            fmt::print("{}:{}: {}: {} now, {} when recorded, {:.2f} times the default's speed\n",
                       tier.file.path.string(), entry.line, entry.record.problem_text(), time_text(result["seconds"]),
                       time_text(entry.record.seconds),
                       result["default_seconds"].get<double>() / result["seconds"].get<double>());
          runs.push_back(std::move(result));
        } catch (const Error& error) {
          remark("wrong", tier.file, entry.line, error.what());
          ++counts.wrong;
        }
      }
    }
  }
  if (options.prints_text())
    fmt::print("{} records; {} lines are bad, {} are not used\n", counts.records, counts.bad, counts.unused);
  write_json(options.json, {{"records", counts.records},
                            {"bad", counts.bad},
                            {"unused", counts.unused},
                            {"wrong", counts.wrong},
                            {"remarks", remarks},
                            {"runs", runs}});
  if (counts.wrong > 0)
    throw NumericalError(fmt::format("{} of {} remembered configurations no longer work", counts.wrong, counts.run));
  if (counts.bad > 0) throw InputError(fmt::format("{} lines of wisdom are bad", counts.bad));
}

}  // namespace

void add_tune_verify(CLI::App& tune) {
  CLI::App* command = tune.add_subcommand(
      "verify", "Read wisdom files and name every line that is bad or not used; --run tries the winners again");
  command->footer("Example: rtcg tune verify --run --device cuda:0");
  const auto options = std::make_shared<VerifyOptions>();
  command->add_option("files", options->files, "Files to read; those of every tier when left out")->type_name("FILE");
  command->add_flag("--run", options->run, "Check and time the device's winners again, beside the default");
  add_device_option(*command, *options);
  add_output_options(*command, *options);
  command->callback([options] { verify(*options); });
}

}  // namespace rtcg::app
