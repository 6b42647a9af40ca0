// Products of matrices without structure as a tunable family, "spmv": compressed rows or slices, and how many items
// share a row. Matrices whose diagonals show are not of it: their formats are read off the matrix.
#pragma once

#include <optional>

#include "rtcg/sparse/sparse_operator.h"
#include "rtcg/tune/registry.h"

namespace rtcg {

/// The options with what is known for matrices of this many rows and entries filled in; nothing where nothing is known,
/// and for CPU loops, which have compressed rows only.
std::optional<SparseOptions> tuned_product(const Device& device, const SparseMatrix& matrix,
                                           const SparseOptions& options);

void add_sparse_tunables(TunableRegistry& registry);

}  // namespace rtcg
