{# One pass over memory, for CUDA. A group takes a ticket, which is its tile; tickets rise, so a tile waits only for
   groups that already run. A tile publishes its total, reads the totals in front of it, and writes its prefixes.

   The prefix of tile t is always the same expression, whatever the timing, so floating-point results repeat to the bit:
     prefix of its block of 1024 tiles + totals of the blocks of 32 in it + totals of the tiles in its block of 32.
   The last tile of a block of 32 publishes the block's total, the last of 1024 the prefix of the next block.
   Values travel as words of 32 bits beside a flag of 32 bits in one 64-bit access, so no fence is needed. #}
#define SCAN_THREADS {{ threads }}
#define SCAN_WARPS (SCAN_THREADS / 32)
#define SCAN_ROWS {{ rows }}
#define SCAN_WORDS ((sizeof(scan_item) + 3) / 4)
#define SCAN_LANE(s) ({{ "SCAN_V - 1 - (s)" if backward else "s" }})

union scan_bits {
  uint words[SCAN_WORDS];
  scan_item item;
};

static inline scan_item scan_shuffle_up(const scan_item value, uint distance) {
  scan_bits bits;
  bits.item = value;
#pragma unroll
  for (uint w = 0; w < SCAN_WORDS; ++w) bits.words[w] = __shfl_up_sync(~0u, bits.words[w], distance);
  return bits.item;
}
static inline scan_item scan_shuffle_down(const scan_item value, uint distance) {
  scan_bits bits;
  bits.item = value;
#pragma unroll
  for (uint w = 0; w < SCAN_WORDS; ++w) bits.words[w] = __shfl_down_sync(~0u, bits.words[w], distance);
  return bits.item;
}
static inline scan_item scan_last_lane(const scan_item value) {
  scan_bits bits;
  bits.item = value;
#pragma unroll
  for (uint w = 0; w < SCAN_WORDS; ++w) bits.words[w] = __shfl_sync(~0u, bits.words[w], 31);
  return bits.item;
}

static inline void scan_publish(ulong* state, const scan_item value) {
  scan_bits bits;
  bits.item = value;
#pragma unroll
  for (uint w = 0; w < SCAN_WORDS; ++w)
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(state + w), "l"(1ul << 32 | bits.words[w]) : "memory");
}
static inline scan_item scan_await(const ulong* state) {
  scan_bits bits;
#pragma unroll
  for (uint w = 0; w < SCAN_WORDS; ++w) {
    ulong word;
    do {
      asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(state + w) : "memory");
    } while (!(word >> 32));
    bits.words[w] = (uint)word;
  }
  return bits.item;
}

// By one warp; the result is lane 0's.
static inline scan_item scan_look_back(uint tile, uint tiles, const scan_item total, ulong* states) {
  const uint lane = threadIdx.x & 31, ones = tile & 31, tens = tile >> 5 & 31, block = tile >> 10;
  ulong* blocks_of_32 = states + (size_t)tiles * SCAN_WORDS;
  ulong* prefixes = blocks_of_32 + (size_t)((tiles + 31) / 32) * SCAN_WORDS;
  // A block's total goes out before anything older is awaited, so that no chain of waits runs through the blocks.
  scan_item near = scan_neutral(), far = scan_neutral(), start = scan_neutral();
  if (lane < ones) near = scan_await(states + (size_t)(tile - ones + lane) * SCAN_WORDS);
  __syncwarp();
#pragma unroll
  for (uint d = 1; d < 32; d *= 2) near = scan_join(near, scan_shuffle_down(near, d));
  const scan_item block_total = scan_join(near, total);
  if (lane == 0 && ones == 31) scan_publish(blocks_of_32 + (size_t)(tile >> 5) * SCAN_WORDS, block_total);
  if (lane < tens) far = scan_await(blocks_of_32 + (size_t)((tile >> 5) - tens + lane) * SCAN_WORDS);
  if (block > 0) start = scan_await(prefixes + (size_t)block * SCAN_WORDS);
  __syncwarp();
#pragma unroll
  for (uint d = 1; d < 32; d *= 2) far = scan_join(far, scan_shuffle_down(far, d));
  if (lane == 0 && ones == 31 && tens == 31)
    scan_publish(prefixes + (size_t)(block + 1) * SCAN_WORDS, scan_join(start, scan_join(far, block_total)));
  return scan_join(start, scan_join(far, near));
}

