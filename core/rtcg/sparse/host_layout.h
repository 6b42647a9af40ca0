// Small things that the makers of formats share; internal to core/rtcg/sparse.
#pragma once

#include <algorithm>
#include <limits>

#include "rtcg/sparse/format.h"

namespace rtcg {

inline DeviceMatrix device_matrix(SparseFormat format, const FormatTarget& target, const SparseMatrix& matrix,
                                  std::string_view text) {
  DeviceMatrix device;
  device.format = format, device.target = target, device.dtype = matrix.dtype();
  device.rows = matrix.rows(), device.columns = matrix.columns(), device.text = text;
  device.work_groups = (matrix.rows() + target.group() - 1) / target.group();
  return device;
}

/// A kernel takes a buffer even where there is nothing to read, so none is made empty.
template <class T>
Buffer device_copy(const Stream& stream, const std::vector<T>& values) {
  return Buffer::from(stream, values.empty() ? std::vector<T>(1) : values);
}
inline Buffer device_copy(const Stream& stream, const SparseValues& values) {
  return std::visit([&](const auto& list) { return device_copy(stream, list); }, values);
}

/// Entries are counted in 32 bits where that is enough, a step past the last one included.
inline bool narrow_starts(std::size_t entries) {
  constexpr std::size_t step = 1 << 16;
  return entries <= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()) - step;
}
inline const char* start_type(std::size_t entries) {
  return narrow_starts(entries) ? "int" : "long";
}
inline std::size_t start_bytes(std::size_t entries) {
  return narrow_starts(entries) ? sizeof(std::int32_t) : sizeof(std::int64_t);
}
/// In the type that so many entries ask for; by default as many as the last start says.
inline void add_starts(SparseArguments& arguments, const Stream& stream, const std::vector<std::int64_t>& starts,
                       std::size_t entries) {
  if (narrow_starts(entries))
    arguments.add(device_copy(stream, std::vector<std::int32_t>(starts.begin(), starts.end())));
  else
    arguments.add(device_copy(stream, starts));
}
inline void add_starts(SparseArguments& arguments, const Stream& stream, const std::vector<std::int64_t>& starts) {
  add_starts(arguments, stream, starts, static_cast<std::size_t>(starts.back()));
}

/// Entries that SELL stores, padding counted, and whether it sorts the rows.
struct SellSize {
  std::size_t entries = 0;
  bool sorts = false;
};
SellSize sell_size(const SparseMatrix& matrix, unsigned slice, std::size_t sort_window);

/// How many different rows the matrix has on these diagonals; 0 when there are too many for SparseFormat::stencils.
std::size_t count_stencils(const SparseMatrix& matrix, const std::vector<std::int64_t>& diagonals);

}  // namespace rtcg
