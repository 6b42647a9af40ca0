#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "rtcg/error.h"
#include "rtcg/sparse/format.h"
#include "rtcg/sparse/host_layout.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

std::size_t row_length(const SparseMatrix& matrix, std::size_t row) {
  return static_cast<std::size_t>(matrix.row_starts()[row + 1] - matrix.row_starts()[row]);
}

/// Row of each slot: longest first within windows of `window` rows, equal ones in their own order.
std::vector<std::int32_t> sorted_rows(const SparseMatrix& matrix, std::size_t window) {
  std::vector<std::int32_t> rows(matrix.rows());
  std::iota(rows.begin(), rows.end(), 0);
  for (std::size_t first = 0; window > 1 && first < rows.size(); first += window)
    std::stable_sort(rows.begin() + static_cast<std::ptrdiff_t>(first),
                     rows.begin() + static_cast<std::ptrdiff_t>(std::min(first + window, rows.size())),
                     [&](std::int32_t a, std::int32_t b) {
                       return row_length(matrix, static_cast<std::size_t>(a)) >
                              row_length(matrix, static_cast<std::size_t>(b));
                     });
  return rows;
}

/// Starts of the slices, in entries; padding counts.
std::vector<std::int64_t> slice_starts(const SparseMatrix& matrix, const std::vector<std::int32_t>& rows,
                                       std::size_t slice) {
  std::vector<std::int64_t> starts{0};
  for (std::size_t first = 0; first < rows.size(); first += slice) {
    std::size_t width = 0;
    for (std::size_t s = first; s < std::min(first + slice, rows.size()); ++s)
      width = std::max(width, row_length(matrix, static_cast<std::size_t>(rows[s])));
    starts.push_back(starts.back() + static_cast<std::int64_t>(width * slice));
  }
  return starts;
}

}  // namespace

SellSize sell_size(const SparseMatrix& matrix, unsigned slice, std::size_t sort_window) {
  const auto plain = static_cast<std::size_t>(slice_starts(matrix, sorted_rows(matrix, 1), slice).back());
  if (plain == matrix.nonzeros()) return {plain, false};
  const auto sorted = static_cast<std::size_t>(slice_starts(matrix, sorted_rows(matrix, sort_window), slice).back());
  // Sorting costs an index a row; it must save more than that in padding.
  const std::size_t entry_bytes = size_of(matrix.dtype()) + sizeof(std::int32_t);
  const bool sorts = (plain - sorted) * entry_bytes > matrix.rows() * sizeof(std::int32_t);
  return {sorts ? sorted : plain, sorts};
}

DeviceMatrix make_sell(const Stream& stream, const SparseMatrix& matrix, const FormatTarget& target, unsigned slice,
                       std::size_t sort_window) {
  if (slice == 0) throw UsageError("sparse operator: a slice has at least one row");
  DeviceMatrix device = device_matrix(SparseFormat::sell, target, matrix, kernels::spmv_sell_cl);
  const std::size_t entry_bytes = size_of(matrix.dtype()) + sizeof(std::int32_t);
  const bool sorts = sell_size(matrix, slice, sort_window).sorts;
  const std::vector<std::int32_t> rows = sorted_rows(matrix, sorts ? sort_window : 1);
  const std::vector<std::int64_t> starts = slice_starts(matrix, rows, slice);
  const auto stored = static_cast<std::size_t>(starts.back());
  std::vector<std::int32_t> columns(stored, -1);
  const SparseValues values = std::visit(
      [&]<class T>(const std::vector<T>& given) {
        std::vector<T> placed(stored);
        for (std::size_t s = 0; s < rows.size(); ++s) {
          const auto row = static_cast<std::size_t>(rows[s]);
          const auto first = static_cast<std::size_t>(matrix.row_starts()[row]);
          std::size_t at = static_cast<std::size_t>(starts[s / slice]) + s % slice;
          for (std::size_t k = first; k < first + row_length(matrix, row); ++k, at += slice)
            placed[at] = given[k], columns[at] = matrix.column_indices()[k];
        }
        return SparseValues(std::move(placed));
      },
      matrix.values());

  const bool pairs = slice % 2 == 0 && (matrix.dtype() == ScalarType::f64 || matrix.dtype() == ScalarType::f32);
  if (pairs) device.work_groups = (device.work_groups + 1) / 2;
  device.values = {{"slice", slice}, {"sorted", sorts}, {"start", start_type(stored)}, {"unroll", 8}, {"pairs", pairs}};
  add_starts(device.arguments, stream, starts);
  device.arguments.add(device_copy(stream, columns)).add(device_copy(stream, values));
  if (sorts) device.arguments.add(device_copy(stream, rows));
  device.arguments.add(static_cast<std::int32_t>(matrix.rows()));
  device.matrix_bytes =
      stored * entry_bytes + starts.size() * start_bytes(stored) + (sorts ? matrix.rows() * sizeof(std::int32_t) : 0);
  device.summary = fmt::format(
      "slices of {} rows{}, {:.1f} % padding", slice, sorts ? " sorted by length" : "",
      stored == 0 ? 0.0 : 100.0 * (1.0 - static_cast<double>(matrix.nonzeros()) / static_cast<double>(stored)));
  return device;
}

}  // namespace rtcg
