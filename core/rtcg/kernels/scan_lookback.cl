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
