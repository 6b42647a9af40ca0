#include <fmt/chrono.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/common/json_output.h"
#include "apps/common/options.h"
#include "apps/rtcg/commands.h"
#include "apps/rtcg/source_options.h"
#include "rtcg/compile/compiler.h"
#include "rtcg/environment.h"
#include "rtcg/error.h"

namespace rtcg::app {

namespace {

using Json = nlohmann::ordered_json;

struct CacheOptions : CommonOptions {
  SourceOptions source;
  std::optional<std::size_t> limit_mebibytes;
  bool remove = false;
};
using Options = std::shared_ptr<CacheOptions>;

CompileCache& opened_cache() {
  if (!environment().cache_enabled) throw UsageError("the kernel cache is turned off by RTCG_CACHE=0");
  CompileCache& cache = CompileCache::standard();
  if (cache.directory().empty()) throw UsageError("the kernel cache has no place: set RTCG_CACHE_DIR or HOME");
  return cache;
}

std::string date(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

/// What a person knows an entry by: its first line of code.
std::string title(const Manifest& manifest) {
  for (const auto& [label, value] : manifest.parts()) {
    if (label == "name") return value;
    if (label != "text") continue;
    const std::size_t kernel = std::min(value.find("__kernel"), value.find("__global__"));
    const std::string text = value.substr(kernel == value.npos ? 0 : kernel);
    return text.substr(0, std::min(text.find('\n'), std::size_t{80}));
  }
  return "?";
}

Json parts_of(const Manifest& manifest) {
  Json parts = Json::array();
  for (const auto& [label, value] : manifest.parts()) parts.push_back({{"label", label}, {"value", value}});
  return parts;
}

void stat(const CacheOptions& options) {
  const CompileCache& cache = opened_cache();
  const CompileCache::Statistics statistics = cache.statistics();
  if (options.prints_text()) {
    fmt::print("{}: {} kernels, {:.1f} of {} MiB\n", cache.directory().string(), statistics.entries,
               static_cast<double>(statistics.bytes) / (1 << 20), environment().cache_limit >> 20);
    for (const auto& tier : environment().shared_caches) fmt::print("{}: read only\n", tier.string());
  }
  Json tiers = Json::array();
  for (const auto& tier : environment().shared_caches) tiers.push_back(tier.string());
  write_json(options.json, {{"directory", cache.directory().string()},
                            {"entries", statistics.entries},
                            {"bytes", statistics.bytes},
                            {"limit_bytes", environment().cache_limit},
                            {"readonly_tiers", tiers}});
}

void list(const CacheOptions& options) {
  Json entries = Json::array();
  for (const CompileCache::Listing& item : opened_cache().list()) {
    if (options.prints_text())
      fmt::print("{}  {}  {:>9}  {}\n", item.key.hex(), date(item.used), item.bytes,
                 item.intact ? title(item.manifest) : "corrupt");
    entries.push_back({{"key", item.key.hex()},
                       {"path", item.path.string()},
                       {"bytes", item.bytes},
                       {"used", date(item.used)},
                       {"intact", item.intact},
                       {"manifest", parts_of(item.manifest)}});
  }
  write_json(options.json, {{"entries", entries}});
}

void why(const CacheOptions& options) {
  CompileCache& cache = opened_cache();
  const Manifest manifest = manifest_for(select_device(options), options.source.source());
  const std::string key = manifest.key().hex();
  Json result = {{"file", options.source.file}, {"key", key}, {"cached", cache.find(manifest).has_value()}};
  if (result["cached"]) {
    if (options.prints_text()) fmt::print("{} is in the cache as {}\n", options.source.file, key);
  } else if (const auto nearest = cache.nearest(manifest)) {
    const std::vector<std::string> differences = nearest->manifest.differences(manifest);
    if (options.prints_text()) {
      fmt::print("{} is not in the cache. The nearest entry, {} of {}, differs (cached against wanted):\n",
                 options.source.file, nearest->key.hex(), date(nearest->used));
      for (const std::string& difference : differences) fmt::print("  {}\n", difference);
    }
    result["nearest"] = nearest->key.hex();
    result["differences"] = differences;
  } else if (options.prints_text()) {
    fmt::print("{} is not in the cache, which is empty\n", options.source.file);
  }
  write_json(options.json, result);
}

void report(const CacheOptions& options, const CompileCache::SweepReport& sweep) {
  if (options.prints_text()) {
    for (const std::string& problem : sweep.problems) fmt::print("{}\n", problem);
    fmt::print("{} kernels looked at, {} files removed, {:.1f} MiB freed\n", sweep.checked, sweep.removed,
               static_cast<double>(sweep.freed_bytes) / (1 << 20));
  }
  write_json(options.json, {{"checked", sweep.checked},
                            {"removed", sweep.removed},
                            {"freed_bytes", sweep.freed_bytes},
                            {"problems", sweep.problems}});
}

/// For what removes: whatever could not be removed is a failure.
void report_removal(const CacheOptions& options, const CompileCache::SweepReport& sweep) {
  report(options, sweep);
  if (!sweep.problems.empty())
    throw InputError(fmt::format("{} of {} kernels could not be removed", sweep.problems.size(), sweep.checked));
}

void verify(const CacheOptions& options) {
  const CompileCache::SweepReport sweep = opened_cache().verify(options.remove);
  report(options, sweep);
  if (sweep.removed < sweep.problems.size())
    throw InputError(fmt::format("{} of {} kernels in the cache are corrupt; --remove removes them",
                                 sweep.problems.size() - sweep.removed, sweep.checked));
}

void trim(const CacheOptions& options) {
  const std::size_t limit = options.limit_mebibytes.value_or(environment().cache_limit >> 20);
  if (limit > (SIZE_MAX >> 20)) throw UsageError(fmt::format("--limit {}: more than there can be", limit));
  report_removal(options, opened_cache().trim(limit << 20));
}

CLI::App* add(CLI::App& parent, const char* name, const char* description, const char* example, const Options& options,
              void (*run)(const CacheOptions&)) {
  CLI::App* command = parent.add_subcommand(name, description);
  command->footer(std::string("Example: ") + example);
  add_output_options(*command, *options);
  command->callback([options, run] { run(*options); });
  return command;
}

}  // namespace

void add_cache_command(CLI::App& app) {
  CLI::App* cache = app.add_subcommand("cache", "Look at and tidy the compiled kernels on disk");
  cache->require_subcommand(1);
  cache->footer(
      "The place is RTCG_CACHE_DIR, else ~/.cache/rtcg; RTCG_CACHE_LIMIT bounds it in MiB; 'rtcg info' shows both.");
  const auto options = std::make_shared<CacheOptions>();
  add(*cache, "stat", "Count the kernels and their bytes", "rtcg cache stat", options, stat);
  add(*cache, "list", "List the kernels, the last used first", "rtcg cache list --json -", options, list);
  CLI::App* command = add(*cache, "why", "Say why a kernel text would be compiled again",
                          "rtcg cache why axpy.cl -D T=float --device cuda:0", options, why);
  add_source_options(*command, options->source);
  add_device_option(*command, *options);
  command = add(*cache, "verify", "Read every kernel and check it", "rtcg cache verify --remove", options, verify);
  command->add_flag("--remove", options->remove, "Remove what is corrupt");
  command = add(*cache, "trim", "Remove the kernels unused longest until the rest fits", "rtcg cache trim --limit 100",
                options, trim);
  command->add_option("--limit", options->limit_mebibytes, "MiB to keep at most; RTCG_CACHE_LIMIT when left out")
      ->type_name("MIB")
      ->check(whole_number(0));
  add(*cache, "clear", "Remove every kernel", "rtcg cache clear", options,
      [](const CacheOptions& chosen) { report_removal(chosen, opened_cache().clear()); });
}

}  // namespace rtcg::app
