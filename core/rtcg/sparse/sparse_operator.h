// A sparse matrix on a device, ready to be applied: y = A x. The format is the one asked for, the one with the fewest
// bytes by the matrix's structure (or what wisdom knows to be fastest for matrices of its size, where no structure
// shows), or, on request, the one that ran fastest on this device; the kernels are written for
// the matrix (its diagonals, lanes, slices, types). Same device, same matrix, same format: the same bits.
// A value; copies share the device's copy of the matrix.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "rtcg/array/array.h"
#include "rtcg/sparse/format.h"

namespace rtcg {

struct SparseOptions {
  SparseFormat format = SparseFormat::automatic;
  bool tune = false;               ///< with `automatic`: time every format that the matrix can have, keep the fastest
  unsigned slice = 64;             ///< rows a slice of SELL
  std::size_t sort_window = 4096;  ///< rows within which SELL may sort by length
  unsigned lanes = 0;              ///< CSR: items that add up one row, a power of two up to 32; 0: by the mean length
  /// Loop shape of the kernels; by default the device's own kind.
  std::optional<DeviceKind> loop_shape;
};

class SparseOperator {
 public:
  /// Copies the matrix to the stream's device. UsageError where it cannot have the format asked for.
  SparseOperator(const Stream& stream, const SparseMatrix& matrix, const SparseOptions& options = {});

  std::size_t rows() const { return matrix_->rows; }
  std::size_t columns() const { return matrix_->columns; }
  std::size_t nonzeros() const { return nonzeros_; }
  ScalarType dtype() const { return matrix_->dtype; }
  SparseFormat format() const { return matrix_->format; }
  const Device& device() const { return device_; }

  /// y = A x: x holds `columns` elements, y `rows`, both of the matrix's type; they are different buffers. Formats that
  /// store zeros (DIA, stencils) multiply with them, so elements that are not finite spread along the diagonals.
  void operator()(const Stream& stream, const Buffer& x, const Buffer& y) const;

  /// Y = A X for few right sides: X is [columns][right_sides], Y [rows][right_sides], row-major. The matrix is read
  /// once for as many right sides as 16 bytes hold (complex: for each).
  void multiply(const Stream& stream, const Buffer& x, const Buffer& y, std::size_t right_sides) const;

  /// The same on the array's stream: (columns) gives (rows), (columns, k) gives (rows, k). UsageError for other shapes
  /// and types.
  Array operator()(const Array& x) const;

  /// Bytes that one product has to move: the matrix, x and y once.
  std::size_t bytes() const;
  /// The format, why it was chosen, bytes of a product; one line for each format that was weighed.
  std::string explain() const;

  /// For solvers that run more than a product over the rows.
  const DeviceMatrix& matrix() const { return *matrix_; }

 private:
  Device device_;
  std::size_t nonzeros_ = 0;
  std::shared_ptr<const DeviceMatrix> matrix_;
  std::shared_ptr<const Kernel> product_;
  struct WideProducts;
  std::shared_ptr<WideProducts> wide_products_;
  std::vector<WeighedFormat> weighed_;
  std::string reason_;
};

/// UsageError unless the buffer has `elements` elements of the type on that device; `what` names it.
void check_vector(const char* what, const Buffer& buffer, std::size_t elements, ScalarType dtype, const Device& device);

}  // namespace rtcg
