// Selections: what a scan of counts makes of arrays: filters, partitions, unique values, runs and sums by key. Elements
// are taken in C order and keep it. Each call is one kernel on CUDA (two elsewhere); how much was selected is read back
// at the end (one small copy, the only wait), and the results are views of memory of the input's size, so nothing is
// copied twice; copy() them to give the rest of the memory back.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "rtcg/array/scans.h"

namespace rtcg {

/// Elements whose `keep` is not zero; shapes broadcast together. Several values share one pass.
Array filter(const Expression& values, const Expression& keep);
std::vector<Array> filter(std::span<const Expression> values, const Expression& keep);
/// Elements whose `drop` is zero.
Array remove_if(const Expression& values, const Expression& drop);
/// Without a wait: memory of the input's size whose first `count` elements are selected, and that count, an uint64
/// array of one element.
struct PendingFilter {
  std::vector<Array> values;
  Array count;
};
PendingFilter filter_on_device(std::span<const Expression> values, const Expression& keep);

/// Indices (int64, C order) of the elements that are not zero.
Array flat_nonzero(const Expression& x);

/// Those that satisfy the condition, and the others, each in order.
std::pair<Array, Array> partition(const Expression& values, const Expression& condition);

/// Of each run of equal neighbours the first.
Array unique_neighbours(const Expression& x);
/// Keys of runs and the first value of each.
std::pair<Array, Array> unique_by_key(const Expression& keys, const Expression& values);

struct Runs {
  Array values, lengths;  ///< int64 lengths
};
Runs run_length_encode(const Expression& x);

/// Neighbours of equal keys combined in order: the keys of the runs and one value for each.
std::pair<Array, Array> reduce_by_key(const Expression& keys, const Expression& values, const ScanOperation& operation);

}  // namespace rtcg
