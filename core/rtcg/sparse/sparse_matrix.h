// A sparse matrix on the host in compressed rows, the form that every device format is made from (sparse_operator.h).
// Always true of one that exists: row starts ascend from 0 to the number of entries, the columns of a row ascend
// strictly and lie in the matrix. What does not fit is refused with the first offender named; entries in any order or
// given twice are sorted and summed where that is asked for. Copies share nothing and are expensive: pass by reference.
#pragma once

#include <complex>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "rtcg/device/buffer.h"

namespace rtcg {

/// Values of one of the four types that the sparse kernels know.
using SparseValues = std::variant<std::vector<float>, std::vector<double>, std::vector<std::complex<float>>,
                                  std::vector<std::complex<double>>>;

enum class EntryOrder : std::uint8_t {
  sorted,  ///< columns of each row ascend strictly; anything else is refused
  any,     ///< entries of a row in any order; those with one place are added up in the order given
};

class SparseMatrix {
 public:
  SparseMatrix() = default;  ///< 0 x 0 double
  /// Compressed rows: row i holds entries row_starts[i] to row_starts[i + 1]. UsageError for wrong sizes, starts that
  /// descend, columns outside, and, with EntryOrder::sorted, columns that do not ascend strictly; it names the first.
  /// At most 2^31 - 1 rows and columns.
  SparseMatrix(std::size_t rows, std::size_t columns, std::vector<std::int64_t> row_starts,
               std::vector<std::int32_t> column_indices, SparseValues values, EntryOrder order = EntryOrder::sorted);

  /// From triplets in any order; those with one place are added up in the order given, as assembly needs it.
  static SparseMatrix from_coo(std::size_t rows, std::size_t columns, std::span<const std::int32_t> row_indices,
                               std::span<const std::int32_t> column_indices, const SparseValues& values);
  /// From compressed rows in device memory (int32 or int64 starts, int32 columns, values of a known element type);
  /// reads them back.
  static SparseMatrix from_device(std::size_t rows, std::size_t columns, const Buffer& row_starts,
                                  const Buffer& column_indices, const Buffer& values);

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  std::size_t nonzeros() const { return column_indices_.size(); }  ///< stored entries, zeros among them
  ScalarType dtype() const;
  const std::vector<std::int64_t>& row_starts() const { return row_starts_; }
  const std::vector<std::int32_t>& column_indices() const { return column_indices_; }
  const SparseValues& values() const { return values_; }
  /// UsageError when the matrix holds values of another type.
  template <class T>
  const std::vector<T>& values_as() const {
    if (const auto* values = std::get_if<std::vector<T>>(&values_)) return *values;
    throw_dtype(scalar_type<T>());
  }

 private:
  [[noreturn]] void throw_dtype(ScalarType asked) const;
  void check() const;
  std::int64_t first_unsorted() const;  ///< entry that does not follow the one before it in its row, or -1
  void sort_rows();

  std::size_t rows_ = 0, columns_ = 0;
  std::vector<std::int64_t> row_starts_{0};
  std::vector<std::int32_t> column_indices_;
  SparseValues values_ = std::vector<double>();
};

}  // namespace rtcg
