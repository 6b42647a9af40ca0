#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/common/chart.h"
#include "apps/common/json_output.h"
#include "apps/common/options.h"
#include "apps/common/outputs.h"
#include "apps/common/picture.h"
#include "apps/common/progress.h"
#include "apps/rtcg-dgfem/commands.h"
#include "dgfem/case/case_file.h"
#include "dgfem/mesh/read_mesh.h"
#include "dgfem/output/measurement.h"
#include "rtcg/error.h"

namespace rtcg::app {

namespace {

struct Arguments {
  CommonOptions common;
  std::string input, picture;
  std::vector<int> orders{1, 2, 3, 4}, refinements;
  std::vector<std::string> meshes;
};

/// One solution: errors of the named fields together, and each.
struct Point {
  int order = 0;
  std::string mesh;
  std::size_t elements = 0;
  double size = 0;  ///< (volume / elements)^(1 / dimension), over that of the first mesh
  double l2 = 0, largest = 0;
  std::map<std::string, double> errors;
};

Point solve(const Stream& stream, const dgfem::Case& plan, dgfem::Mesh mesh, const std::string& name) {
  const dgfem::Problem problem = plan.load(std::move(mesh));
  dgfem::Solver solver(stream, problem, plan.solver_options());
  const dgfem::Measurement measure(solver, dgfem::error_measures(problem.exact));
  solver.advance_to(plan.final_time);
  Point point{problem.order,
              name,
              problem.mesh.size(),
              std::pow(1.0 / static_cast<double>(problem.mesh.size()), 1.0 / problem.mesh.dimension()),
              0,
              0,
              {}};
  const std::vector<double> values = measure(solver);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& what = measure.measures()[i].name;
    point.errors[what] = values[i];
    if (what.ends_with(".l2")) point.l2 = std::hypot(point.l2, values[i]);
    if (what.ends_with(".max")) point.largest = std::max(point.largest, values[i]);
  }
  if (!std::isfinite(point.l2))
    throw NumericalError(
        fmt::format("order {} on {}: fields are not finite at the end; a smaller cfl may help", point.order, name));
  return point;
}

std::optional<double> rate(const Point& coarse, const Point& fine) {
  if (coarse.order != fine.order || !(fine.size < coarse.size) || !(fine.l2 > 0)) return std::nullopt;
  return std::log(coarse.l2 / fine.l2) / std::log(coarse.size / fine.size);
}

void draw(const std::string& file, const std::string& name, const std::vector<Point>& points) {
  Chart chart{.title = name + ": error against the exact solution",
              .x_label = "log2 of the coarsest mesh's size over the mesh's",
              .y_label = "L2 error"};
  chart.logarithmic = true;
  const Chart::Colour colours[] = {Chart::Colour::blue, Chart::Colour::orange, Chart::Colour::green, Chart::Colour::red,
                                   Chart::Colour::grey};
  for (const Point& point : points) {
    const std::string label = fmt::format("order {}", point.order);
    if (chart.series.empty() || chart.series.back().name != label)
      chart.series.push_back({label, {}, {}, Chart::Mark::line, colours[chart.series.size() % 5]});
    chart.series.back().x.push_back(std::log2(points.front().size / point.size));
    chart.series.back().y.push_back(point.l2);
  }
  write_chart(file, chart);
}

void run(const Arguments& arguments) {
  dgfem::Case plan = dgfem::read_case(arguments.input);
  if (plan.problem.exact.empty())
    throw InputError(fmt::format("{}: [exact] is missing: errors are against it", arguments.input));
  if (!arguments.meshes.empty() && !arguments.refinements.empty())
    throw UsageError("--meshes and --refine exclude each other");
  if (!arguments.picture.empty() && !pictures_available())
    throw UsageError("--png: this build has no OpenCV and writes no pictures");
  check_outputs(
      {{"--png", arguments.picture}, {"--json", arguments.common.json_to_stdout() ? "" : arguments.common.json}},
      {arguments.input});
  const std::vector<int> refinements = arguments.refinements.empty() ? std::vector{1, 2, 4} : arguments.refinements;
  const std::size_t meshes = arguments.meshes.empty() ? refinements.size() : arguments.meshes.size();
  const Stream stream(select_device(arguments.common));
  const bool prints = arguments.common.prints_text();
  std::vector<Point> points;
  if (prints)
    fmt::print("{:>5}  {:<24} {:>9}  {:>11}  {:>5}  {:>11}\n", "order", "mesh", "elements", "L2 error", "rate",
               "max error");
  {
    Progress progress("convergence", arguments.orders.size() * meshes, "solutions");
    for (const int order : arguments.orders) {
      plan.problem.order = order;
      for (std::size_t i = 0; i < meshes; ++i) {
        const std::string name =
            arguments.meshes.empty() ? fmt::format("{} / {}", plan.mesh.text(), refinements[i]) : arguments.meshes[i];
        points.push_back(solve(
            stream, plan,
            arguments.meshes.empty() ? plan.mesh.read(refinements[i]) : dgfem::read_mesh(arguments.meshes[i]), name));
        const Point& point = points.back();
        const auto of = points.size() > 1 ? rate(points[points.size() - 2], point) : std::nullopt;
        if (prints)
          fmt::print("{:>5}  {:<24} {:>9}  {:>11.4e}  {:>5}  {:>11.4e}\n", order, name, point.elements, point.l2,
                     of ? fmt::format("{:.2f}", *of) : "", point.largest);
        progress.update(points.size());
      }
    }
  }
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < points.size(); ++i) {
    nlohmann::ordered_json one{{"order", points[i].order}, {"mesh", points[i].mesh},   {"elements", points[i].elements},
                               {"l2", points[i].l2},       {"max", points[i].largest}, {"fields", points[i].errors}};
    if (const auto of = i > 0 ? rate(points[i - 1], points[i]) : std::nullopt) one["rate"] = *of;
    list.push_back(std::move(one));
  }
  if (!arguments.picture.empty()) draw(arguments.picture, plan.name, points);
  write_json(arguments.common.json, {{"case", plan.name}, {"time", plan.final_time}, {"solutions", list}});
}

}  // namespace

void add_convergence_command(CLI::App& app) {
  CLI::App& command = *app.add_subcommand(
      "convergence",
      "Solve a case at several orders on several meshes; print errors against its exact solution and rates");
  const auto arguments = std::make_shared<Arguments>();
  command.add_option("case", arguments->input, "Case file (.toml) with [exact]")->required()->type_name("FILE");
  command.add_option("--orders", arguments->orders, "Polynomial orders, such as 1,2,3")
      ->delimiter(',')
      ->check(CLI::Range(1, 10));
  command.add_option("--meshes", arguments->meshes, "Meshes instead of the case's, coarse to fine")
      ->delimiter(',')
      ->type_name("FILE,...");
  command
      .add_option("--refine", arguments->refinements,
                  "Of a case with a box: factors for its cells, such as 1,2,4 (the default)")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000));
  command.add_option("--png", arguments->picture, "Draw the errors")->type_name("FILE");
  add_device_option(command, arguments->common);
  add_output_options(command, arguments->common);
  command.callback([arguments] { run(*arguments); });
  command.footer("Example: rtcg-dgfem convergence cavity.toml --orders 1,2,3 --refine 1,2,4 --png rates.png");
}

}  // namespace rtcg::app
