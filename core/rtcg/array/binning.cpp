#include "rtcg/array/binning.h"

#include <cmath>

#include <fmt/format.h>

#include "rtcg/array/histogram.h"
#include "rtcg/array/primitives.h"
#include "rtcg/array/reductions.h"
#include "rtcg/array/scans.h"
#include "rtcg/array/selection.h"
#include "rtcg/array/sorting.h"
#include "rtcg/error.h"

namespace rtcg {

namespace {

Array flat_samples(const char* action, const Expression& x) {
  if (is_complex(x.dtype())) throw UsageError(fmt::format("{}: {} has no order", action, dtype_name(x.dtype())));
  const std::optional<Stream> stream = stream_of({&x, 1});
  if (!stream) throw UsageError(fmt::format("{}: no operand is an array, so there is no stream to run on", action));
  return x.evaluate(*stream).contiguous().ravel();
}

void check_bins(std::int64_t bins) {
  if (bins < 1) throw UsageError(fmt::format("histogram: {} bins; at least one is needed", bins));
}

/// Counts of a problem whose bins are described already.
Array counts_of(const Array& samples, HistogramProblem problem) {
  const auto bins = static_cast<std::int64_t>(problem.bins);
  if (samples.size() == 0) return Array::zeros(samples.stream(), {bins}, Dtype::i64);
  const Array counts = Array::empty(samples.stream(), {bins}, Dtype::i64);
  problem.type = samples.dtype();
  problem.samples = samples.buffer();
  problem.offset = static_cast<std::size_t>(samples.offset());
  problem.count = static_cast<std::size_t>(samples.size());
  problem.counts = counts.buffer();
  problem.count_bytes = 8;
  histogram(samples.stream(), problem);
  return counts;
}

/// Sums of weights by the sample's bin; bins outside of 0 ... bins - 1 are left out. Sorting by bin keeps the samples
/// of a bin in order, and a scan adds them the same way every time.
Array weighted_sums(const Expression& bin, std::int64_t bins, const Expression& weights) {
  const Expression key = where(bin >= 0 && bin < bins, bin, bins).astype(Dtype::u32);
  const auto [keys, values] = sort_by_key(key, weights.astype(Dtype::f64));
  const auto [found, sums] = reduce_by_key(keys, values, sum_operation(Dtype::f64));
  const Array all = scatter(sums, found.astype(Dtype::i64), replicate(0.0, {bins + 1}));
  return all(Slice{0, bins});
}

Expression flat_weights(const Expression& x, const Expression& weights) {
  if (weights.shape() != x.shape())
    throw UsageError(fmt::format("histogram: samples of shape {} and weights of shape {}; they must agree",
                                 to_string(x.shape()), to_string(weights.shape())));
  if (is_complex(weights.dtype())) throw UsageError("histogram: weights must be real");
  return flat_samples("histogram", weights);
}

/// Bins are between `edges`, which are of the samples' edge type.
Array weighted_counts(const Array& samples, const Array& edges, const Expression& weights) {
  const std::int64_t bins = edges.size() - 1;
  if (samples.size() == 0) return Array::zeros(samples.stream(), {bins}, Dtype::f64);
  const Expression value = Expression(samples).astype(edges.dtype());
  const Array last = edges(Slice{bins});
  const Expression place = searchsorted(edges, value, SearchSide::right) - 1;
  const Expression bin = where(isnan(value), -1, where(value == take(last, 0), bins - 1, place));
  return weighted_sums(bin, bins, weights);
}

template <class Real>
Array edges_array(const Stream& stream, double low, double high, std::int64_t bins) {
  std::vector<Real> edges(static_cast<std::size_t>(bins) + 1);
  const double step = (high - low) / static_cast<double>(bins);
  for (std::int64_t i = 0; i < bins; ++i) {
    // As the kernels do it: two roundings, no fused multiply-add.
    const volatile double along = static_cast<double>(i) * step;
    edges[static_cast<std::size_t>(i)] = static_cast<Real>(low + along);
  }
  edges.back() = static_cast<Real>(high);
  return Array::from(stream, edges);
}

}  // namespace

Histogram histogram(const Expression& x, std::int64_t bins, double low, double high,
                    const std::optional<Expression>& weights) {
  check_bins(bins);
  if (!(std::isfinite(low) && std::isfinite(high) && low < high))
    throw UsageError(fmt::format("histogram: the bounds must be finite and ascending, not {} and {}", low, high));
  const std::optional<Expression> own_weights = weights ? std::optional(flat_weights(x, *weights)) : std::nullopt;
  const Array samples = flat_samples("histogram", x);
  const Stream& stream = samples.stream();
  const Array edges = edge_type(samples.dtype()) == Dtype::f32 ? edges_array<float>(stream, low, high, bins)
                                                               : edges_array<double>(stream, low, high, bins);
  if (own_weights) return {weighted_counts(samples, edges, *own_weights), edges};
  HistogramProblem problem;
  problem.bins = static_cast<std::size_t>(bins);
  problem.low = low, problem.high = high;
  return {counts_of(samples, problem), edges};
}

Histogram histogram(const Expression& x, std::int64_t bins, const std::optional<Expression>& weights) {
  check_bins(bins);
  const Array samples = flat_samples("histogram", x);
  if (samples.size() == 0) throw UsageError("histogram: no samples, so no bounds; name low and high");
  const Expression extremes[] = {min(samples), max(samples)};
  const std::vector<Array> found = evaluate(extremes);
  double low = found[0].item<double>(), high = found[1].item<double>();
  if (!std::isfinite(low) || !std::isfinite(high))
    throw UsageError(
        fmt::format("histogram: the samples run from {} to {}; name finite bounds low and high", low, high));
  if (low == high) low -= 0.5, high += 0.5;
  if (!weights) return histogram(samples, bins, low, high);
  return histogram(samples, bins, low, high, flat_weights(x, *weights));
}

Histogram histogram(const Expression& x, const Array& edges, const std::optional<Expression>& weights) {
  if (edges.dimensions() != 1 || edges.size() < 2)
    throw UsageError(fmt::format("histogram: edges of shape {}; one dimension and two edges or more are needed",
                                 to_string(edges.shape())));
  const std::optional<Expression> own_weights = weights ? std::optional(flat_weights(x, *weights)) : std::nullopt;
  const Array samples = flat_samples("histogram", x);
  const auto values = edges.astype(Dtype::f64).to_vector<double>();
  for (std::size_t i = 1; i < values.size(); ++i)
    if (!(values[i - 1] <= values[i]))
      throw UsageError(
          fmt::format("histogram: edge {} is {}, after {}; edges must ascend", i, values[i], values[i - 1]));
  const Array own_edges = edges.on(samples.stream()).astype(edge_type(samples.dtype())).copy();
  if (own_weights) return {weighted_counts(samples, own_edges, *own_weights), own_edges};
  HistogramProblem problem;
  problem.kind = HistogramProblem::Bins::edges;
  problem.bins = values.size() - 1;
  problem.edges = own_edges.buffer();
  return {counts_of(samples, problem), own_edges};
}

Array bincount(const Expression& x, std::int64_t least, const std::optional<Expression>& weights) {
  if (!is_integer(x.dtype()) && x.dtype() != Dtype::boolean)
    throw UsageError(fmt::format("bincount: {} is no integer type", dtype_name(x.dtype())));
  if (least < 0) throw UsageError(fmt::format("bincount: a least size of {}", least));
  const std::optional<Expression> own_weights = weights ? std::optional(flat_weights(x, *weights)) : std::nullopt;
  const Array samples = flat_samples("bincount", x);
  std::int64_t bins = least;
  if (samples.size() != 0) {
    const Expression extremes[] = {min(samples), max(samples)};
    const std::vector<Array> found = evaluate(extremes);
    const auto smallest = found[0].item<std::int64_t>(), largest = found[1].item<std::int64_t>();
    if (smallest < 0)
      throw UsageError(fmt::format("bincount: the smallest number is {}; they must not be negative", smallest));
    bins = std::max(bins, largest + 1);
  }
  if (bins == 0) return Array::empty(samples.stream(), {0}, own_weights ? Dtype::f64 : Dtype::i64);
  if (own_weights && samples.size() != 0)
    return weighted_sums(Expression(samples).astype(Dtype::i64), bins, *own_weights);
  if (own_weights) return Array::zeros(samples.stream(), {bins}, Dtype::f64);
  HistogramProblem problem;
  problem.kind = HistogramProblem::Bins::whole;
  problem.bins = static_cast<std::size_t>(bins);
  return counts_of(samples, problem);
}

}  // namespace rtcg
