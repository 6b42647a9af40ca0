// Histograms of arrays: NumPy's histogram and bincount. Samples of any shape, taken flat; those outside of the bins and
// NaNs are left out; the last bin has its upper edge. Counts are int64 and exact; weighted sums are float64 and added
// in the order of the samples' positions within each bin, so that they repeat to the bit.
#pragma once

#include <optional>

#include "rtcg/array/expression.h"

namespace rtcg {

struct Histogram {
  Array counts;  ///< [bins], int64, or float64 sums of weights
  Array edges;   ///< [bins + 1], float32 or float64 (edge_type of the samples)
};

/// Bins of equal width from low to high. UsageError unless both are finite and low < high; weights have the shape of x.
Histogram histogram(const Expression& x, std::int64_t bins, double low, double high,
                    const std::optional<Expression>& weights = {});
/// Between the smallest and the largest sample, which are waited for; half a unit to both sides where they are equal.
/// UsageError when there are none or one is not finite.
Histogram histogram(const Expression& x, std::int64_t bins, const std::optional<Expression>& weights = {});
/// Between given edges, ascending (UsageError otherwise, they are waited for).
Histogram histogram(const Expression& x, const Array& edges, const std::optional<Expression>& weights = {});

/// How often each whole number from 0 on occurs, up to the largest or to `least` - 1 where that is more. Integers that
/// are not negative (UsageError).
Array bincount(const Expression& x, std::int64_t least = 0, const std::optional<Expression>& weights = {});

}  // namespace rtcg
