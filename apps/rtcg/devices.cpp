#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/common/json_output.h"
#include "apps/common/options.h"
#include "apps/rtcg/commands.h"
#include "rtcg/error.h"

namespace rtcg::app {

namespace {

const char* name_of(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::gpu:
      return "GPU";
    case DeviceKind::cpu:
      return "CPU";
    default:
      return "accelerator";
  }
}

std::string byte_count(std::size_t bytes) {
  if (bytes >= std::size_t{1} << 30) return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / (1 << 30));
  if (bytes >= std::size_t{1} << 20) return fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
  return fmt::format("{} KiB", bytes >> 10);
}

/// Empty when there is none, or when RTCG_DEVICE names one that is not there.
std::string preferred_id() {
  try {
    return Device::preferred().id();
  } catch (const DeviceError&) {
    return {};
  }
}

void print_text(const std::vector<Device>& devices, const std::string& preferred) {
  for (const BackendStatus& backend : Device::backends())
    fmt::print("{:8}{}\n", backend.name, backend.available ? backend.detail : "not available: " + backend.detail);
  if (devices.empty()) fmt::print("\nNo devices.\n");
  for (const Device& device : devices) {
    const DeviceProperties& p = device.properties();
    fmt::print("\n{}  {}{}\n", p.id, p.name, p.id == preferred ? "  (used when none is named)" : "");
    fmt::print("  {}, {} compute units, {} memory, {} local memory, work-groups up to {}\n", name_of(p.kind),
               p.compute_units, byte_count(p.global_memory), byte_count(p.local_memory), p.max_work_group);
    fmt::print("  double: {}, half: {}, images: {}, architecture {}\n", p.has_double ? "yes" : "no",
               p.has_half ? "yes" : "storage only", p.has_images ? "yes" : "no", p.architecture);
    fmt::print("  {}, driver {}\n", p.platform, p.driver);
  }
}

nlohmann::ordered_json as_json(const DeviceProperties& p) {
  return {{"id", p.id},
          {"name", p.name},
          {"backend", p.backend == Backend::cuda ? "CUDA" : "OpenCL"},
          {"kind", name_of(p.kind)},
          {"vendor", p.vendor},
          {"platform", p.platform},
          {"driver", p.driver},
          {"architecture", p.architecture},
          {"compute_units", p.compute_units},
          {"clock_mhz", p.clock_mhz},
          {"simd_width", p.simd_width},
          {"global_memory", p.global_memory},
          {"largest_allocation", p.largest_allocation},
          {"local_memory", p.local_memory},
          {"constant_memory", p.constant_memory},
          {"cache", p.cache},
          {"max_work_group", p.max_work_group},
          {"max_parameter_bytes", p.max_parameter_bytes},
          {"base_alignment", p.base_alignment},
          {"has_double", p.has_double},
          {"has_half", p.has_half},
          {"has_images", p.has_images},
          {"unified_memory", p.unified_memory}};
}

}  // namespace

void add_devices_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("devices", "List the devices of both back ends, and why one is missing");
  command->footer("Example: rtcg devices --json -");
  auto options = std::make_shared<CommonOptions>();
  add_output_options(*command, *options);
  command->callback([options] {
    const std::vector<Device> devices = Device::all();
    const std::string preferred = preferred_id();
    if (options->prints_text()) print_text(devices, preferred);
    if (options->json.empty()) return;
    nlohmann::ordered_json result = {{"backends", nlohmann::json::array()}, {"devices", nlohmann::json::array()}};
    for (const BackendStatus& backend : Device::backends())
      result["backends"].push_back(
          {{"name", backend.name}, {"available", backend.available}, {"detail", backend.detail}});
    for (const Device& device : devices) result["devices"].push_back(as_json(device.properties()));
    result["preferred"] = preferred.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(preferred);
    write_json(options->json, result);
  });
}

}  // namespace rtcg::app
