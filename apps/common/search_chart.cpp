#include "apps/common/search_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace rtcg::app {

Chart search_chart(const std::string& title, const std::vector<std::optional<double>>& seconds, double standard) {
  Chart::Series variants{.name = "variants", .x = {}, .y = {}},
      best{.name = "best so far", .x = {}, .y = {}, .mark = Chart::Mark::steps, .colour = Chart::Colour::orange},
      failed{.name = "failed", .x = {}, .y = {}, .mark = Chart::Mark::at_edge, .colour = Chart::Colour::red},
      level{.name = "default", .x = {}, .y = {}, .mark = Chart::Mark::level, .colour = Chart::Colour::green};
  double longest = standard, least = std::numeric_limits<double>::infinity();
  for (const std::optional<double>& time : seconds) longest = std::max(longest, time.value_or(0));
  const bool is_short = longest < 1e-3, is_long = longest >= 1;
  const double scale = is_short ? 1e6 : is_long ? 1 : 1e3;
  for (std::size_t n = 0; n < seconds.size(); ++n) {
    const double place = static_cast<double>(n + 1);
    if (!seconds[n]) {
      failed.x.push_back(place);
      continue;
    }
    least = std::min(least, *seconds[n]);
    variants.x.push_back(place), variants.y.push_back(scale * *seconds[n]);
    best.x.push_back(place), best.y.push_back(scale * least);
  }
  if (standard > 0) level.x.push_back(1), level.y.push_back(scale * standard);
  Chart chart{.title = title,
              .x_label = "variant, in the order of the search",
              .y_label = fmt::format("time of one execution ({})", is_short  ? "us"
                                                                   : is_long ? "s"
                                                                             : "ms"),
              .logarithmic = true,
              .counts = true};
  for (Chart::Series* series : {&variants, &level, &best, &failed})
    if (!series->x.empty()) chart.series.push_back(std::move(*series));
  return chart;
}

}  // namespace rtcg::app
