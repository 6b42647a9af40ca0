// A search for a kernel's fastest variant as a command runs it: its options, its progress, its table, its picture.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "apps/common/options.h"
#include "rtcg/tune/tunable.h"
#include "rtcg/tune/wisdom_record.h"

namespace rtcg::app {

struct TuningOptions : CommonOptions {
  std::string strategy, journal, png;
  double seconds = 60;
  std::size_t variants = 0;
  std::uint64_t seed = 1;
  bool cold = false, without_wisdom = false;
};

/// All but the device's and the output's.
void add_tuning_options(CLI::App& command, TuningOptions& options);
/// Searches, remembers the winner, and says what came out of it as the options ask for.
void run_tuning(const Device& device, const Tunable& tunable, const TuningOptions& options);

std::string time_text(double seconds);  ///< "12.3 us"
/// "1.23 TFLOP/s"; empty without work.
std::string rate_text(double work, const std::string& unit, double seconds);

nlohmann::ordered_json as_json(const WisdomRecord& record);

}  // namespace rtcg::app
