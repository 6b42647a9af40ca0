// rtcg tune list and show: what can be tuned, what is known, and what would be chosen.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/common/json_output.h"
#include "apps/rtcg/tune.h"
#include "rtcg/environment.h"
#include "rtcg/error.h"

namespace rtcg::app {

namespace {

using Json = nlohmann::ordered_json;

struct ShowOptions : TuneCommandOptions {
  bool every_device = false;
};

std::size_t known_for(const WisdomDevice& device, const std::string& family) {
  std::size_t count = 0;
  for (const TierFile& tier : *Wisdom::standard().files(family))
    count +=
        static_cast<std::size_t>(std::count_if(tier.file.entries.begin(), tier.file.entries.end(),
                                               [&](const WisdomEntry& entry) { return is_of(device, entry.record); }));
  return count;
}

/// Registered or only known from files.
std::set<std::string> all_families() {
  std::set<std::string> names;
  for (const TunableFamily& family : tunable_families().families()) names.insert(family.name);
  for (const WisdomTier& tier : Wisdom::standard().tiers())
    for (std::string& name : families_in(tier.directory)) names.insert(std::move(name));
  return names;
}

const TunableFamily* registered(const std::string& name) {
  const auto& families = tunable_families().families();
  const auto found = std::find_if(families.begin(), families.end(), [&](const auto& f) { return f.name == name; });
  return found == families.end() ? nullptr : &*found;
}

Json as_json(const TunableFamily& family) {
  Json traits = Json::array(), sizes = Json::array();
  for (const TunableFamily::Trait& trait : family.traits)
    traits.push_back({{"name", trait.name}, {"meaning", trait.meaning}, {"values", trait.values}});
  for (const TunableFamily::Size& size : family.sizes)
    sizes.push_back({{"name", size.name}, {"meaning", size.meaning}, {"default", size.standard}});
  return {{"meaning", family.meaning}, {"traits", traits}, {"sizes", sizes}};
}

void print_family(const std::string& name, const TunableFamily* family, std::size_t records) {
  fmt::print("\n{}: {}\n", name, family ? family->meaning : "not of this suite; known from its records");
  if (family) {
    for (const TunableFamily::Size& size : family->sizes)
      fmt::print("  --size {:<27} {}\n", fmt::format("{}={}", size.name, size.standard), size.meaning);
    for (const TunableFamily::Trait& trait : family->traits)
      fmt::print("  --trait {:<26} {}\n", fmt::format("{}={}", trait.name, fmt::join(trait.values, "|")),
                 trait.meaning);
  }
  fmt::print("  {}\n",
             records == 0 ? "nothing known for this device" : fmt::format("{} records for this device", records));
}

void list(const CommonOptions& options) {
  const Device device = select_device(options);
  const WisdomDevice described = WisdomDevice::of(device);
  Json tiers = Json::array(), families = Json::object();
  for (const WisdomTier& tier : Wisdom::standard().tiers())
    tiers.push_back({{"name", tier.name}, {"directory", tier.directory.string()}});
  if (options.prints_text()) {
    fmt::print("Device {}: {}\n", device.id(), described.name);
    if (!environment().wisdom_enabled) fmt::print("Wisdom is turned off by RTCG_WISDOM=0\n");
    for (const WisdomTier& tier : Wisdom::standard().tiers())
      fmt::print("{:8} {}\n", tier.name, tier.directory.string());
  }
  for (const std::string& name : all_families()) {
    const TunableFamily* family = registered(name);
    const std::size_t records = known_for(described, name);
    if (options.prints_text()) print_family(name, family, records);
    families[name] = family ? as_json(*family) : Json::object();
    families[name]["records"] = records;
  }
  write_json(options.json, {{"device", device.id()}, {"tiers", tiers}, {"families", families}});
}

void print_entry(const TierFile& tier, const WisdomEntry& entry, bool with_device) {
  const WisdomRecord& r = entry.record;
  fmt::print("{}:{} ({})\n  {}\n  {}\n", tier.file.path.string(), entry.line, tier.tier, r.problem_text(),
             r.configuration.text());
  std::string figures = fmt::format("{} +- {:.1f} %", time_text(r.seconds), 100 * r.noise);
  if (const std::string rate = rate_text(r.work, r.unit, r.seconds); !rate.empty()) figures += ", " + rate;
  if (r.default_seconds > 0)
    figures += fmt::format(", {:.2f} times the default's speed", r.default_seconds / r.seconds);
  if (!r.verified) figures += ", not verified";
  fmt::print("  {}; {}, version {}\n", figures, r.date.empty() ? "undated" : r.date, r.version);
  if (with_device) fmt::print("  {} ({}), driver {}\n", r.device.name, r.device.backend, r.device.driver);
}

void print_selection(const Selection& selection, const Tunable& tunable) {
  WisdomRecord asked;
  asked.traits = tunable.traits, asked.sizes = tunable.sizes;
  fmt::print("\nFor {}:\n  {}\n  {}\n", asked.problem_text(), selection.text(), selection.configuration.text());
  for (const std::string& reason : selection.passed_over) fmt::print("  passed over: {}\n", reason);
}

void show(const ShowOptions& options) {
  const std::string& name = options.problem.family;
  const TunableFamily* family = registered(name);
  const bool asks = !options.problem.sizes.empty() || !options.problem.traits.empty();
  Wisdom& wisdom = Wisdom::standard();
  const auto files = wisdom.files(name);
  const bool has_records =
      std::any_of(files->begin(), files->end(), [](const TierFile& tier) { return !tier.file.entries.empty(); });
  if (!family && !has_records) tunable_families().find(name);  // says what there is
  const Device device = select_device(options);
  const WisdomDevice described = WisdomDevice::of(device);

  Json records = Json::array(), result = {{"family", name}, {"device", device.id()}};
  for (const TierFile& tier : *files)
    for (const WisdomEntry& entry : tier.file.entries) {
      if (!options.every_device && !is_of(described, entry.record)) continue;
      if (options.prints_text()) print_entry(tier, entry, options.every_device);
      Json item = rtcg::app::as_json(entry.record);
      item["file"] = tier.file.path.string(), item["line"] = entry.line, item["tier"] = tier.tier;
      records.push_back(std::move(item));
    }
  if (options.prints_text() && records.empty()) fmt::print("{}: no records for {}\n", name, described.name);
  result["records"] = std::move(records);
  if (!family && asks)
    throw UsageError(fmt::format("{} is not of this suite: what it would choose is not known", name));
  if (family) {
    const Tunable tunable = family->make(device, options.problem.trait_values(), options.problem.size_values());
    const Selection selection = wisdom.select(device, tunable);
    if (options.prints_text()) print_selection(selection, tunable);
    result["selection"] = rtcg::app::as_json(selection);
  }
  write_json(options.json, result);
}

}  // namespace

void add_tune_list(CLI::App& tune) {
  CLI::App* command = tune.add_subcommand("list", "List what can be tuned and how much is known for the device");
  command->footer("Example: rtcg tune list --device cuda:0");
  const auto options = std::make_shared<CommonOptions>();
  add_device_option(*command, *options);
  add_output_options(*command, *options);
  command->callback([options] { list(*options); });
}

void add_tune_show(CLI::App& tune) {
  CLI::App* command =
      tune.add_subcommand("show", "Show what is known of a family, and what would be chosen for a problem and why");
  command->footer("Example: rtcg tune show radix_sort --size length=1000000 --trait key_bytes=8");
  const auto options = std::make_shared<ShowOptions>();
  command->add_option("family", options->problem.family, "Family; see 'rtcg tune list'")
      ->type_name("FAMILY")
      ->required();
  add_problem_options(*command, options->problem);
  command->add_flag("--all-devices", options->every_device, "Show the records of every device");
  add_device_option(*command, *options);
  add_output_options(*command, *options);
  command->callback([options] { show(*options); });
}

}  // namespace rtcg::app
