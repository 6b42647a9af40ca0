#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "rtcg/error.h"
#include "rtcg/sparse/format.h"
#include "rtcg/sparse/host_layout.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

/// Rows that an item of a GPU works on at a time.
constexpr std::size_t rows_each = 2;
constexpr std::size_t most_stencils = 256, most_table_bytes = 16 << 10;

std::vector<std::int64_t> diagonals_of(const SparseMatrix& matrix, SparseFormat format) {
  std::vector<std::int64_t> diagonals = MatrixStructure::of(matrix).diagonals;
  if (diagonals.empty() && matrix.nonzeros() > 0)
    throw UsageError(fmt::format("sparse operator: the matrix has more than the {} diagonals that {} allows",
                                 MatrixStructure::most_diagonals, name_of(format)));
  return diagonals;
}

TemplateValues dia_values(const std::vector<std::int64_t>& diagonals, std::size_t stencils) {
  TemplateValue::List offsets;
  for (const std::int64_t offset : diagonals) offsets.push_back(offset);
  const std::int64_t lowest = diagonals.empty() ? 0 : diagonals.front();
  const std::int64_t highest = diagonals.empty() ? 0 : diagonals.back();
  return {{"offsets", offsets},
          {"stencils", stencils},
          {"each", rows_each},
          {"reach_below", std::max<std::int64_t>(-lowest, 0)},
          {"reach_above", std::max<std::int64_t>(highest, 0)}};
}

/// The row's entries on the diagonals, zeros where there are none.
template <class T>
void spread_row(const SparseMatrix& matrix, const std::vector<T>& values, const std::vector<std::int64_t>& diagonals,
                std::size_t row, T* target, std::size_t stride) {
  std::size_t d = 0;
  for (auto k = static_cast<std::size_t>(matrix.row_starts()[row]);
       k < static_cast<std::size_t>(matrix.row_starts()[row + 1]); ++k) {
    const std::int64_t offset = matrix.column_indices()[k] - static_cast<std::int64_t>(row);
    while (diagonals[d] != offset) ++d;
    target[d * stride] = values[k];
  }
}

struct Stencils {
  std::vector<std::uint8_t> patterns;  ///< of each row
  SparseValues table;                  ///< [pattern][diagonal]
  std::size_t count = 0;
};

/// The different rows of the matrix by their bits; nothing when there are too many.
std::optional<Stencils> find_stencils(const SparseMatrix& matrix, const std::vector<std::int64_t>& diagonals) {
  const std::size_t width = diagonals.size(), row_bytes = width * size_of(matrix.dtype());
  const std::size_t most = std::min(most_stencils, row_bytes == 0 ? most_stencils : most_table_bytes / row_bytes);
  Stencils stencils;
  stencils.patterns.resize(matrix.rows());
  const bool fits = std::visit(
      [&]<class T>(const std::vector<T>& values) {
        std::map<std::string, std::uint8_t, std::less<>> known;
        std::vector<T> row(width), table;
        std::string bits(row_bytes, '\0'), last_bits;
        std::uint8_t last = 0;
        for (std::size_t i = 0; i < matrix.rows(); ++i) {
          std::fill(row.begin(), row.end(), T(0));
          spread_row(matrix, values, diagonals, i, row.data(), 1);
          if (row_bytes != 0) std::memcpy(bits.data(), row.data(), row_bytes);
          if (i == 0 || bits != last_bits) {
            const auto [found, is_new] = known.try_emplace(bits, static_cast<std::uint8_t>(known.size()));
            if (is_new && known.size() > most) return false;
            if (is_new) table.insert(table.end(), row.begin(), row.end());
            last = found->second, last_bits = bits;
          }
          stencils.patterns[i] = last;
        }
        stencils.count = known.size();
        stencils.table = std::move(table);
        return true;
      },
      matrix.values());
  if (!fits) return std::nullopt;
  return stencils;
}

}  // namespace

std::size_t count_stencils(const SparseMatrix& matrix, const std::vector<std::int64_t>& diagonals) {
  const std::optional<Stencils> stencils = find_stencils(matrix, diagonals);
  return stencils ? stencils->count : 0;
}

DeviceMatrix make_dia(const Stream& stream, const SparseMatrix& matrix, const FormatTarget& target) {
  const std::vector<std::int64_t> diagonals = diagonals_of(matrix, SparseFormat::dia);
  DeviceMatrix device = device_matrix(SparseFormat::dia, target, matrix, kernels::spmv_dia_cl);
  const std::size_t stride = (matrix.rows() + 31) / 32 * 32;  // every diagonal starts at an aligned address
  const SparseValues values = std::visit(
      [&]<class T>(const std::vector<T>& given) {
        std::vector<T> spread(stride * diagonals.size());
        for (std::size_t i = 0; i < matrix.rows(); ++i)
          spread_row(matrix, given, diagonals, i, spread.data() + i, stride);
        return SparseValues(std::move(spread));
      },
      matrix.values());
  device.work_groups = (device.work_groups + rows_each - 1) / rows_each;
  device.values = dia_values(diagonals, 0);
  device.arguments.add(device_copy(stream, values)).add(static_cast<std::uint64_t>(stride));
  device.arguments.add(static_cast<std::int32_t>(matrix.rows())).add(static_cast<std::int32_t>(matrix.columns()));
  device.matrix_bytes = matrix.rows() * diagonals.size() * size_of(matrix.dtype());
  device.summary = fmt::format("{} diagonals", diagonals.size());
  return device;
}

DeviceMatrix make_stencils(const Stream& stream, const SparseMatrix& matrix, const FormatTarget& target) {
  const std::vector<std::int64_t> diagonals = diagonals_of(matrix, SparseFormat::stencils);
  const std::optional<Stencils> stencils = find_stencils(matrix, diagonals);
  if (!stencils)
    throw UsageError(fmt::format("sparse operator: the rows of the matrix differ in too many ways for {}",
                                 name_of(SparseFormat::stencils)));
  DeviceMatrix device = device_matrix(SparseFormat::stencils, target, matrix, kernels::spmv_dia_cl);
  device.work_groups = (device.work_groups + rows_each - 1) / rows_each;
  device.values = dia_values(diagonals, std::max<std::size_t>(stencils->count, 1));
  device.arguments.add(device_copy(stream, stencils->patterns)).add(device_copy(stream, stencils->table));
  device.arguments.add(static_cast<std::int32_t>(matrix.rows())).add(static_cast<std::int32_t>(matrix.columns()));
  device.matrix_bytes = matrix.rows() + stencils->count * diagonals.size() * size_of(matrix.dtype());
  device.summary = fmt::format("{} diagonals, {} different rows", diagonals.size(), stencils->count);
  return device;
}

}  // namespace rtcg
