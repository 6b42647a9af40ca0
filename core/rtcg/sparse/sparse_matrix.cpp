#include "rtcg/sparse/sparse_matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "rtcg/error.h"

namespace rtcg {

namespace {

constexpr std::size_t most_rows = std::numeric_limits<std::int32_t>::max();

void check_extent(const char* what, std::size_t extent) {
  if (extent > most_rows)
    throw UsageError(fmt::format("sparse matrix: {} {} are more than the {} that fit", extent, what, most_rows));
}

std::size_t count(const SparseValues& values) {
  return std::visit([](const auto& list) { return list.size(); }, values);
}

}  // namespace

SparseMatrix::SparseMatrix(std::size_t rows, std::size_t columns, std::vector<std::int64_t> row_starts,
                           std::vector<std::int32_t> column_indices, SparseValues values, EntryOrder order)
    : rows_(rows),
      columns_(columns),
      row_starts_(std::move(row_starts)),
      column_indices_(std::move(column_indices)),
      values_(std::move(values)) {
  check();
  const std::int64_t offender = first_unsorted();
  if (offender < 0) return;
  if (order == EntryOrder::any) {
    sort_rows();
    return;
  }
  const auto k = static_cast<std::size_t>(offender);
  const auto row = std::upper_bound(row_starts_.begin(), row_starts_.end(), offender) - row_starts_.begin() - 1;
  const std::int32_t before = column_indices_[k - 1], here = column_indices_[k];
  throw UsageError(
      fmt::format("sparse matrix: row {} has column {} {}; the columns of a row must ascend (EntryOrder::any sorts and "
                  "adds up)",
                  row, here, before == here ? "twice" : fmt::format("after column {}", before)));
}

std::int64_t SparseMatrix::first_unsorted() const {
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::int64_t k = row_starts_[i] + 1; k < row_starts_[i + 1]; ++k)
      if (column_indices_[static_cast<std::size_t>(k - 1)] >= column_indices_[static_cast<std::size_t>(k)]) return k;
  return -1;
}

void SparseMatrix::check() const {
  check_extent("rows", rows_);
  check_extent("columns", columns_);
  const std::size_t entries = column_indices_.size();
  if (row_starts_.size() != rows_ + 1)
    throw UsageError(
        fmt::format("sparse matrix: {} rows need {} row starts, not {}", rows_, rows_ + 1, row_starts_.size()));
  if (count(values_) != entries)
    throw UsageError(fmt::format("sparse matrix: {} columns but {} values", entries, count(values_)));
  if (row_starts_.front() != 0)
    throw UsageError(fmt::format("sparse matrix: row 0 starts at {}, not at 0", row_starts_.front()));
  for (std::size_t i = 0; i < rows_; ++i)
    if (row_starts_[i + 1] < row_starts_[i])
      throw UsageError(
          fmt::format("sparse matrix: row {} starts at {} and ends at {}", i, row_starts_[i], row_starts_[i + 1]));
  if (row_starts_.back() != static_cast<std::int64_t>(entries))
    throw UsageError(
        fmt::format("sparse matrix: the last row ends at {}, but there are {} entries", row_starts_.back(), entries));
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::int64_t k = row_starts_[i]; k < row_starts_[i + 1]; ++k) {
      const std::int32_t column = column_indices_[static_cast<std::size_t>(k)];
      if (column < 0 || static_cast<std::size_t>(column) >= columns_)
        throw UsageError(fmt::format("sparse matrix: entry {} (row {}) is in column {} of {}", k, i, column, columns_));
    }
}

