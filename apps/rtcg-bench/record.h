// A benchmark record: what was measured, where, with what, and beside which peer; JSON that pages are generated from.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "apps/rtcg-bench/measure.h"

namespace rtcg::bench {

struct Result {
  std::string name;                       ///< "backprojection accurate"
  double value = 0;                       ///< in `unit`
  std::string unit;                       ///< "Gbp/s"
  Measurement measurement;                ///< empty where the figure is not a time
  std::map<std::string, double> ratios;   ///< to a peer or a limit of the same run
  std::map<std::string, double> figures;  ///< what else belongs to it: SER, registers, sizes
  std::string note;
};

struct Suite {
  std::string name;
  std::vector<Result> results;
  void add(Result result);  ///< also prints a line to the log
};

struct Context {
  Stream stream;
  bool quick = false;         ///< smaller problems and shorter measurements, for trials and tests
  double copy_bandwidth = 0;  ///< bytes/s read + written
  double fma_rate = 0;        ///< FLOP/s, fp32
  Budget budget() const { return quick ? Budget{0.05, 0.05, 0.5} : Budget{}; }
};

void measure_ceilings(Context& context);
Suite core_suite(const Context& context);
Suite radar_suite(const Context& context);

nlohmann::ordered_json to_json(const Context& context, const std::vector<Suite>& suites, const std::string& commit);

}  // namespace rtcg::bench
