#include "rtcg/sparse/preconditioner.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rtcg/error.h"

namespace rtcg {

namespace {

constexpr std::size_t most_block = 16;

/// Inverts a symmetric positive definite matrix of size^2 in place through its Cholesky factor; false when it is not.
bool invert(std::vector<double>& a, std::size_t size) {
  std::vector<double> factor(size * size);
  for (std::size_t j = 0; j < size; ++j)
    for (std::size_t i = j; i < size; ++i) {
      double sum = a[i * size + j];
      for (std::size_t k = 0; k < j; ++k) sum -= factor[i * size + k] * factor[j * size + k];
      if (i == j && !(sum > 0 && std::isfinite(sum))) return false;
      factor[i * size + j] = i == j ? std::sqrt(sum) : sum / factor[j * size + j];
    }
  for (std::size_t column = 0; column < size; ++column) {
    std::vector<double> x(size);
    x[column] = 1;
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t k = 0; k < i; ++k) x[i] -= factor[i * size + k] * x[k];
      x[i] /= factor[i * size + i];
    }
    for (std::size_t i = size; i-- > 0;) {
      for (std::size_t k = i + 1; k < size; ++k) x[i] -= factor[k * size + i] * x[k];
      x[i] /= factor[i * size + i];
    }
    for (std::size_t i = 0; i < size; ++i) a[i * size + column] = x[i];
  }
  return true;
}

/// The lower triangle of the block from row `first` on, mirrored; the rest of a short last block is the identity.
template <class T>
std::vector<double> diagonal_block(const SparseMatrix& matrix, std::size_t first, std::size_t size) {
  std::vector<double> block(size * size);
  for (std::size_t row = 0; row < size; ++row) {
    if (first + row >= matrix.rows()) {
      block[row * size + row] = 1;
      continue;
    }
    const auto begin = matrix.row_starts()[first + row], end = matrix.row_starts()[first + row + 1];
    for (auto k = static_cast<std::size_t>(begin); k < static_cast<std::size_t>(end); ++k) {
      const std::int64_t column = matrix.column_indices()[k] - static_cast<std::int64_t>(first);
      if (column < 0 || column > static_cast<std::int64_t>(row)) continue;
      const auto j = static_cast<std::size_t>(column);
      block[row * size + j] = block[j * size + row] = static_cast<double>(matrix.values_as<T>()[k]);
    }
  }
  return block;
}

template <class T>
Buffer inverse_blocks(const Stream& stream, const SparseMatrix& matrix, std::size_t size) {
  const std::size_t blocks = (matrix.rows() + size - 1) / size;
  std::vector<T> inverses(std::max<std::size_t>(blocks * size * size, 1));
  for (std::size_t b = 0; b < blocks; ++b) {
    std::vector<double> block = diagonal_block<T>(matrix, b * size, size);
    if (!invert(block, size)) {
      const std::size_t last = std::min((b + 1) * size, matrix.rows()) - 1;
      throw NumericalError(
          size == 1 ? fmt::format("Jacobi preconditioner: the diagonal entry of row {} is not positive", last)
                    : fmt::format("block Jacobi preconditioner: the block of rows {} to {} is not positive definite",
                                  b * size, last));
    }
    for (std::size_t k = 0; k < size * size; ++k) inverses[k * blocks + b] = static_cast<T>(block[k]);
  }
  return Buffer::from(stream, inverses);
}

}  // namespace

Preconditioner Preconditioner::block_jacobi(const Stream& stream, const SparseMatrix& matrix, std::size_t block) {
  if (block == 0 || block > most_block)
    throw UsageError(fmt::format("block Jacobi preconditioner: blocks of 1 to {} rows, not {}", most_block, block));
  if (matrix.rows() != matrix.columns())
    throw UsageError(
        fmt::format("block Jacobi preconditioner: the matrix is {} x {}, not square", matrix.rows(), matrix.columns()));
  Preconditioner made;
  made.block_ = block, made.rows_ = matrix.rows(), made.dtype_ = matrix.dtype();
  if (matrix.dtype() == ScalarType::f64)
    made.inverses_ = inverse_blocks<double>(stream, matrix, block);
  else if (matrix.dtype() == ScalarType::f32)
    made.inverses_ = inverse_blocks<float>(stream, matrix, block);
  else
    throw UsageError(fmt::format("block Jacobi preconditioner: for float and double, not {}", name_of(matrix.dtype())));
  return made;
}

}  // namespace rtcg
