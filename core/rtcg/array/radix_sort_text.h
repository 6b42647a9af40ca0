// What the kernels of a radix sort are generated for, and their text. Private to the array directory; tests use it to
// compile kernels for devices that are not here.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "rtcg/array/radix_sort.h"
#include "rtcg/compile/source.h"

namespace rtcg {

enum class SortStep : std::uint8_t {
  passes,  ///< the kernels of a pass over long rows
  rows,    ///< the kernel that sorts whole rows
};

/// What may be tuned; 0: the rule's own choice.
struct SortTuning {
  unsigned group = 0, items = 0;  ///< of a tile
  unsigned resident = 0;          ///< onesweep: groups that a multiprocessor shall hold
  unsigned chunks_per_unit = 0;   ///< of chunks
};

struct SortShape {
  ScalarType type = ScalarType::unknown;
  SortMethod method = SortMethod::chunks;
  SortStep step = SortStep::passes;
  bool descending = false, positions = false, wide_positions = false;
  bool cuda = false;         ///< more local memory than a text may declare is to be had
  bool wide_status = false;  ///< onesweep: counts of a row may pass 2^30
  unsigned first_bit = 0, bits = 0;
  std::size_t value_bytes = 0;
  unsigned group = 0, items = 0;  ///< of a tile; not for chunks
  unsigned resident = 0;          ///< onesweep

  unsigned passes() const { return (bits + 7) / 8; }
  std::size_t tile() const { return std::size_t{group} * items; }
  /// Groups that count digits: items, copies of each counter, and bytes of local memory beyond what the text declares.
  unsigned count_group() const { return cuda ? 1024 : 256; }
  unsigned count_copies() const { return cuda ? (passes() <= 4 ? 32 : 16) : (passes() <= 4 ? 8 : 4); }
  unsigned count_memory() const { return cuda ? 1024 * passes() * count_copies() : 0; }
  /// The tile of the method; for whole rows the smallest that holds `length` keys, at most the largest.
  void choose_tile(std::size_t length);
  void use(const SortTuning& tuning);
  std::string key() const;  ///< names the code
};

unsigned sort_key_bits(ScalarType type);             ///< 0 for types without an order
std::size_t sort_tile_items(std::size_t key_bytes);  ///< keys of the largest tile that a group sorts in local memory
Source sort_source(const SortShape& shape);
Source search_source(ScalarType type);  ///< kernel `search`, for both loop shapes

}  // namespace rtcg
