{#
  Radix sort on any GPU: work-groups sort tiles in local memory, nothing is assumed of how groups run beside each other.
  Comes after radix_key.cl. A row that fits in a tile is sorted by one group in one kernel. A longer one is cut into blocks of
  tiles; a pass counts the digits of each block, scans the counts, and moves each tile's keys after sorting them
  by their digit in local memory, so that keys of one digit are written side by side.
#}
#define GROUP {{ group }}
#define ITEMS {{ items }}
#define TILE (GROUP * ITEMS)
/// Sixteen counters an item, padded so that sixteen in a row of one item meet different banks.
#define CELL(i) ((i) + ((i) >> 4))
#define CELLS (GROUP * 17)

/// Exclusive sum over the group's items.
static inline uint group_scan(uint value, LOCAL_POINTER uint* sums) {
  const int t = (int)get_local_id(0);
  sums[t] = value;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int away = 1; away < GROUP; away *= 2) {
    const uint other = t >= away ? sums[t - away] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[t] += other;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return sums[t] - value;
}

/// A stable sort of the tile by up to four bits. Places from `count` on hold nothing and stay where they are: they
/// count as the highest digit, and come last.
static inline void sort_step(LOCAL_POINTER key_t* keys, LOCAL_POINTER ushort* origins, LOCAL_POINTER uint* cells, LOCAL_POINTER uint* sums, uint count, uint shift, uint mask) {
  const int t = (int)get_local_id(0);
  key_t own[ITEMS];
  ushort from[ITEMS], ranks[ITEMS];
  uchar digits[ITEMS];
  for (int d = 0; d < 16; ++d) cells[CELL(d * GROUP + t)] = 0;
  for (int i = 0; i < ITEMS; ++i) {
    const uint at = (uint)(t * ITEMS + i);
    own[i] = keys[at];
    from[i] = origins[at];
    digits[i] = (uchar)(at < count ? (uint)(ordered(own[i]) >> shift) & mask : mask);
    ranks[i] = (ushort)cells[CELL(digits[i] * GROUP + t)]++;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint sum = 0;
  for (int d = 0; d < 16; ++d) sum += cells[CELL(16 * t + d)];
  sum = group_scan(sum, sums);
  for (int d = 0; d < 16; ++d) {
    const uint here = cells[CELL(16 * t + d)];
    cells[CELL(16 * t + d)] = sum;
    sum += here;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int i = 0; i < ITEMS; ++i) {
    const uint at = cells[CELL(digits[i] * GROUP + t)] + ranks[i];
    keys[at] = own[i];
    origins[at] = from[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

static inline void load_tile(LOCAL_POINTER key_t* keys, LOCAL_POINTER ushort* origins, global const key_t* from, uint count) {
  for (uint at = (uint)get_local_id(0); at < TILE; at += GROUP) {
    keys[at] = at < count ? from[at] : (key_t)0;
    origins[at] = (ushort)at;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
}

#define TILE_MEMORY               \
  local key_t keys[TILE];         \
  local ushort origins[TILE];     \
  local uint cells[CELLS];        \
  local uint sums[GROUP];

{% if whole_rows %}
/// One group a row.
kernel RTCG_GROUP_SIZE(GROUP, 1, 1) void radix_tile_rows(KEY_BUFFERS VALUE_BUFFERS, ulong row_length) {
  TILE_MEMORY
  const size_t row = get_group_id(0);
  const uint length = (uint)row_length;
  load_tile(keys, origins, input + input_offset + row * length, length);
  for (int bit = 0; bit < {{ bits }}; bit += 4)
    sort_step(keys, origins, cells, sums, length, (uint)(FIRST_BIT + bit), {{ bits }} - bit < 4 ? (1u << ({{ bits }} - bit)) - 1 : 15u);
  for (uint at = (uint)get_local_id(0); at < length; at += GROUP) {
    output[row * length + at] = keys[at];
{% if value_bytes %}
    const uint plan = PLAN_ACTIVE | PLAN_LAST | 2u << 4;
    PUT_VALUE(plan, row * length, at, GET_VALUE(plan, row * length, origins[at]));
{% endif %}
  }
}
{% else %}

/// Keys [begin, end) of a block: whole tiles, but for the last.
static inline uint block_begin(uint length, uint block, uint blocks) {
  const ulong tiles = ((ulong)length + TILE - 1) / TILE, at = tiles * block / blocks * TILE;
  return at < length ? (uint)at : length;
}

kernel RTCG_GROUP_SIZE(GROUP, 1, 1) void radix_count_blocks(int pass, global const uint* plans, global uint* places, KEY_BUFFERS, ulong row_length, uint blocks) {
  local uint counts[256];
  const size_t row = get_group_id(0) / blocks;
  const uint t = (uint)get_local_id(0), length = (uint)row_length, block = (uint)(get_group_id(0) % blocks), plan = plans[row * PASSES + pass];
  for (uint d = t; d < 256; d += GROUP) counts[d] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (plan & PLAN_ACTIVE) {
    global const key_t* keys = KEY_SOURCE(plan, row, length);
    const ulong end = block_begin(length, block + 1, blocks);
    for (ulong i = (ulong)block_begin(length, block, blocks) + t; i < end; i += GROUP) atomic_inc(&counts[digit_of(keys[i], pass)]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = t; d < 256; d += GROUP) places[(row * 256 + d) * blocks + block] = counts[d];
}

/// One group for each digit of each row.
kernel RTCG_GROUP_SIZE(GROUP, 1, 1) void radix_place_blocks(int pass, global const uint* bases, global uint* places, uint blocks) {
  local uint sums[GROUP];
  const int t = (int)get_local_id(0);
  const size_t row = get_group_id(0) / 256, digit = get_group_id(0) % 256;
  global uint* own = places + get_group_id(0) * blocks;
  uint before = bases[(row * PASSES + pass) * 256 + digit];
  for (uint first = 0; first < blocks; first += GROUP) {
    const uint count = first + t < blocks ? own[first + t] : 0;
    const uint place = before + group_scan(count, sums);
    if (first + t < blocks) own[first + t] = place;
    before += sums[GROUP - 1];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

kernel RTCG_GROUP_SIZE(GROUP, 1, 1) void radix_move_blocks(int pass, global const uint* plans, global const uint* places, KEY_BUFFERS VALUE_BUFFERS, ulong row_length, uint blocks) {
  TILE_MEMORY
  local uint starts[256], offsets[256];
  const size_t row = get_group_id(0) / blocks;
  const uint t = (uint)get_local_id(0), length = (uint)row_length, block = (uint)(get_group_id(0) % blocks), plan = plans[row * PASSES + pass];
  const uint begin = block_begin(length, block, blocks), end = plan & PLAN_ACTIVE ? block_begin(length, block + 1, blocks) : begin;
  global const key_t* from = KEY_SOURCE(plan, row, length);
  global key_t* to = KEY_TARGET(plan, row, length);
  for (uint d = t; d < 256; d += GROUP) offsets[d] = places[(row * 256 + d) * blocks + block];
  for (ulong first = begin; first < end; first += TILE) {
    const uint count = (uint)min((ulong)TILE, end - first);
    load_tile(keys, origins, from + first, count);
    for (uint bit = 0; bit < (pass == PASSES - 1 ? {{ last_bits }}u : 8u); bit += 4) {
      const uint mask = (pass == PASSES - 1 ? LAST_MASK : 255u) >> bit & 15u;
      sort_step(keys, origins, cells, sums, count, (uint)(FIRST_BIT + 8 * pass) + bit, mask);
    }
    for (uint at = t; at < count; at += GROUP)
      if (at == 0 || digit_of(keys[at], pass) != digit_of(keys[at - 1], pass)) starts[digit_of(keys[at], pass)] = at;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = t; at < count; at += GROUP) {
      const uint digit = digit_of(keys[at], pass), place = offsets[digit] + at - starts[digit];
      to[place] = keys[at];
{% if value_bytes %}
      PUT_VALUE(plan, row * length, place, GET_VALUE(plan, row * length, (uint)first + origins[at]));
{% endif %}
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint at = t; at < count; at += GROUP)
      if (at == count - 1 || digit_of(keys[at], pass) != digit_of(keys[at + 1], pass))
        offsets[digit_of(keys[at], pass)] += at + 1 - starts[digit_of(keys[at], pass)];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}
{% endif %}
