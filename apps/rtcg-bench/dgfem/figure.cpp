#include "apps/rtcg-bench/dgfem/figure.h"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "apps/rtcg-bench/dgfem/stage_work.h"

namespace rtcg::bench {

app::Chart stages_figure(const nlohmann::json& record, const std::string& precision) {
  using Mark = app::Chart::Mark;
  using Colour = app::Chart::Colour;
  app::Chart chart{.title = fmt::format("Maxwell's equations on tetrahedra, {} precision: {}", precision,
                                        record["device"]["name"].get<std::string>()),
                   .x_label = "order",
                   .y_label = "GFLOP/s by the rule of the paper's authors",
                   .logarithmic = true,
                   .counts = true};
  const std::vector<app::Chart::Series> known{{"chosen", {}, {}, Mark::line, Colour::blue},
                                              {"default", {}, {}, Mark::line, Colour::grey},
                                              {"portable", {}, {}, Mark::dots, Colour::grey},
                                              {"portable, split", {}, {}, Mark::line, Colour::orange},
                                              {"portable, one element a group", {}, {}, Mark::line, Colour::green},
                                              {"C++ on all cores", {}, {}, Mark::line, Colour::red},
                                              {"C++ on one core", {}, {}, Mark::crosses, Colour::red}};
  for (app::Chart::Series series : known) {
    for (const nlohmann::json& suite : record["suites"])
      for (const nlohmann::json& result : suite["results"]) {
        const auto name = result["name"].get<std::string>();
        int order = 0, read = 0;
        if (std::sscanf(name.c_str(), "Maxwell 3-D, N=%d, %n", &order, &read) != 1 || read == 0) continue;
        const std::string rest = series.name == "chosen" ? precision : precision + ": " + series.name;
        if (name.substr(static_cast<std::size_t>(read)) != rest) continue;
        series.x.push_back(order);
        series.y.push_back(StageWork{order, 4}.paper_flops_per_dof() * result["value"].get<double>());
      }
    if (!series.x.empty()) chart.series.push_back(std::move(series));
  }
  return chart;
}

}  // namespace rtcg::bench
