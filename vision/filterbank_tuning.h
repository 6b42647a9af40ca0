// The filterbank as the tuner sees it: which variants there are for a problem on a device, and how one is tried.
#pragma once

#include "vision/filterbank_kernel.h"

namespace rtcg::vision {

namespace filterbank {

/// Family "filterbank"; unit "GFLOP/s" (two for each multiply-add of each response). Its trial gives every variant
/// small integers, for which fp32 is exact, and holds the responses against sums in 64-bit integers, bit by bit; with
/// an epilogue, or a precision below exact, within the bound of the roundings that variant may do.
Tunable describe(const Device& device, const FilterbankShape& shape, const Epilogue& epilogue = {},
                 Precision allow = Precision::exact);

/// The parameters of a problem alone: "kernel" and each kernel's own.
ParameterSpace space(const Device& device, const FilterbankProblem& problem);

}  // namespace filterbank

/// "exact", "tf32", "fp16".
std::string_view name_of(Precision precision);
/// UsageError listing the names there are.
Precision parse_precision(std::string_view name);

}  // namespace rtcg::vision
