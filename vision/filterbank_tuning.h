// The filterbank as the tuner sees it: which variants there are for a problem on a device, and how one is tried.
#pragma once

#include "rtcg/tune/registry.h"
#include "vision/filterbank_kernel.h"

namespace rtcg::vision {

namespace filterbank {

/// Family "filterbank"; unit "FLOP" (two for each multiply-add of each response). The trial is that of
/// filterbank_trial.h, without an epilogue: which variant is best hardly depends on one. With a precision below exact
/// the factors are integers that it does not round.
Tunable describe(const Device& device, const FilterbankShape& shape, Precision allow = Precision::exact);

/// The parameters of a problem alone: "kernel" and each kernel's own.
ParameterSpace space(const Device& device, const FilterbankProblem& problem);

}  // namespace filterbank

/// "exact", "tf32", "fp16".
std::string_view name_of(Precision precision);
/// UsageError listing the names there are.
Precision parse_precision(std::string_view name);

/// Adds the family "filterbank" to what can be tuned by name.
void add_filterbank(TunableRegistry& registry);

}  // namespace rtcg::vision
