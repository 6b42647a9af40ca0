// Stable radix sort by generated kernels: keys of every real type, alone, with values, or giving the sorting
// positions; rows of a matrix each for itself. Bits are only read, never remade: -0 equals +0 and keeps its sign, NaNs
// come last in both directions in the order they had. A digit that is the same for all keys of a row costs no pass.
#pragma once

#include <cstddef>

#include "rtcg/compile/kernel.h"

namespace rtcg {

enum class SortMethod : std::uint8_t {
  automatic,
  chunks,    ///< few long work-items without barriers: CPUs
  tiles,     ///< tiles sorted in local memory, counted and scanned between: any GPU
  onesweep,  ///< tiles that look back for their places: one read and one write a pass; NVIDIA GPUs only
};

struct SortProblem {
  ScalarType type = ScalarType::unknown;  ///< of the keys; any but complex
  std::size_t rows = 1, length = 0;       ///< at most 2^32 - 1 keys a row
  Buffer keys, sorted_keys;        ///< [rows][length]; sorted_keys may be `keys`, or none where only values count
  Buffer values, sorted_values;    ///< moved with the keys; or none. sorted_values may be `values`
  std::size_t value_bytes = 0;     ///< of one value: 1 to 16
  Buffer positions;                ///< instead of values: where each key stood in its row
  std::size_t position_bytes = 8;  ///< 8: int64, 4: uint32
  std::size_t keys_offset = 0, values_offset = 0;  ///< of the first key and value in their buffers, in elements
  bool descending = false;
  /// Bits [first_bit, first_bit + bits) of the key count, 0: all above first_bit; for unsigned integers. For others
  /// they are bits of the unsigned number in the keys' order (sign flipped).
  unsigned first_bit = 0, bits = 0;
  SortMethod method = SortMethod::automatic;
};

/// The method that automatic stands for. UsageError for one that the device cannot run.
SortMethod sort_method(const Device& device, SortMethod wanted);

/// Queues the sort. UsageError: sizes that do not fit the buffers, a type or a method that cannot be sorted (here).
void radix_sort(const Stream& stream, const SortProblem& problem);

}  // namespace rtcg
