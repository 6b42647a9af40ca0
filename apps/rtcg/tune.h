// What the commands of `rtcg tune` share: which problem is meant, which records are, and how both are shown.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/common/tuning.h"
#include "rtcg/tune/registry.h"
#include "rtcg/tune/wisdom.h"

namespace rtcg::app {

/// Every family of every library of the suite.
const TunableRegistry& tunable_families();

/// FAMILY, --trait and --size.
struct ProblemOptions {
  std::string family;
  std::vector<std::string> traits, sizes;  ///< "name=value"

  /// UsageError for what is not name=value or is given twice.
  TunableFamily::Traits trait_values() const;
  TunableFamily::Sizes size_values() const;
  /// Has the given traits and sizes.
  bool covers(const WisdomRecord& record) const;
};
void add_problem_options(CLI::App& command, ProblemOptions& options);

struct TuneCommandOptions : CommonOptions {
  ProblemOptions problem;
};

/// Records of the device or of one with its name and architecture under another driver.
bool is_of(const WisdomDevice& device, const WisdomRecord& record);

/// The process's wisdom. UsageError when RTCG_WISDOM=0.
Wisdom& opened_wisdom();

/// The families that the directory has files of.
std::vector<std::string> families_in(const std::filesystem::path& directory);

nlohmann::ordered_json as_json(const Selection& selection);

void add_tune_list(CLI::App& tune);
void add_tune_show(CLI::App& tune);
void add_tune_run(CLI::App& tune);
void add_tune_export(CLI::App& tune);
void add_tune_merge(CLI::App& tune);
void add_tune_verify(CLI::App& tune);
void add_tune_forget(CLI::App& tune);

}  // namespace rtcg::app
