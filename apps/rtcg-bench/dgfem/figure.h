// The figure of the paper, from a record: GFLOP/s over the order, as it is and without one idea at a time, and what the
// host's cores make of the same.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "apps/common/chart.h"

namespace rtcg::bench {

/// `precision`: "single" or "double". Without series when the record has no such stages.
app::Chart stages_figure(const nlohmann::json& record, const std::string& precision);

}  // namespace rtcg::bench
