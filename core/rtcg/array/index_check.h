// Checked mode of take, put and scatter: the first index out of range, in C order, becomes a UsageError.
#pragma once

#include <string_view>

#include "rtcg/array/expression.h"

namespace rtcg {

/// Does nothing unless is_checked(). Indices from -extent to extent - 1 are good. Evaluates them and waits; an
/// expression without arrays is evaluated on `stream`. "take: index 7 at (0, 3) is out of range for extent 5".
void check_indices(std::string_view what, const Stream& stream, const Expression& index, std::int64_t extent);

}  // namespace rtcg
