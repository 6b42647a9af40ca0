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
  std::vector<std::string> failures;  ///< topics that ended with an error, and the error
  void add(Result result);            ///< also prints a line to the log
};

struct Context {
  Stream stream;
  bool quick = false;             ///< smaller problems and shorter measurements, for trials and tests
  std::vector<std::string> only;  ///< topics of the suites to run; empty: all
  /// Called by topics that take minutes, with what they have: a run that is killed leaves a record of it.
  std::function<void(const Suite&)> keep = {};
  double copy_bandwidth = 0;      ///< bytes/s read + written
  double fma_rate = 0;            ///< FLOP/s, fp32
  double fma_rate_double = 0;     ///< FLOP/s, fp64; 0: the device has none
  double tensor_rate_double = 0;  ///< FLOP/s of fp64 matrix instructions; 0: none
  std::vector<int> orders = {};   ///< of polynomials, for the dgfem suite; empty: all
  double tune_seconds = 0;        ///< for each stage of the dgfem suite; 0: what wisdom and the defaults say
  bool on_gpu() const { return stream.device().properties().kind == DeviceKind::gpu; }
  Budget budget() const { return quick ? Budget{0.05, 0.05, 0.5} : Budget{}; }
  /// For each of those that are measured in turn.
  Budget turn_budget() const { return quick ? Budget{0.05, 0.02, 0.1} : Budget{0.005, 0.1, 0.5}; }
  /// Elements of a problem: 2^log2_gpu on a GPU, 2^log2_cpu elsewhere, 2^16 for a trial.
  std::size_t size(int log2_gpu, int log2_cpu) const {
    return std::size_t{1} << (quick ? 16 : on_gpu() ? log2_gpu : log2_cpu);
  }
};

void measure_ceilings(Context& context);
Suite core_suite(const Context& context);
std::vector<std::string> core_topics();  ///< what Context::only may name
Suite radar_suite(const Context& context);
Suite vision_suite(const Context& context);
std::vector<std::string> vision_topics();
Suite dgfem_suite(const Context& context);
std::vector<std::string> dgfem_topics();

nlohmann::ordered_json to_json(const Context& context, const std::vector<Suite>& suites, const std::string& commit);

}  // namespace rtcg::bench
