#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "rtcg/error.h"
#include "rtcg/sparse/format.h"
#include "rtcg/sparse/host_layout.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

constexpr std::size_t most_rows = 1024, slice = 32;
constexpr std::uint16_t nothing = 0xffff;

/// Rows in the order of their packets, all of most_rows rows but the last, and the place of each row in its packet.
struct Packets {
  std::vector<std::int32_t> row_of, place_of;
  std::size_t inside = 0;  ///< entries whose column lies in the packet of their row

  Packets(const SparseMatrix& matrix, std::vector<std::int32_t> order)
      : row_of(std::move(order)), place_of(row_of.size()) {
    for (std::size_t slot = 0; slot < row_of.size(); ++slot)
      place_of[static_cast<std::size_t>(row_of[slot])] = static_cast<std::int32_t>(slot);
    for (std::size_t i = 0; i < matrix.rows(); ++i)
      for (auto k = static_cast<std::size_t>(matrix.row_starts()[i]);
           k < static_cast<std::size_t>(matrix.row_starts()[i + 1]); ++k)
        inside += packet_of(i) == packet_of(static_cast<std::size_t>(matrix.column_indices()[k])) ? 1 : 0;
  }
  std::size_t packet_of(std::size_t row) const { return static_cast<std::size_t>(place_of[row]) / most_rows; }
};

/// Packets grown breadth first, each from the oldest row that the one before reached but did not take.
std::vector<std::int32_t> grown_order(const SparseMatrix& matrix) {
  enum class Mark : std::uint8_t { untouched, waiting, taken };
  std::vector<Mark> marks(matrix.rows(), Mark::untouched);
  std::vector<std::int32_t> order, reached;
  order.reserve(matrix.rows());
  std::size_t next_row = 0, next_reached = 0;
  const auto seed = [&] {
    for (; next_reached < reached.size(); ++next_reached)
      if (marks[static_cast<std::size_t>(reached[next_reached])] != Mark::taken) return reached[next_reached++];
    while (marks[next_row] == Mark::taken) ++next_row;
    return static_cast<std::int32_t>(next_row);
  };
  while (order.size() < matrix.rows()) {
    const std::size_t first = order.size(), last = std::min(first + most_rows, matrix.rows());
    std::size_t growing = first;
    while (order.size() < last) {
      if (growing == order.size()) {
        order.push_back(seed());
        marks[static_cast<std::size_t>(order.back())] = Mark::taken;
      }
      const auto row = static_cast<std::size_t>(order[growing++]);
      for (auto k = static_cast<std::size_t>(matrix.row_starts()[row]);
           k < static_cast<std::size_t>(matrix.row_starts()[row + 1]); ++k) {
        const std::int32_t column = matrix.column_indices()[k];
        Mark& mark = marks[static_cast<std::size_t>(column)];
        if (mark != Mark::taken && order.size() < last) {
          mark = Mark::taken;
          order.push_back(column);
        } else if (mark == Mark::untouched) {
          mark = Mark::waiting;
          reached.push_back(column);
        }
      }
    }
  }
  return order;
}

Packets best_packets(const SparseMatrix& matrix) {
  std::vector<std::int32_t> natural(matrix.rows());
  std::iota(natural.begin(), natural.end(), 0);
  Packets as_they_are(matrix, std::move(natural)), grown(matrix, grown_order(matrix));
  return grown.inside > as_they_are.inside ? grown : as_they_are;
}

/// One of the two parts of the matrix in slices: entries inside the packets, or outside.
template <class Column>
struct Part {
  std::vector<std::int64_t> starts{0};
  std::vector<Column> columns;
  SparseValues values;
};

