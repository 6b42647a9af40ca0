{#
  A pass of a radix sort that reads and writes every key once, for NVIDIA GPUs, by CUDA and by OpenCL. Comes after
  radix_key.cl and radix_counts.cl. Groups take tiles in order; each counts its digits, publishes the counts, and looks back through what
  the tiles before it published until it meets a sum from the row's start (Merrill and Garland, "Single-pass parallel prefix
  scan with decoupled look-back", 2016; Adinets and Merrill, "Onesweep", 2022). A tile only ever waits for tiles
  that were taken before it, so this ends however few groups run at once.
#}
#define GROUP {{ group }}
#define ITEMS {{ items }}
#define TILE (GROUP * ITEMS)
#define WARPS (GROUP / 32)
#ifdef RTCG_CUDA
#define GROUP_BOUNDS __launch_bounds__(GROUP, {{ groups_at_once }})
#else
#define GROUP_BOUNDS RTCG_GROUP_SIZE(GROUP, 1, 1)
#endif
/// Published counts that are read at once when looking back: memory answers late.
#define WINDOW 4
typedef {{ "ulong" if wide_status else "uint" }} status_t;
#define STATUS_BITS {{ 64 if wide_status else 32 }}
/// The two highest bits of a published count: of this tile, or of all up to it.
#define OF_TILE ((status_t)1 << (STATUS_BITS - 2))
#define UP_TO_TILE ((status_t)1 << (STATUS_BITS - 1))

static inline uint lanes_below(void) {
  uint mask;
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
  return mask;
}
static inline void warp_barrier(void) { asm volatile("bar.warp.sync 0xffffffff;" ::: "memory"); }
/// The lanes whose digit is the same.
static inline uint peers_of(uint digit) {
  uint peers = 0xffffffffu;
  RTCG_UNROLL(8)
  for (int bit = 0; bit < 8; ++bit) {
    uint same;
    asm volatile(
        "{ .reg .pred p; .reg .u32 t; and.b32 t, %1, %2; setp.ne.u32 p, t, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; @!p not.b32 %0, %0; }"
        : "=r"(same) : "r"(digit), "r"(1u << bit));
    peers &= same;
  }
  return peers;
}
static inline status_t published(global const status_t* status) {
  status_t value;
  asm volatile("ld.relaxed.gpu.global.{{ "u64" if wide_status else "u32" }} %0, [%1];" : "={{ "l" if wide_status else "r" }}"(value) : "l"(status) : "memory");
  return value;
}
static inline void publish(global status_t* status, status_t value) {
  asm volatile("st.relaxed.gpu.global.{{ "u64" if wide_status else "u32" }} [%0], %1;" : : "l"(status), "{{ "l" if wide_status else "r" }}"(value) : "memory");
}

{% if value_bytes %}
/// Values are moved in rounds through the keys' room, as many items of every work-item at once as fit.
#define ROUND_ITEMS {{ round_items }}
#define ROUND (ROUND_ITEMS * GROUP)
{% endif %}

kernel GROUP_BOUNDS void radix_onesweep(int pass, global const uint* plans, global const uint* bases, global status_t* statuses, global uint* ticket, KEY_BUFFERS VALUE_BUFFERS, ulong row_length, uint tiles) {
  local uint warp_counts[WARPS * 256];
  local uint4 room[{{ room_bytes / 16 + 1 }}];
  local uint places[256], warp_sums[8], taken[1];
  LOCAL_POINTER key_t* stage = (LOCAL_POINTER key_t*)room;
  const uint t = (uint)get_local_id(0), lane = t % 32, warp = t / 32;
  LOCAL_POINTER uint* own = warp_counts + warp * 256;
  RTCG_UNROLL(8)
  for (int d = 0; d < 8; ++d) own[32 * d + lane] = 0;
  if (t == 0) taken[0] = atomic_inc(ticket);
  barrier(CLK_LOCAL_MEM_FENCE);
  const size_t row = taken[0] / tiles;
  const uint tile = taken[0] % tiles, length = (uint)row_length, first = tile * TILE, count = min((uint)TILE, length - first);
  const uint plan = plans[row * PASSES + pass];
  if (!(plan & PLAN_ACTIVE)) return;
  global const key_t* from = KEY_SOURCE(plan, row, length) + first;
  global key_t* to = KEY_TARGET(plan, row, length);

  // Item i of a lane is key 32 i + lane of its warp's part. Beyond the end stand keys that sort after all others and so
  // change no other key's place.
  const uint at = warp * (32 * ITEMS) + lane;
  key_t keys[ITEMS];
  uint ranks[(ITEMS + 1) / 2];  // two of 16 bits in each
  if (count == TILE) {
    RTCG_UNROLL(ITEMS)
    for (int i = 0; i < ITEMS; ++i) keys[i] = from[at + 32 * i];
  } else {
    RTCG_UNROLL(ITEMS)
    for (int i = 0; i < ITEMS; ++i) keys[i] = at + 32 * i < count ? from[at + 32 * i] : LAST_KEY;
  }
#define RANK(i) ((i) % 2 ? ranks[(i) / 2] >> 16 : ranks[(i) / 2] & 0xffffu)
  const uint below = lanes_below();
  RTCG_UNROLL(ITEMS)
  for (int i = 0; i < ITEMS; ++i) {
    const uint digit = digit_of(keys[i], pass), peers = peers_of(digit), rank = popcount(peers & below), before = own[digit];
    warp_barrier();
    if (peers >> lane == 1) own[digit] = before + rank + 1;
    warp_barrier();
    if (i % 2)
      ranks[i / 2] |= (before + rank) << 16;
    else
      ranks[i / 2] = before + rank;
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  // One item a digit: where each warp's run of it begins in the tile, and its count for the tiles after this one.
  global status_t* status = statuses + (row * tiles + tile) * 256 + t;
  uint parts[WARPS], total = 0, start = 0;
  if (t < 256) {
    RTCG_UNROLL(WARPS)
    for (int w = 0; w < WARPS; ++w) {
      parts[w] = warp_counts[256 * w + t];
      total += parts[w];
    }
    publish(status, (tile == 0 ? UP_TO_TILE : OF_TILE) | total);
    uint sum = total;
    RTCG_UNROLL(5)
    for (int away = 1; away < 32; away *= 2) {
      uint other;
      asm volatile("shfl.sync.up.b32 %0, %1, %2, 0, 0xffffffff;" : "=r"(other) : "r"(sum), "r"(away));
      if (lane >= (uint)away) sum += other;
    }
    if (lane == 31) warp_sums[warp] = sum;
    start = sum - total;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t < 256) {
    RTCG_UNROLL(7)
    for (uint w = 0; w < 7; ++w) start += w < warp ? warp_sums[w] : 0;
    uint place = start;
    RTCG_UNROLL(WARPS)
    for (int w = 0; w < WARPS; ++w) {
      warp_counts[256 * w + t] = place;
      place += parts[w];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
#ifdef RTCG_CUDA
  asm volatile("" : "+r"(pass));  // digits are made anew from here: to keep them would cost a register an item
#endif
  RTCG_UNROLL(ITEMS)
  for (int i = 0; i < ITEMS; ++i) {
    const uint place = RANK(i) + own[digit_of(keys[i], pass)];
    stage[place] = keys[i];
    ranks[i / 2] = i % 2 ? (ranks[i / 2] & 0xffffu) | place << 16 : (ranks[i / 2] & 0xffff0000u) | place;
  }
{% if value_bytes and value_bytes <= 8 %}
  value_t held[ITEMS];
  RTCG_UNROLL(ITEMS)
  for (int i = 0; i < ITEMS; ++i)
    if (count == TILE || at + 32 * i < count) held[i] = GET_VALUE(plan, row * length, first + at + 32 * i);
{% endif %}
  if (t < 256) {
    status_t before = 0;
    uint back = 1, done = tile == 0;
    while (!done) {
      status_t seen[WINDOW];
      RTCG_UNROLL(WINDOW)
      for (uint w = 0; w < WINDOW; ++w) seen[w] = back + w <= tile ? published(status - (size_t)(back + w) * 256) : UP_TO_TILE;
      uint open = 1, taken_in = 0;
      RTCG_UNROLL(WINDOW)
      for (uint w = 0; w < WINDOW; ++w) {
        open = open && !done && seen[w] != 0;
        if (open) {
          before += seen[w] & (OF_TILE - 1);
          done = (seen[w] & UP_TO_TILE) != 0;
          ++taken_in;
        }
      }
      back += taken_in;
    }
    if (tile != 0) publish(status, UP_TO_TILE | (before + total));
    places[t] = bases[(row * PASSES + pass) * 256 + t] + (uint)before - start;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
{% if value_bytes %}
  uint targets[ITEMS];
{% endif %}
  RTCG_UNROLL(ITEMS)
  for (int i = 0; i < ITEMS; ++i) {
    const uint p = i * GROUP + t;
    if (count == TILE || p < count) {
      const key_t key = stage[p];
      const uint target = places[digit_of(key, pass)] + p;
      to[target] = key;
{% if value_bytes %}
      targets[i] = target;
{% endif %}
    }
  }
{% if value_bytes %}
  LOCAL_POINTER value_t* value_stage = (LOCAL_POINTER value_t*)room;
  RTCG_UNROLL({{ rounds }})
  for (int r = 0; r < {{ rounds }}; ++r) {
    barrier(CLK_LOCAL_MEM_FENCE);
    RTCG_UNROLL(ITEMS)
    for (int i = 0; i < ITEMS; ++i) {
      const uint p = RANK(i) - r * ROUND;
      if (p < ROUND && (count == TILE || at + 32 * i < count))
        value_stage[p] = {{ "held[i]" if value_bytes <= 8 else "GET_VALUE(plan, row * length, first + at + 32 * i)" }};
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    RTCG_UNROLL(ROUND_ITEMS)
    for (int j = 0; j < ROUND_ITEMS; ++j) {
      const int i = r * ROUND_ITEMS + j;
      if (i < ITEMS && (count == TILE || i * GROUP + t < count)) PUT_VALUE(plan, row * length, targets[i < ITEMS ? i : 0], value_stage[j * GROUP + t]);
    }
  }
{% endif %}
}
