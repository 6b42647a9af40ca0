// One line of the suite beside its peers: all are timed in turn in the same run, so that a ratio compares like with
// like. A topic of the core suite is one file core/TOPIC.cpp with one function `void TOPIC_topic(Suite&, const
// Context&)`, declared in core/topics.h and named in the table of core_suite.cpp. What a topic writes for each line:
//
//   Comparison line(suite, context, "inclusive scan, 2^28 float", {n / 1e9, "Gelem/s", 8.0 * n, 400});
//   if (const CudaPeers* cuda = cuda_peers(device)) line.peer("CUB", [&] { call_peer(cuda->inclusive_sum, ...); });
//   if (!gpu) line.host_peer("C++ with OpenMP", [&] { openmp_inclusive_sum(...); });
//   line.ours([&] { scan(stream, ...); }, [&] { require(...); });
//
// Inputs are random, never zeros (data.h); sizes come from Context::size; the check runs once, before any timing.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/rtcg-bench/record.h"

namespace rtcg::bench {

/// What one execution does; it turns a time into figures.
struct Work {
  double amount = 1;       ///< of `unit`, without the "per second": 0.268 for 2^28 elements in "Gelem/s"
  std::string unit;        ///< "Gelem/s", "GB/s", "GFLOP/s"
  double bytes = 0;        ///< that must move to or from memory; gives the ratio to a copy. 0: memory is not the limit
  double h200_target = 0;  ///< in `unit`; what the suite wants to reach on that device. 0: none
};

class Comparison {
 public:
  Comparison(Suite& suite, const Context& context, std::string name, Work work);

  /// A competitor on the device; `queue` puts one execution onto the context's stream.
  void peer(const std::string& name, std::function<void()> queue, const std::string& note = {});
  /// A competitor on the host's cores; `prepare`, where given, runs before each execution, untimed.
  void host_peer(const std::string& name, std::function<void()> run, std::function<void()> prepare = {});

  /// Ours: executes once, checks the result, times everybody and adds a line for each peer and one for us, with ratios
  /// over 1 where we are faster than the peer or the limit.
  Result& ours(std::function<void()> queue, const std::function<void()>& check, const std::string& note = {});
  /// The peers' lines alone.
  void peers_only();

 private:
  struct Entry {
    std::string name, note;
    Sampler sampler;
  };
  Result result(const Entry& entry, const Measurement& time) const;

  Suite& suite_;
  const Context& context_;
  std::string name_;
  Work work_;
  std::vector<Entry> peers_;
};

/// Throws DeviceError: a figure of a wrong result must not stand.
void require(bool correct, std::string_view what);

}  // namespace rtcg::bench
