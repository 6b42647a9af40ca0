// A search as a picture: every variant's time in the order it was tried, the best so far, the default, the failures.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "apps/common/chart.h"

namespace rtcg::app {

/// `seconds` of each variant in order, none for one that failed; `standard` of the default, 0 when it failed.
Chart search_chart(const std::string& title, const std::vector<std::optional<double>>& seconds, double standard);

}  // namespace rtcg::app
