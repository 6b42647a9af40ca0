#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/common/json_output.h"
#include "apps/common/options.h"
#include "apps/rtcg-dgfem/commands.h"
#include "dgfem/case/case_file.h"
#include "rtcg/error.h"

namespace rtcg::app {

namespace {

struct Arguments {
  CommonOptions common;
  std::string input, precision;
  int order = 0;
};

std::vector<std::string> texts(const std::vector<dgfem::Group>& groups) {
  std::vector<std::string> list;
  for (const dgfem::Group& group : groups)
    if (const std::string text = group.text(); !text.empty()) list.push_back(text);
  return list;
}

void run(const Arguments& arguments) {
  dgfem::Case plan = dgfem::read_case(arguments.input);
  if (arguments.order != 0) plan.problem.order = arguments.order;
  if (!arguments.precision.empty())
    plan.precision = arguments.precision == "single" ? ScalarType::f32 : ScalarType::f64;
  const Stream stream(select_device(arguments.common));
  const dgfem::Problem problem = plan.load();
  const dgfem::Solver solver(stream, problem, plan.solver_options());
  const dgfem::Discretization& mesh = solver.discretization();
  const double bytes = static_cast<double>(solver.data()->bytes());
  const double steps = std::ceil(plan.final_time / solver.step());
  if (arguments.common.prints_text()) {
    fmt::print("case         {}: {} ({}), order {}, {} precision\n", plan.name, problem.system->name,
               fmt::join(problem.system->fields, ", "), problem.order,
               plan.precision == ScalarType::f32 ? "single" : "double");
    fmt::print("mesh         {}: {} elements, {} of them curved\n", plan.mesh.text(), mesh.size(), mesh.curved());
    fmt::print("regions      {}\nboundaries   {}\n", fmt::join(texts(problem.mesh.regions), ", "),
               fmt::join(texts(problem.mesh.boundaries), ", "));
    fmt::print("freedom      {:.6g} degrees, {:.1f} B each, {:.4g} MB on {}\n", mesh.dofs(), bytes / mesh.dofs(),
               bytes / 1e6, stream.device().properties().name);
    fmt::print("time         {:g} in about {:.0f} steps of {:.4g} by {} (stable: {:.4g})\n", plan.final_time, steps,
               solver.step(), plan.scheme, solver.stable_step());
    fmt::print("kernels      {}\n", solver.variant().text());
  }
  write_json(arguments.common.json, {{"case", plan.name},
                                     {"system", problem.system->name},
                                     {"fields", problem.system->fields},
                                     {"order", problem.order},
                                     {"elements", mesh.size()},
                                     {"curved", mesh.curved()},
                                     {"regions", texts(problem.mesh.regions)},
                                     {"boundaries", texts(problem.mesh.boundaries)},
                                     {"dofs", mesh.dofs()},
                                     {"bytes", bytes},
                                     {"step", solver.step()},
                                     {"stable_step", solver.stable_step()},
                                     {"steps", steps},
                                     {"kernels", solver.variant().text()}});
}

}  // namespace

void add_info_command(CLI::App& app) {
  CLI::App& command = *app.add_subcommand("info", "Say what a case would run: size, memory, step, kernels");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("case", arguments->input, "Case file (.toml)")->required()->type_name("FILE");
  command.add_option("--order", arguments->order, "Polynomial order instead of the file's")->check(CLI::Range(1, 10));
  command.add_option("--precision", arguments->precision, "Instead of the file's")
      ->check(CLI::IsMember({"single", "double"}));
  add_device_option(command, arguments->common);
  add_output_options(command, arguments->common);
  command.callback([arguments] { run(*arguments); });
  command.footer("Example: rtcg-dgfem info cavity.toml --order 5 --precision single");
}

}  // namespace rtcg::app