void SparseMatrix::sort_rows() {
  std::visit(
      [this](auto& values) {
        std::vector<std::size_t> order;
        auto sorted_values = values;
        auto sorted_columns = column_indices_;
        std::size_t out = 0;
        for (std::size_t i = 0; i < rows_; ++i) {
          const auto first = static_cast<std::size_t>(row_starts_[i]),
                     last = static_cast<std::size_t>(row_starts_[i + 1]);
          order.resize(last - first);
          std::iota(order.begin(), order.end(), first);
          std::stable_sort(order.begin(), order.end(),
                           [this](std::size_t a, std::size_t b) { return column_indices_[a] < column_indices_[b]; });
          const std::size_t start = out;
          for (const std::size_t k : order) {
            if (out > start && sorted_columns[out - 1] == column_indices_[k]) {
              sorted_values[out - 1] += values[k];
            } else {
              sorted_columns[out] = column_indices_[k];
              sorted_values[out++] = values[k];
            }
          }
          row_starts_[i] = static_cast<std::int64_t>(start);
        }
        row_starts_[rows_] = static_cast<std::int64_t>(out);
        sorted_columns.resize(out), sorted_values.resize(out);
        column_indices_ = std::move(sorted_columns);
        values = std::move(sorted_values);
      },
      values_);
}

SparseMatrix SparseMatrix::from_coo(std::size_t rows, std::size_t columns, std::span<const std::int32_t> row_indices,
                                    std::span<const std::int32_t> column_indices, const SparseValues& values) {
  check_extent("rows", rows);
  const std::size_t entries = row_indices.size();
  if (column_indices.size() != entries || count(values) != entries)
    throw UsageError(fmt::format("sparse matrix: {} row indices, {} column indices and {} values", entries,
                                 column_indices.size(), count(values)));
  std::vector<std::int64_t> starts(rows + 1);
  for (std::size_t k = 0; k < entries; ++k) {
    if (row_indices[k] < 0 || static_cast<std::size_t>(row_indices[k]) >= rows)
      throw UsageError(fmt::format("sparse matrix: entry {} is in row {} of {}", k, row_indices[k], rows));
    ++starts[static_cast<std::size_t>(row_indices[k]) + 1];
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::int32_t> placed_columns(entries);
  SparseValues placed_values = std::visit(
      [&](const auto& given) {
        auto placed = given;
        auto next = starts;
        for (std::size_t k = 0; k < entries; ++k) {
          const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(row_indices[k])]++);
          placed_columns[at] = column_indices[k];
          placed[at] = given[k];
        }
        return SparseValues(std::move(placed));
      },
      values);
  return {rows, columns, std::move(starts), std::move(placed_columns), std::move(placed_values), EntryOrder::any};
}

SparseMatrix SparseMatrix::from_device(std::size_t rows, std::size_t columns, const Buffer& row_starts,
                                       const Buffer& column_indices, const Buffer& values) {
  std::vector<std::int64_t> starts;
  if (row_starts.element() == ScalarType::i32) {
    const auto narrow = row_starts.read<std::int32_t>();
    starts.assign(narrow.begin(), narrow.end());
  } else if (row_starts.element() == ScalarType::i64) {
    starts = row_starts.read<std::int64_t>();
  } else {
    throw UsageError(fmt::format("sparse matrix: row starts are int or long, not {}", name_of(row_starts.element())));
  }
  if (column_indices.element() != ScalarType::i32)
    throw UsageError(fmt::format("sparse matrix: column indices are int, not {}", name_of(column_indices.element())));
  SparseValues host;
  switch (values.element()) {
    case ScalarType::f32:
      host = values.read<float>();
      break;
    case ScalarType::f64:
      host = values.read<double>();
      break;
    case ScalarType::c64:
      host = values.read<std::complex<float>>();
      break;
    case ScalarType::c128:
      host = values.read<std::complex<double>>();
      break;
    default:
      throw UsageError(
          fmt::format("sparse matrix: values are float, double or complex, not {}", name_of(values.element())));
  }
  return {rows, columns, std::move(starts), column_indices.read<std::int32_t>(), std::move(host)};
}

ScalarType SparseMatrix::dtype() const {
  return std::visit([]<class T>(const std::vector<T>&) { return scalar_type<T>(); }, values_);
}

void SparseMatrix::throw_dtype(ScalarType asked) const {
  throw UsageError(fmt::format("sparse matrix: its values are {}, not {}", name_of(dtype()), name_of(asked)));
}

}  // namespace rtcg
