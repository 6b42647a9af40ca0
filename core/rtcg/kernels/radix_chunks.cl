{#
  Radix sort where work-items are few, long and on their own (CPU): no barriers, no local memory. Comes after radix_key.cl.
  Many rows: an item sorts whole rows. Few long rows: every row is cut into chunks, one item each; a pass counts the digits
  of each chunk, turns the counts into places, and moves the keys there.
#}
/// Items [begin, end) of chunk `chunk` of `chunks`.
static inline uint chunk_begin(uint length, uint chunk, uint chunks) {
  return (uint)((ulong)length * chunk / chunks);
}

static inline void insertion_sort_row(size_t row, uint length, KEY_BUFFERS VALUE_BUFFERS) {
  const uint plan = PLAN_ACTIVE | PLAN_LAST | 2u << 4;
  for (uint i = 0; i < length; ++i) {
    const key_t key = KEY_SOURCE(plan, row, length)[i];
    uint at = i;
    for (; at > 0 && ordered(key) < ordered(output[row * length + at - 1]); --at) {
      output[row * length + at] = output[row * length + at - 1];
{% if value_bytes %}
      result[row * length + at] = result[row * length + at - 1];
{% endif %}
    }
    output[row * length + at] = key;
{% if value_bytes %}
    PUT_VALUE(plan, row * length, at, GET_VALUE(plan, row * length, i));
{% endif %}
  }
}

/// All counts of [begin, end), read from the input.
static inline void count_all(uint* counts, size_t row, uint length, uint begin, uint end, global const key_t* input, ulong input_offset) {
  for (int i = 0; i < PASSES * 256; ++i) counts[i] = 0;
  global const key_t* keys = input + input_offset + row * length;
  for (uint i = begin; i < end; ++i) {
    const key_t key = keys[i];
{% for p in range(passes) %}
    ++counts[{{ 256 * p }} + digit_of(key, {{ p }})];
{% endfor %}
  }
}

/// Moves [begin, end) to places[digit]++.
static inline void move_keys(int pass, uint plan, uint* places, size_t row, uint length, uint begin, uint end, KEY_BUFFERS VALUE_BUFFERS) {
  global const key_t* from = KEY_SOURCE(plan, row, length);
  global key_t* to = KEY_TARGET(plan, row, length);
  for (uint i = begin; i < end; ++i) {
    const key_t key = from[i];
    const uint at = places[digit_of(key, pass)]++;
    to[at] = key;
{% if value_bytes %}
    PUT_VALUE(plan, row * length, at, GET_VALUE(plan, row * length, i));
{% endif %}
  }
}

{% if value_bytes %}
{% set buffers = "input, input_offset, scratch, output, values, values_offset, value_scratch, result" %}
{% else %}
{% set buffers = "input, input_offset, scratch, output" %}
{% endif %}
kernel void radix_rows(KEY_BUFFERS VALUE_BUFFERS, global uint* plans, ulong rows, ulong row_length) {
  const uint length = (uint)row_length;
  global uint* plan = plans + get_global_id(0) * PASSES;
  for (ulong row = get_global_id(0); row < rows; row += get_global_size(0)) {
    if (length <= 24) {
      insertion_sort_row(row, length, {{ buffers }});
      continue;
    }
    uint counts[PASSES * 256], constant_digits[PASSES];
    count_all(counts, row, length, 0, length, input, input_offset);
    for (int p = 0; p < PASSES; ++p) constant_digits[p] = counts[256 * p + digit_of(input[input_offset + row * length], p)] == length;
    make_plan(constant_digits, plan);
    for (int p = 0; p < PASSES; ++p) {
      if (!(plan[p] & PLAN_ACTIVE)) continue;
      uint places[256], sum = 0;
      for (int d = 0; d < 256; ++d) {
        places[d] = sum;
        sum += counts[256 * p + d];
      }
      move_keys(p, plan[p], places, row, length, 0, length, {{ buffers }});
    }
  }
}

kernel void radix_plan_chunks(global const key_t* input, ulong input_offset, global uint* partial, ulong row, ulong row_length) {
  const uint chunk = (uint)get_global_id(0), chunks = (uint)get_global_size(0);
  const uint length = (uint)row_length;
  uint counts[PASSES * 256];
  count_all(counts, row, length, chunk_begin(length, chunk, chunks), chunk_begin(length, chunk + 1, chunks), input, input_offset);
  for (int i = 0; i < PASSES * 256; ++i) partial[chunk * (PASSES * 256) + i] = counts[i];
}

/// One item.
kernel void radix_plan(global const uint* partial, uint chunks, global uint* plan, ulong row_length) {
  uint constant_digits[PASSES];
  for (int p = 0; p < PASSES; ++p) {
    constant_digits[p] = 0;
    for (int d = 0; d < 256; ++d) {
      ulong sum = 0;
      for (uint chunk = 0; chunk < chunks; ++chunk) sum += partial[(chunk * PASSES + p) * 256 + d];
      if (sum == row_length) constant_digits[p] = 1;
    }
  }
  make_plan(constant_digits, plan);
}

kernel void radix_count_chunks(int pass, global const uint* plan, global uint* places, KEY_BUFFERS, ulong row, ulong row_length) {
  const uint now = plan[pass];
  if (!(now & PLAN_ACTIVE)) return;
  const uint chunk = (uint)get_global_id(0), chunks = (uint)get_global_size(0);
  const uint length = (uint)row_length, end = chunk_begin(length, chunk + 1, chunks);
  global const key_t* keys = KEY_SOURCE(now, row, length);
  uint counts[256];
  for (int d = 0; d < 256; ++d) counts[d] = 0;
  for (uint i = chunk_begin(length, chunk, chunks); i < end; ++i) ++counts[digit_of(keys[i], pass)];
  for (int d = 0; d < 256; ++d) places[chunk * 256 + d] = counts[d];
}

/// One item.
kernel void radix_place_chunks(int pass, global const uint* plan, global uint* places, uint chunks) {
  if (!(plan[pass] & PLAN_ACTIVE)) return;
  uint sum = 0;
  for (int d = 0; d < 256; ++d)
    for (uint chunk = 0; chunk < chunks; ++chunk) {
      const uint count = places[chunk * 256 + d];
      places[chunk * 256 + d] = sum;
      sum += count;
    }
}

kernel void radix_move_chunks(int pass, global const uint* plan, global const uint* places, KEY_BUFFERS VALUE_BUFFERS, ulong row, ulong row_length) {
  const uint now = plan[pass];
  if (!(now & PLAN_ACTIVE)) return;
  const uint chunk = (uint)get_global_id(0), chunks = (uint)get_global_size(0);
  const uint length = (uint)row_length;
  uint own[256];
  for (int d = 0; d < 256; ++d) own[d] = places[chunk * 256 + d];
  move_keys(pass, now, own, row, length, chunk_begin(length, chunk, chunks), chunk_begin(length, chunk + 1, chunks), {{ buffers }});
}
