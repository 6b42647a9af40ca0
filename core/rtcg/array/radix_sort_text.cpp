#include "rtcg/array/radix_sort_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "rtcg/compile/template.h"
#include "rtcg_core_kernels.h"

namespace rtcg {

namespace {

const char* unsigned_of(std::size_t bytes) {
  return bytes == 1 ? "uchar" : bytes == 2 ? "ushort" : bytes == 4 ? "uint" : "ulong";
}

const char* order_of(ScalarType type) {
  switch (type) {
    case ScalarType::boolean:
      return "boolean";
    case ScalarType::i8:
    case ScalarType::i16:
    case ScalarType::i32:
    case ScalarType::i64:
      return "signed";
    case ScalarType::f16:
    case ScalarType::f32:
    case ScalarType::f64:
      return "float";
    default:
      return "unsigned";
  }
}

const char* infinity_of(ScalarType type) {
  return type == ScalarType::f16 ? "0x7c00" : type == ScalarType::f32 ? "0x7f800000" : "0x7ff0000000000000";
}

/// How a value of so many bytes is declared: moved as it is, so only size and alignment matter.
const char* value_of(std::size_t bytes) {
  switch (bytes) {
    case 0:
      return "";
    case 1:
    case 2:
    case 4:
    case 8:
      return unsigned_of(bytes);
    case 16:
      return "uint4";
    default:
      return bytes % 4 == 0 ? "words" : "bytes";
  }
}

}  // namespace

unsigned sort_key_bits(ScalarType type) {
  if (type == ScalarType::c64 || type == ScalarType::c128) return 0;
  return static_cast<unsigned>(8 * size_of(type));
}

std::size_t sort_tile_items(std::size_t key_bytes) {
  return 256 * (key_bytes == 8 ? 9 : 15);
}

void SortShape::choose_tile(std::size_t length) {
  const bool long_keys = size_of(type) == 8;
  if (method == SortMethod::onesweep && step == SortStep::passes) {
    group = 256;
    items = long_keys ? 18 : 36;
    resident = value_bytes == 0 ? 3 : 2;  // what registers allow
    return;
  }
  // Odd numbers of items keep the items' runs in different banks.
  group = step == SortStep::rows && length <= 64 * 7 ? 64 : 256;
  const unsigned most = long_keys ? 9 : 15;
  items = step == SortStep::rows ? 1 : most;
  while (tile() < length && items < most) items = items == 1 ? 3 : items == 3 ? 7 : most;
}

void SortShape::use(const SortTuning& tuning) {
  if (tuning.group != 0) group = tuning.group;
  if (tuning.items != 0) items = tuning.items;
  if (tuning.resident != 0) resident = tuning.resident;
}

std::string SortShape::key() const {
  return fmt::format("{} {} {} {}{}{}{}{} {} {} {} {} {} {}", name_of(type), static_cast<int>(method),
                     static_cast<int>(step), descending ? "d" : "", positions ? "p" : "", wide_positions ? "w" : "",
                     wide_status ? "s" : "", cuda ? "c" : "", first_bit, bits, value_bytes, group, items, resident);
}

namespace {

TemplateValues template_values(const SortShape& shape) {
  const std::size_t key_bytes = size_of(shape.type);
  const unsigned last_bits = shape.bits - 8 * (shape.passes() - 1);
  // Of onesweep: values go through the room of the tile's keys, so many items at once.
  const std::size_t value_bytes = std::max<std::size_t>(shape.value_bytes, 1);
  const std::size_t round_items =
      std::clamp<std::size_t>(shape.items * key_bytes / value_bytes, 1, std::max(1u, shape.items));
  return {
      {"key", unsigned_of(key_bytes)},
      {"key_bits", 8 * key_bytes},
      {"order", order_of(shape.type)},
      {"infinity", infinity_of(shape.type)},
      {"descending", shape.descending},
      {"first_bit", shape.first_bit},
      {"bits", shape.bits},
      {"last_bits", last_bits},
      {"last_mask", (1u << last_bits) - 1},
      {"passes", shape.passes()},
      {"value", value_of(shape.value_bytes)},
      {"value_bytes", shape.value_bytes},
      {"value_words", shape.value_bytes / 4},
      {"indices", shape.positions},
      {"wide_result", shape.wide_positions},
      {"group", shape.group},
      {"items", shape.items},
      {"count_group", shape.count_group()},
      {"copies", shape.count_copies()},
      {"dynamic_counts", shape.count_memory() != 0},
      {"groups_at_once", shape.resident},
      {"whole_rows", shape.step == SortStep::rows},
      {"wide_status", shape.wide_status},
      {"round_items", round_items},
      {"rounds", (shape.items + round_items - 1) / round_items},
      {"room_bytes", shape.group * std::max(shape.items * key_bytes, round_items * value_bytes)},
  };
}

}  // namespace

Source sort_source(const SortShape& shape) {
  const TemplateValues values = template_values(shape);
  std::string text = render(kernels::radix_key_cl, values, "radix_key.cl");
  const auto add = [&](std::string_view part, const char* name) { text += render(part, values, name); };
  if (shape.method == SortMethod::chunks) {
    add(kernels::radix_chunks_cl, "radix_chunks.cl");
  } else if (shape.step == SortStep::rows) {
    add(kernels::radix_tiles_cl, "radix_tiles.cl");
  } else {
    add(kernels::radix_counts_cl, "radix_counts.cl");
    if (shape.method == SortMethod::onesweep)
      add(kernels::radix_onesweep_cl, "radix_onesweep.cl");
    else
      add(kernels::radix_tiles_cl, "radix_tiles.cl");
  }
  return Source("radix_sort.cl", text);
}

Source search_source(ScalarType type) {
  const TemplateValues values = template_values({.type = type, .bits = sort_key_bits(type)});
  return Source("radix_search.cl", render(kernels::radix_key_cl, values, "radix_key.cl") +
                                       render(kernels::radix_search_cl, values, "radix_search.cl"));
}

}  // namespace rtcg
