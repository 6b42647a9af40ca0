#include "rtcg/array/radix_sort_text.h"

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

void SortShape::choose_tile_for(std::size_t length) {
  // Odd numbers of items keep the items' runs in different banks.
  group = length <= 64 * 7 ? 64 : 256;
  const unsigned most = size_of(type) == 8 ? 9 : 15;
  items = 1;
  while (tile() < length && items < most) items = items == 1 ? 3 : items == 3 ? 7 : most;
}

Source sort_source(const SortShape& shape) {
  const std::size_t key_bytes = size_of(shape.type);
  const unsigned last_bits = shape.bits - 8 * (shape.passes() - 1);
  const TemplateValues values{
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
      {"copies", shape.passes() > 4 ? 4 : 8},
      {"whole_rows", shape.step == SortStep::rows},
  };
  std::string text = render(kernels::radix_key_cl, values, "radix_key.cl");
  if (shape.method == SortMethod::chunks)
    text += render(kernels::radix_chunks_cl, values, "radix_chunks.cl");
  else
    text += render(kernels::radix_tiles_cl, values, "radix_tiles.cl");
  return Source("radix_sort.cl", text);
}

std::vector<const char*> sort_kernel_names(const SortShape& shape) {
  const bool chunks = shape.method == SortMethod::chunks;
  if (shape.step == SortStep::rows) return {chunks ? "radix_rows" : "radix_tile_rows"};
  if (chunks)
    return {"radix_plan_chunks", "radix_plan", "radix_count_chunks", "radix_place_chunks", "radix_move_chunks"};
  return {"radix_histogram", "radix_plan", "radix_count_blocks", "radix_place_blocks", "radix_move_blocks"};
}

}  // namespace rtcg