template <class Column, class T>
Part<Column> make_part(const SparseMatrix& matrix, const std::vector<T>& given, const Packets& packets, bool inside,
                       Column padding) {
  Part<Column> part;
  std::vector<T> values;
  const auto belongs = [&](std::size_t row, std::size_t k) {
    const auto column = static_cast<std::size_t>(matrix.column_indices()[k]);
    return (packets.packet_of(row) == packets.packet_of(column)) == inside;
  };
  // A packet's slices start anew; most_rows is a multiple of slice, so slots are cut as they are.
  for (std::size_t first = 0; first < matrix.rows(); first += slice) {
    const std::size_t last = std::min(first + slice, matrix.rows()), base = part.columns.size();
    for (std::size_t slot = first; slot < last; ++slot) {
      const auto row = static_cast<std::size_t>(packets.row_of[slot]);
      std::size_t at = base + slot - first;
      for (auto k = static_cast<std::size_t>(matrix.row_starts()[row]);
           k < static_cast<std::size_t>(matrix.row_starts()[row + 1]); ++k) {
        if (!belongs(row, k)) continue;
        while (at >= part.columns.size())
          part.columns.resize(part.columns.size() + slice, padding), values.resize(part.columns.size());
        const std::int32_t column = matrix.column_indices()[k];
        const auto place = static_cast<std::size_t>(packets.place_of[static_cast<std::size_t>(column)]) % most_rows;
        part.columns[at] = inside ? static_cast<Column>(place) : static_cast<Column>(column);
        values[at] = given[k];
        at += slice;
      }
    }
    part.starts.push_back(static_cast<std::int64_t>(part.columns.size()));
  }
  part.values = std::move(values);
  return part;
}

}  // namespace

DeviceMatrix make_packets(const Stream& stream, const SparseMatrix& matrix, const FormatTarget& target) {
  if (matrix.rows() != matrix.columns())
    throw UsageError(
        fmt::format("sparse operator: packets need a square matrix, not {} x {}", matrix.rows(), matrix.columns()));
  DeviceMatrix device = device_matrix(SparseFormat::packets, target, matrix, kernels::spmv_packets_cl);
  const Packets packets = best_packets(matrix);
  std::vector<std::int32_t> packet_starts{0}, first_slices;
  for (std::size_t first = 0; first < matrix.rows(); first += most_rows) {
    packet_starts.push_back(static_cast<std::int32_t>(std::min(first + most_rows, matrix.rows())));
    first_slices.push_back(static_cast<std::int32_t>(first / slice));
  }
  Part<std::uint16_t> inner;
  Part<std::int32_t> outer;
  std::visit(
      [&](const auto& values) {
        inner = make_part<std::uint16_t>(matrix, values, packets, true, nothing);
        outer = make_part<std::int32_t>(matrix, values, packets, false, -1);
      },
      matrix.values());
  const std::size_t stored = inner.columns.size() + outer.columns.size(), value_bytes = size_of(matrix.dtype());
  device.work_groups = packet_starts.size() - 1;
  device.values = {{"packet", most_rows}, {"start", start_type(stored)}};
  device.arguments.add(device_copy(stream, packet_starts)).add(device_copy(stream, first_slices));
  device.arguments.add(static_cast<std::uint32_t>(packet_starts.size() - 1)).add(device_copy(stream, packets.row_of));
  add_starts(device.arguments, stream, inner.starts, stored);
  device.arguments.add(device_copy(stream, inner.columns)).add(device_copy(stream, inner.values));
  add_starts(device.arguments, stream, outer.starts, stored);
  device.arguments.add(device_copy(stream, outer.columns)).add(device_copy(stream, outer.values));
  device.matrix_bytes = inner.columns.size() * (value_bytes + sizeof(std::uint16_t)) +
                        outer.columns.size() * (value_bytes + sizeof(std::int32_t)) +
                        matrix.rows() * sizeof(std::int32_t) + 2 * inner.starts.size() * start_bytes(stored);
  const double entries = static_cast<double>(std::max<std::size_t>(matrix.nonzeros(), 1));
  device.summary = fmt::format("{} packets of at most {} rows, {:.1f} % of the entries inside", device.work_groups,
                               most_rows, 100 * static_cast<double>(packets.inside) / entries);
  return device;
}

}  // namespace rtcg
