// A kernel's tuning description as plain data: which problem, which variants, what they need and how they are tried.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rtcg/compile/source.h"
#include "rtcg/device/stream.h"
#include "rtcg/tune/space.h"
#include "rtcg/tune/trial.h"

namespace rtcg {

/// What a configuration asks of the device; held against DeviceProperties before anything is compiled.
struct Demand {
  std::size_t work_group_size = 1;  ///< items
  std::size_t local_bytes = 0;

  /// Why the device cannot give it; empty when it can.
  std::string objection(const DeviceProperties& device) const;
};

struct Tunable {
  std::string family;                         ///< "filterbank"
  int version = 1;                            ///< raised when older records no longer apply to the code
  std::map<std::string, std::string> traits;  ///< must match exactly: dtype, border, layout
  std::map<std::string, double> sizes;        ///< compared by their ratios
  ParameterSpace space;
  std::function<Demand(const Configuration&)> demand;
  std::function<std::vector<Source>(const Configuration&)> sources;  ///< texts that a search may compile ahead
  std::function<std::unique_ptr<Trial>(const Stream&)> trial;
  double work = 0;   ///< amount of one execution in `unit`, for rates; 0: none
  std::string unit;  ///< "FLOP", "B", "element"
};

}  // namespace rtcg
