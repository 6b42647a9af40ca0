// What the kernels of a radix sort are generated for, and their text. Private to the array directory; tests use it to
// compile kernels for devices that are not here.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "rtcg/array/radix_sort.h"
#include "rtcg/compile/source.h"

namespace rtcg {

enum class SortStep : std::uint8_t {
  passes,  ///< the kernels of a pass over long rows
  rows,    ///< the kernel that sorts whole rows
};

struct SortShape {
  ScalarType type = ScalarType::unknown;
  SortMethod method = SortMethod::chunks;
  SortStep step = SortStep::passes;
  bool descending = false, positions = false, wide_positions = false;
  unsigned first_bit = 0, bits = 0;
  std::size_t value_bytes = 0;
  unsigned group = 0, items = 0;  ///< of a tile; not for chunks
  friend auto operator<=>(const SortShape&, const SortShape&) = default;

  unsigned passes() const { return (bits + 7) / 8; }
  std::size_t tile() const { return std::size_t{group} * items; }
  /// The smallest tile that holds `length` keys, at most the largest.
  void choose_tile_for(std::size_t length);
};

unsigned sort_key_bits(ScalarType type);             ///< 0 for types without an order
std::size_t sort_tile_items(std::size_t key_bytes);  ///< keys of the largest tile that a group sorts in local memory
Source sort_source(const SortShape& shape);
std::vector<const char*> sort_kernel_names(const SortShape& shape);

}  // namespace rtcg
