#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/common/json_output.h"
#include "apps/common/options.h"
#include "apps/rtcg/commands.h"
#include "apps/rtcg/source_options.h"
#include "rtcg/compile/compiler.h"
#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"

namespace rtcg::app {

namespace {

using Json = nlohmann::ordered_json;

struct CompileOptions : CommonOptions {
  SourceOptions source;
  std::string architecture, save;
};

/// -1 is what a back end does not say.
Json known(int value) {
  return value < 0 ? Json() : Json(value);
}
std::string shown(int value) {
  return value < 0 ? "-" : std::to_string(value);
}

Json as_json(const std::string& name, const KernelResources& r) {
  return {{"name", name},
          {"registers", known(r.registers)},
          {"local_bytes", known(r.local_bytes)},
          {"private_bytes", known(r.private_bytes)},
          {"constant_bytes", known(r.constant_bytes)},
          {"max_work_group", known(r.max_work_group)},
          {"preferred_multiple", known(r.preferred_multiple)}};
}

void print_log(const std::string& log) {
  if (log.find_first_not_of(" \n\t") != log.npos) fmt::print("\n{}{}", log, log.back() == '\n' ? "" : "\n");
}

Json check_architecture(const CompileOptions& options, const Source& source) {
  const auto start = std::chrono::steady_clock::now();
  const CompileReport report = check_cuda(source, options.architecture);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  Json kernels = Json::array();
  for (const std::string& name : report.kernels) kernels.push_back({{"name", name}});
  if (options.prints_text()) {
    fmt::print("{} for {}: {} in {:.1f} ms, {} bytes\n", source.name(), options.architecture,
               report.from_cache ? "from the cache" : "compiled", 1e3 * seconds, report.binary_bytes);
    for (const std::string& name : report.kernels) fmt::print("  {}\n", name);
    print_log(report.log);
  }
  return {{"file", options.source.file},
          {"architecture", options.architecture},
          {"cached", report.from_cache},
          {"seconds", seconds},
          {"binary_bytes", report.binary_bytes},
          {"kernels", kernels},
          {"log", report.log}};
}

Json compile_on_device(const CompileOptions& options, const Source& source) {
  const Device device = select_device(options);
  std::optional<AsideFile> saved;
  if (!options.save.empty()) saved.emplace(options.save);
  const Module module = compile(device, source);
  Json kernels = Json::array();
  if (options.prints_text()) {
    fmt::print("{} on {} ({}): {} in {:.1f} ms\n", source.name(), device.id(), device.properties().name,
               module.from_cache() ? "from the cache" : "compiled", 1e3 * module.build_seconds());
    fmt::print("{:32}{:>10}{:>14}{:>12}{:>18}\n", "kernel", "registers", "local memory", "spills", "work-group limit");
  }
  for (const std::string& name : module.kernel_names()) {
    const KernelResources resources = module.kernel(name).resources();
    kernels.push_back(as_json(name, resources));
    if (options.prints_text())
      fmt::print("{:32}{:>10}{:>14}{:>12}{:>18}\n", name, shown(resources.registers), shown(resources.local_bytes),
                 shown(resources.private_bytes), shown(resources.max_work_group));
  }
  if (options.prints_text()) print_log(module.log());
  if (saved) {
    const std::vector<std::byte> binary = module.binary();
    saved->write({reinterpret_cast<const char*>(binary.data()), binary.size()});
    saved->commit();
  }
  return {{"file", options.source.file},       {"device", device.id()}, {"cached", module.from_cache()},
          {"seconds", module.build_seconds()}, {"kernels", kernels},    {"log", module.log()}};
}

Json as_json(const CompileError& error, const CompileOptions& options) {
  static constexpr const char* severities[] = {"note", "warning", "error"};
  Json diagnostics = Json::array();
  for (const Diagnostic& d : error.diagnostics())
    diagnostics.push_back({{"severity", severities[static_cast<int>(d.severity)]},
                           {"file", d.file},
                           {"line", d.line},
                           {"column", d.column},
                           {"message", d.message}});
  return {{"file", options.source.file}, {"error", error.what()}, {"diagnostics", diagnostics}, {"log", error.log()}};
}

}  // namespace

void add_compile_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compile", "Compile a kernel text and report what each kernel uses");
  command->footer(
      "Bytes of local memory per work-group and of spills per work-item; - where the back end does not say.\n"
      "Examples: rtcg compile axpy.cl -D T=float\n"
      "          rtcg compile axpy.cl --arch sm_90     (no GPU needed)");
  auto options = std::make_shared<CompileOptions>();
  add_source_options(*command, options->source);
  add_device_option(*command, *options);
  CLI::Option* architecture = command
                                  ->add_option("--arch", options->architecture,
                                               "Compile with NVRTC for this architecture instead of for a device")
                                  ->type_name("SM");
  CLI::Option* save =
      command->add_option("--save", options->save, "Write the device's binary to FILE")->type_name("FILE");
  for (CLI::Option* option : {architecture, save})
    option->check([](const std::string& value) { return std::string(value.empty() ? "needs a value" : ""); });
  architecture->excludes(save);
  architecture->excludes(command->get_option("--device"));
  add_output_options(*command, *options);
  command->callback([options] {
    const Source source = options->source.source();
    try {
      write_json(options->json, options->architecture.empty() ? compile_on_device(*options, source)
                                                              : check_architecture(*options, source));
    } catch (const CompileError& error) {
      write_json(options->json, as_json(error, *options));
      throw;
    }
  });
}

}  // namespace rtcg::app
