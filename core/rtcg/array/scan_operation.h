// Operators of the primitives as the scan skeleton takes them. Private to the array directory.
#pragma once

#include <string_view>

#include "rtcg/array/operator.h"
#include "rtcg/array/scans.h"

namespace rtcg {

/// On values of one type. UsageError naming the primitive when no neutral element is known.
ScanOperation scan_operation(std::string_view primitive, const Operator& f, Dtype type);

}  // namespace rtcg
