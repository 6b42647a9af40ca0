// Approximate inverses for conjugate gradients, made on the host from the matrix: the inverses of its diagonal blocks.
#pragma once

#include "rtcg/sparse/sparse_matrix.h"

namespace rtcg {

class Preconditioner {
 public:
  Preconditioner() = default;  ///< none

  /// 1 / diagonal.
  static Preconditioner jacobi(const Stream& stream, const SparseMatrix& matrix) {
    return block_jacobi(stream, matrix, 1);
  }
  /// Inverses of the diagonal blocks of `block` rows (1 to 16), the last one smaller where they do not come out even;
  /// inverted in double, from their lower triangles, as the matrix is taken to be symmetric. The matrix is real and
  /// square (UsageError); a block that is not positive definite is a NumericalError that names its rows.
  static Preconditioner block_jacobi(const Stream& stream, const SparseMatrix& matrix, std::size_t block);

  std::size_t block() const { return block_; }  ///< 0: none
  std::size_t rows() const { return rows_; }
  ScalarType dtype() const { return dtype_; }
  /// [row in block][column in block][block], so that neighbouring items read neighbouring blocks.
  const Buffer& inverses() const { return inverses_; }

 private:
  std::size_t block_ = 0, rows_ = 0;
  ScalarType dtype_ = ScalarType::unknown;
  Buffer inverses_;
};

}  // namespace rtcg
