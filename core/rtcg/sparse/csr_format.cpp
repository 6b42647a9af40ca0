#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "rtcg/sparse/format.h"
#include "rtcg/sparse/host_layout.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

/// Products that a group holds in local memory: 32 KiB of the widest.
constexpr std::size_t capacity = 2048;

/// Items that add up one row: a power of two near a quarter of its mean length.
unsigned lanes_for(const SparseMatrix& matrix) {
  const double mean =
      matrix.rows() == 0 ? 0 : static_cast<double>(matrix.nonzeros()) / static_cast<double>(matrix.rows());
  unsigned lanes = 1;
  while (lanes < 32 && 8.0 * lanes < mean) lanes *= 2;
  return lanes;
}

/// Can one item walk along each row? Up to about a cache line of entries.
bool has_short_rows(const SparseMatrix& matrix) {
  constexpr std::int64_t longest = 16;
  const auto& starts = matrix.row_starts();
  return std::adjacent_find(starts.begin(), starts.end(), [](std::int64_t first, std::int64_t last) {
           return last - first > longest;
         }) == starts.end();
}

/// First rows of blocks of consecutive rows with at most `most_rows` rows and `most_entries` entries, except that a
/// longer row is a block of its own; the last element is the number of rows.
std::vector<std::int32_t> row_blocks(const SparseMatrix& matrix, std::size_t most_rows, std::size_t most_entries) {
  std::vector<std::int32_t> blocks{0};
  const auto& starts = matrix.row_starts();
  for (std::size_t first = 0; first < matrix.rows();) {
    std::size_t last = first + 1;
    while (last < matrix.rows() && last - first < most_rows &&
           static_cast<std::size_t>(starts[last + 1] - starts[first]) <= most_entries)
      ++last;
    blocks.push_back(static_cast<std::int32_t>(last));
    first = last;
  }
  return blocks;
}

}  // namespace

DeviceMatrix make_csr(const Stream& stream, const SparseMatrix& matrix, const FormatTarget& target, unsigned lanes) {
  DeviceMatrix device = device_matrix(SparseFormat::csr, target, matrix, kernels::spmv_csr_cl);
  const bool direct = lanes == 0 && has_short_rows(matrix) && !target.cpu();
  if (lanes == 0) lanes = lanes_for(matrix);
  const std::size_t value_bytes = size_of(matrix.dtype());
  const std::vector<std::int32_t> blocks = row_blocks(matrix, 256 / lanes, capacity);
  device.values = {
      {"capacity", capacity}, {"lanes", lanes}, {"direct", direct}, {"start", start_type(matrix.nonzeros())}};
  if (direct)
    device.most_resident = 4;
  else
    device.work_groups = blocks.size() - 1;
  std::vector<std::int64_t> block_entries(blocks.size());
  std::transform(blocks.begin(), blocks.end(), block_entries.begin(),
                 [&](std::int32_t row) { return matrix.row_starts()[static_cast<std::size_t>(row)]; });
  device.arguments.add(device_copy(stream, blocks));
  add_starts(device.arguments, stream, block_entries);
  device.arguments.add(static_cast<std::uint32_t>(blocks.size() - 1));
  add_starts(device.arguments, stream, matrix.row_starts());
  device.arguments.add(device_copy(stream, matrix.column_indices())).add(device_copy(stream, matrix.values()));
  device.matrix_bytes = matrix.nonzeros() * (value_bytes + sizeof(std::int32_t)) +
                        matrix.rows() * start_bytes(matrix.nonzeros()) +
                        blocks.size() * (sizeof(std::int32_t) + start_bytes(matrix.nonzeros()));
  device.summary =
      target.cpu() ? "row by row"
      : direct     ? "an item a row"
               : fmt::format("{} lane{} a row, blocks of at most {} entries", lanes, lanes == 1 ? "" : "s", capacity);
  return device;
}

}  // namespace rtcg
