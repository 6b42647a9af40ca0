#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/common/json_output.h"
#include "apps/common/options.h"
#include "apps/rtcg-dgfem/commands.h"
#include "apps/rtcg-dgfem/mesh_report.h"
#include "dgfem/mesh/gmsh_writer.h"
#include "dgfem/mesh/ordering.h"
#include "dgfem/mesh/read_mesh.h"
#include "dgfem/mesh/vtu.h"
#include "rtcg/error.h"

namespace rtcg::app {

namespace {

namespace fs = std::filesystem;

struct Arguments {
  CommonOptions common;
  std::string input, output;
  std::vector<std::string> periodic;  // pairs
  bool binary = false, merge = false, reorder = false;
};

dgfem::Mesh read(const Arguments& arguments) {
  if (arguments.common.json_to_stdout() || arguments.common.json.empty()) return dgfem::read_mesh(arguments.input);
  std::error_code ignored;
  if (fs::equivalent(arguments.common.json, arguments.input, ignored))
    throw UsageError(fmt::format("--json {} is the mesh itself", arguments.common.json));
  return dgfem::read_mesh(arguments.input);
}

void print(const Arguments& arguments, const MeshReport& report, const std::string& text) {
  if (!arguments.common.prints_text()) return;
  fmt::print("{}", text);
  for (const std::string& remark : report.findings.remarks) fmt::print("remark       {}\n", remark);
  for (const std::string& error : report.findings.errors) fmt::print("error        {}\n", error);
}

void run_info(const Arguments& arguments) {
  const dgfem::Mesh mesh = read(arguments);
  const MeshReport report = report_on(arguments.input, mesh);
  print(arguments, report, to_text(report));
  write_json(arguments.common.json, to_json(report));
}

void run_check(const Arguments& arguments) {
  const dgfem::Mesh mesh = read(arguments);
  const MeshReport report = report_on(arguments.input, mesh);
  const std::vector<std::string>& errors = report.findings.errors;
  print(arguments, report, errors.empty() ? fmt::format("{}: can be used\n", arguments.input) : "");
  write_json(arguments.common.json, {{"file", arguments.input},
                                     {"usable", errors.empty()},
                                     {"remarks", report.findings.remarks},
                                     {"errors", errors}});
  if (!errors.empty())
    throw InputError(fmt::format("{}: cannot be used: {}{}", arguments.input, errors.front(),
                                 errors.size() > 1 ? fmt::format(" (and {} more)", errors.size() - 1) : ""));
}

void run_convert(const Arguments& arguments) {
  const fs::path output = arguments.output;
  const bool gmsh = output.extension() == ".msh";
  if (!gmsh && output.extension() != ".vtu")
    throw UsageError(fmt::format("-o {}: the extension should be .msh (Gmsh 4.1) or .vtu (VTK)", arguments.output));
  if (arguments.binary && !gmsh) throw UsageError("--binary is for .msh; .vtu is always binary");
  if (!gmsh && !dgfem::vtu_available())
    throw UsageError(fmt::format("-o {}: this build has no VTK and so writes no .vtu", arguments.output));
  std::error_code ignored;
  if (fs::equivalent(output, arguments.input, ignored))
    throw UsageError(fmt::format("-o {} is the mesh itself", arguments.output));
  dgfem::Mesh mesh = read(arguments);
  if (arguments.merge) mesh = merged(mesh);
  if (arguments.reorder) mesh = reordered(mesh, hilbert_order(mesh));
  for (std::size_t k = 0; k + 1 < arguments.periodic.size(); k += 2)
    add_periodic(mesh, arguments.periodic[k], arguments.periodic[k + 1]);
  gmsh ? write_gmsh(output, mesh, arguments.binary) : write_vtu(output, mesh);
  const MeshReport report = report_on(arguments.output, mesh);
  print(arguments, report,
        fmt::format("{}: {} elements, {} points\n", arguments.output, mesh.size(), mesh.points.size()));
  write_json(arguments.common.json, to_json(report));
}

CLI::App& add(CLI::App& mesh, const std::shared_ptr<Arguments>& arguments, const std::string& name,
              const std::string& purpose, void (*run)(const Arguments&), const std::string& example) {
  CLI::App& command = *mesh.add_subcommand(name, purpose);
  command.add_option("mesh", arguments->input, "Gmsh (.msh), Gambit neutral (.neu) or VTK (.vtu)")
      ->required()
      ->type_name("FILE");
  add_output_options(command, arguments->common);
  command.callback([arguments, run] { run(*arguments); });
  command.footer("Example: rtcg-dgfem mesh " + example);
  return command;
}

}  // namespace

void add_mesh_commands(CLI::App& app) {
  CLI::App& mesh = *app.add_subcommand("mesh", "Look at meshes, check and convert them");
  mesh.require_subcommand(1);
  const auto arguments = std::make_shared<Arguments>();
  add(mesh, arguments, "info", "Say what a mesh holds: regions, boundaries, sizes, quality", run_info,
      "info cavity.msh");
  add(mesh, arguments, "check", "Say whether a mesh can be used; exit code 3 if not", run_check,
      "check cavity.msh --json -");
  CLI::App& convert =
      add(mesh, arguments, "convert", "Write a mesh as Gmsh 4.1 or VTK", run_convert, "convert cube.neu -o cube.vtu");
  convert.add_option("-o,--output", arguments->output, "Where to write; .msh or .vtu")->required()->type_name("FILE");
  convert.add_flag("--binary", arguments->binary, "Write .msh in binary");
  convert.add_flag("--merge", arguments->merge, "Make coincident points one, so that volumes written apart are joined");
  convert.add_flag("--reorder", arguments->reorder, "Number elements along a space-filling curve");
  convert
      .add_option("--periodic", arguments->periodic,
                  "Two boundaries that are one, the second a translation of the first; may be repeated")
      ->type_name("NAME NAME")
      ->type_size(2);
}

}  // namespace rtcg::app
