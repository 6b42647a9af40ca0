#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/common/json_output.h"
#include "apps/common/options.h"
#include "apps/rtcg/commands.h"
#include "rtcg/compile/compiler.h"
#include "rtcg/environment.h"
#include "rtcg/version.h"

namespace rtcg::app {

namespace {

std::string joined(const std::vector<std::string>& items) {
  return items.empty() ? "none" : fmt::format("{}", fmt::join(items, " "));
}

std::vector<std::string> as_strings(const std::vector<std::filesystem::path>& paths) {
  std::vector<std::string> result;
  for (const auto& path : paths) result.push_back(path.string());
  return result;
}

/// What each variable that the suite reads comes to, set or not.
nlohmann::ordered_json environment_in_force() {
  const Environment& e = environment();
  return {{"RTCG_DEVICE", e.device},
          {"RTCG_CACHE", e.cache_enabled ? "1" : "0"},
          {"RTCG_CACHE_DIR", e.cache_directory.string()},
          {"RTCG_CACHE_READONLY", fmt::format("{}", fmt::join(as_strings(e.shared_caches), ":"))},
          {"RTCG_CACHE_LIMIT", std::to_string(e.cache_limit >> 20)},
          {"RTCG_WISDOM", e.wisdom_enabled ? "1" : "0"},
          {"RTCG_WISDOM_DIR", e.wisdom_directory.string()},
          {"RTCG_WISDOM_SITE", fmt::format("{}", fmt::join(as_strings(e.site_wisdom), ":"))},
          {"RTCG_COMPILE_CHECK", fmt::format("{}", fmt::join(e.check_architectures, ","))},
          {"RTCG_CUDA_LIBRARY", e.cuda_library},
          {"RTCG_NVRTC_LIBRARY", e.nvrtc_library}};
}

}  // namespace

void add_info_command(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("info", "Show version, back ends, compiler, kernel cache and environment in force");
  command->footer("Example: RTCG_CACHE_DIR=/scratch/kernels rtcg info");
  auto options = std::make_shared<CommonOptions>();
  add_output_options(*command, *options);
  command->callback([options] {
    const std::vector<std::string> architectures = cuda_architectures();
    const CompileCache::Statistics cache = CompileCache::standard().statistics();
    const nlohmann::ordered_json variables = environment_in_force();
    const bool cached = environment().cache_enabled && !environment().cache_directory.empty();
    if (options->prints_text()) {
      fmt::print("rtcg {}\n\n", version);
      for (const BackendStatus& backend : Device::backends())
        fmt::print("{:14}{}\n", backend.name, backend.available ? backend.detail : "not available: " + backend.detail);
      fmt::print("{:14}{}\n", "NVRTC",
                 architectures.empty() ? "not available" : "compiles for " + joined(architectures));
      if (cached)
        fmt::print("{:14}{}: {} kernels, {:.1f} of {} MiB\n", "kernel cache", environment().cache_directory.string(),
                   cache.entries, static_cast<double>(cache.bytes) / (1 << 20), environment().cache_limit >> 20);
      else
        fmt::print("{:14}off\n", "kernel cache");
      fmt::print("{:14}{}\n\nEnvironment in force:\n", "locks", environment().lock_directory.string());
      for (const auto& [name, value] : variables.items()) fmt::print("  {}={}\n", name, value.get<std::string>());
    }
    if (options->json.empty()) return;
    nlohmann::ordered_json result = {{"version", version}, {"backends", nlohmann::json::array()}};
    for (const BackendStatus& backend : Device::backends())
      result["backends"].push_back(
          {{"name", backend.name}, {"available", backend.available}, {"detail", backend.detail}});
    result["nvrtc_architectures"] = architectures;
    result["cache"] = {{"enabled", cached},
                       {"directory", environment().cache_directory.string()},
                       {"entries", cache.entries},
                       {"bytes", cache.bytes}};
    result["lock_directory"] = environment().lock_directory.string();
    result["environment"] = variables;
    write_json(options->json, result);
  });
}

}  // namespace rtcg::app
