// Eigen matrices and vectors to and from arrays. Header-only, for programs that use Eigen themselves; the library does
// not. Vectors are arrays of one dimension, matrices of two; storage orders are kept apart by strides on the device, so
// neither side is transposed on the host.
#pragma once

#include <Eigen/Core>

#include "rtcg/array/array.h"

namespace rtcg {

/// Any dense expression of scalars with a Dtype. A column-major matrix becomes a view with column-major strides.
template <class Derived>
Array from_eigen(const Stream& stream, const Eigen::DenseBase<Derived>& values) {
  using T = typename Derived::Scalar;
  const auto plain = values.derived().eval();
  const std::span<const T> elements(plain.data(), static_cast<std::size_t>(plain.size()));
  const std::int64_t rows = plain.rows(), columns = plain.cols();
  if constexpr (Derived::IsVectorAtCompileTime)
    return Array::from(stream, elements);
  else if constexpr (Derived::IsRowMajor)
    return Array::from(stream, elements, Shape{rows, columns});
  else
    return Array::from(stream, elements, Shape{columns, rows}).transpose();
}

/// Blocks. `Matrix`: Eigen::MatrixXf, Eigen::VectorXd, Eigen::Array<int, 3, 4> ... UsageError when scalar, number of
/// dimensions or a fixed size do not fit.
template <class Matrix>
Matrix to_eigen(const Array& array) {
  using T = typename Matrix::Scalar;
  constexpr bool is_vector = Matrix::IsVectorAtCompileTime;
  if (array.dimensions() != (is_vector ? 1 : 2))
    throw UsageError("to_eigen: shape " + to_string(array.shape()) + (is_vector ? " for a vector" : " for a matrix"));
  const Eigen::Index rows = is_vector && Matrix::RowsAtCompileTime == 1 ? 1 : array.shape()[0];
  const Eigen::Index columns = !is_vector ? array.shape()[1] : Matrix::RowsAtCompileTime == 1 ? array.shape()[0] : 1;
  if ((Matrix::RowsAtCompileTime != Eigen::Dynamic && Matrix::RowsAtCompileTime != rows) ||
      (Matrix::ColsAtCompileTime != Eigen::Dynamic && Matrix::ColsAtCompileTime != columns))
    throw UsageError("to_eigen: shape " + to_string(array.shape()) + " for a fixed size of " +
                     std::to_string(Matrix::RowsAtCompileTime) + " x " + std::to_string(Matrix::ColsAtCompileTime));
  Matrix result;
  result.resize(rows, columns);
  const Array ordered = is_vector || Matrix::IsRowMajor ? array : array.transpose();
  ordered.read_into(std::span<T>(result.data(), static_cast<std::size_t>(result.size())));
  return result;
}

}  // namespace rtcg