kernel RTCG_GROUP_SIZE(SCAN_THREADS, 1, 1) void {{ name }}_scan({{ parameters }}{{ more_parameters }}const ulong scan_n,
    const uint scan_tiles, ulong* scan_states) {
  {{ declare_lanes }}
  const index_t N = (index_t)scan_n;
  __shared__ uint scan_ticket;
  __shared__ scan_bits scan_warp_totals[SCAN_WARPS], scan_prefix;
  const uint scan_lane = threadIdx.x & 31, scan_warp = threadIdx.x >> 5;
  uint scan_tile = 0;
  if (scan_tiles > 1) {
    if (threadIdx.x == 0) scan_ticket = atomicAdd((uint*)scan_states, 1u);
    __syncthreads();
    scan_tile = scan_ticket;
  }
  // Run r of this thread is scan_run + 32 r, backward scan_run - 32 r.
  const index_t scan_position = ((index_t)scan_tile * SCAN_WARPS + scan_warp) * (32 * SCAN_ROWS) + scan_lane;
{% if backward %}
  const index_t scan_run = (index_t)scan_tiles * (SCAN_THREADS * SCAN_ROWS) - 1 - scan_position;
  const bool scan_whole = scan_tile > 0 || (index_t)scan_tiles * (SCAN_THREADS * SCAN_ROWS * SCAN_V) == N;
{% else %}
  const index_t scan_run = scan_position;
  const bool scan_whole = ((index_t)scan_tile + 1) * (SCAN_THREADS * SCAN_ROWS * SCAN_V) <= N;
{% endif %}
  scan_item scan_values[SCAN_ROWS][SCAN_V], scan_rows[SCAN_ROWS];
{% if segmented %}
  uint scan_starts[SCAN_ROWS];
{% endif %}
{% for c in carried %}
  {{ c[0] }} scan_kept_{{ c[1] }}[SCAN_ROWS][SCAN_V];
{% endfor %}
{% for whole in [true, false] %}
  {{ "if (scan_whole)" if whole else "else" }} {
#pragma unroll
    for (uint scan_r = 0; scan_r < SCAN_ROWS; ++scan_r) {
      const index_t scan_start = (scan_run {{ "-" if backward else "+" }} scan_r * 32) * SCAN_V;
{% if segmented %}
      scan_starts[scan_r] = 0;
{% endif %}
{% if whole %}
      {
        const index_t i = scan_start;
        {{ load_run }}
      }
{% endif %}
#pragma unroll
      for (uint scan_s = 0; scan_s < SCAN_V; ++scan_s) {
        const uint k = SCAN_LANE(scan_s);
        const index_t i = scan_start + k;
{% if not whole %}
        scan_values[scan_r][scan_s] = scan_neutral();
        if (i < N) {
          {{ load_one }}
{% else %}
        {
{% endif %}
          {{ compute }}
          const scan_item scan_own = {{ own }};
          scan_values[scan_r][scan_s] = scan_own;
{% for c in carried %}
          scan_kept_{{ c[1] }}[scan_r][scan_s] = {{ c[2] }};
{% endfor %}
{% if segmented %}
          scan_starts[scan_r] |= scan_own.starts << scan_s;
{% endif %}
        }
        if (scan_s > 0)
          scan_values[scan_r][scan_s] = scan_join(scan_values[scan_r][scan_s - 1], scan_values[scan_r][scan_s]);
      }
      scan_rows[scan_r] = scan_values[scan_r][SCAN_V - 1];
    }
  }
{% endfor %}
#pragma unroll
  for (uint scan_d = 1; scan_d < 32; scan_d *= 2)
#pragma unroll
    for (uint scan_r = 0; scan_r < SCAN_ROWS; ++scan_r) {
      const scan_item scan_other = scan_shuffle_up(scan_rows[scan_r], scan_d);
      if (scan_lane >= scan_d) scan_rows[scan_r] = scan_join(scan_other, scan_rows[scan_r]);
    }
  scan_item scan_carry = scan_neutral();
#pragma unroll
  for (uint scan_r = 0; scan_r < SCAN_ROWS; ++scan_r) {
    const scan_item scan_row_total = scan_last_lane(scan_rows[scan_r]);
    scan_item scan_other = scan_shuffle_up(scan_rows[scan_r], 1);
    if (scan_lane == 0) scan_other = scan_neutral();
    scan_rows[scan_r] = scan_join(scan_carry, scan_other);
    scan_carry = scan_join(scan_carry, scan_row_total);
  }
  if (scan_lane == 31) scan_warp_totals[scan_warp].item = scan_carry;
  __syncthreads();
  scan_item scan_warp_before = scan_neutral(), scan_total = scan_neutral();
#pragma unroll
  for (uint scan_w = 0; scan_w < SCAN_WARPS; ++scan_w) {
    if (scan_w == scan_warp) scan_warp_before = scan_total;
    scan_total = scan_join(scan_total, scan_warp_totals[scan_w].item);
  }
  if (scan_tiles > 1) {
    if (scan_warp == 0) {
      if (scan_lane == 0) scan_publish(scan_states + 1 + (size_t)scan_tile * SCAN_WORDS, scan_total);
      const scan_item scan_before = scan_look_back(scan_tile, scan_tiles, scan_total, scan_states + 1);
      if (scan_lane == 0) scan_prefix.item = scan_before;
    }
    __syncthreads();
    scan_warp_before = scan_join(scan_prefix.item, scan_warp_before);
  }
{% for whole in [true, false] %}
  {{ "if (scan_whole)" if whole else "else" }} {
#pragma unroll
    for (uint scan_r = 0; scan_r < SCAN_ROWS; ++scan_r) {
      const index_t scan_start = (scan_run {{ "-" if backward else "+" }} scan_r * 32) * SCAN_V;
      const scan_item scan_front = scan_join(scan_warp_before, scan_rows[scan_r]);
#pragma unroll
      for (uint scan_s = 0; scan_s < SCAN_V; ++scan_s) {
        const uint k = SCAN_LANE(scan_s);
        const index_t i = scan_start + k;
        {{ "" if whole else "if (i < N) " }}{
{% for c in carried %}
          const {{ c[0] }} {{ c[1] }} = scan_kept_{{ c[1] }}[scan_r][scan_s];
{% endfor %}
          const scan_value item = SCAN_VALUE(scan_join(scan_front, scan_values[scan_r][scan_s]));
          const scan_value prev_item = {{ "scan_starts[scan_r] >> scan_s & 1 ? scan_neutral_value() : " if segmented else "" }}SCAN_VALUE(
              scan_s > 0 ? scan_join(scan_front, scan_values[scan_r][scan_s > 0 ? scan_s - 1 : 0]) : scan_front);
          {{ output }}
{% if not whole %}
          {{ store_one }}
{% endif %}
        }
      }
{% if whole %}
      {
        const index_t i = scan_start;
        {{ store_run }}
      }
{% endif %}
    }
  }
{% endfor %}
}
