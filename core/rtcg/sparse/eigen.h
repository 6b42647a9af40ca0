// Eigen's sparse matrices in and out. A header of its own, so that only those who use it need Eigen.
#pragma once

#include <Eigen/SparseCore>

#include "rtcg/sparse/sparse_matrix.h"

namespace rtcg {

/// From any expression of sparse type, of either storage order, compressed or not.
template <class Derived>
SparseMatrix from_eigen(const Eigen::SparseMatrixBase<Derived>& expression) {
  using T = typename Derived::Scalar;
  Eigen::SparseMatrix<T, Eigen::RowMajor, std::int64_t> matrix = expression.derived();
  matrix.makeCompressed();
  const auto entries = static_cast<std::size_t>(matrix.nonZeros()), rows = static_cast<std::size_t>(matrix.rows());
  std::vector<std::int32_t> columns(entries);
  for (std::size_t k = 0; k < entries; ++k) columns[k] = static_cast<std::int32_t>(matrix.innerIndexPtr()[k]);
  return {rows,
          static_cast<std::size_t>(matrix.cols()),
          std::vector<std::int64_t>(matrix.outerIndexPtr(), matrix.outerIndexPtr() + rows + 1),
          std::move(columns),
          std::vector<T>(matrix.valuePtr(), matrix.valuePtr() + entries),
          EntryOrder::any};
}

template <class T>
Eigen::SparseMatrix<T, Eigen::RowMajor> to_eigen(const SparseMatrix& matrix) {
  std::vector<Eigen::Triplet<T>> triplets;
  triplets.reserve(matrix.nonzeros());
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    for (auto k = static_cast<std::size_t>(matrix.row_starts()[i]);
         k < static_cast<std::size_t>(matrix.row_starts()[i + 1]); ++k)
      triplets.emplace_back(static_cast<int>(i), matrix.column_indices()[k], matrix.template values_as<T>()[k]);
  Eigen::SparseMatrix<T, Eigen::RowMajor> result(static_cast<Eigen::Index>(matrix.rows()),
                                                 static_cast<Eigen::Index>(matrix.columns()));
  result.setFromTriplets(triplets.begin(), triplets.end());
  return result;
}

}  // namespace rtcg
