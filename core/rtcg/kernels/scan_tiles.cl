{# The scan of scan_lookback.cl's tiles. A warp's part of a tile is rows of 32 runs, one run of V elements to an item,
   so memory is read and written in whole lines without a transposition. While its prefix is awaited a tile waits in
   local memory where it fits: registers alone do not hold enough bytes in flight to fill the memory's bandwidth. #}
struct {{ "__align__(16) " if aligned else "" }}scan_values_run {
  scan_item values[SCAN_V];
};
#define SCAN_RUN(r) {{ "scan_parked[scan_slot + (r) * 32]" if parked else "scan_parked[r]" }}

kernel __launch_bounds__(SCAN_THREADS, {{ resident }}) void {{ name }}_scan({{ parameters }}{{ more_parameters }}const ulong scan_n,
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
  scan_item scan_rows[SCAN_ROWS];
{% if parked %}
  extern __shared__ __align__(16) char scan_local[];
  scan_values_run* const scan_parked = (scan_values_run*)scan_local;
  const uint scan_slot = scan_warp * (32 * SCAN_ROWS) + scan_lane;
{% else %}
  scan_values_run scan_parked[SCAN_ROWS];
{% endif %}
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
      scan_values_run scan_values;
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
        scan_values.values[scan_s] = scan_neutral();
        if (i < N) {
          {{ load_one }}
{% else %}
        {
{% endif %}
          {{ compute }}
          const scan_item scan_own = {{ own }};
          scan_values.values[scan_s] = scan_own;
{% for c in carried %}
          scan_kept_{{ c[1] }}[scan_r][scan_s] = {{ c[2] }};
{% endfor %}
{% if segmented %}
          scan_starts[scan_r] |= scan_own.starts << scan_s;
{% endif %}
        }
        if (scan_s > 0)
          scan_values.values[scan_s] = scan_join(scan_values.values[scan_s > 0 ? scan_s - 1 : 0], scan_values.values[scan_s]);
      }
      scan_rows[scan_r] = scan_values.values[SCAN_V - 1];
      SCAN_RUN(scan_r) = scan_values;
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
      const scan_values_run scan_values = SCAN_RUN(scan_r);
#pragma unroll
      for (uint scan_s = 0; scan_s < SCAN_V; ++scan_s) {
        const uint k = SCAN_LANE(scan_s);
        const index_t i = scan_start + k;
        {{ "" if whole else "if (i < N) " }}{
{% for c in carried %}
          const {{ c[0] }} {{ c[1] }} = scan_kept_{{ c[1] }}[scan_r][scan_s];
{% endfor %}
          const scan_value item = SCAN_VALUE(scan_join(scan_front, scan_values.values[scan_s]));
          const scan_value prev_item = {{ "scan_starts[scan_r] >> scan_s & 1 ? scan_neutral_value() : " if segmented else "" }}SCAN_VALUE(
              scan_s > 0 ? scan_join(scan_front, scan_values.values[scan_s > 0 ? scan_s - 1 : 0]) : scan_front);
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
