{# A GPU's scan in two launches, reduce and then scan, that assumes nothing of how groups are scheduled. A group owns
   {{ "`scan_chunk`" }} tiles in a row; pass one leaves its total, pass two folds the totals in front of it and scans. #}
#define SCAN_THREADS {{ threads }}
#define SCAN_ROWS {{ rows }}
#define SCAN_LANE(s) ({{ "SCAN_V - 1 - (s)" if backward else "s" }})

#define SCAN_PARTS 16

// Turns shared[] into exclusive prefixes of its SCAN_THREADS * SCAN_ROWS values and returns their total. Three levels
// of short serial loops: few barriers matter more than few steps.
static inline scan_item scan_shared_prefixes(LOCAL_POINTER scan_item* shared, LOCAL_POINTER scan_item* totals,
                                             LOCAL_POINTER scan_item* parts) {
  const uint lane = (uint)get_local_id(0);
  scan_item sum = scan_neutral();
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint r = 0; r < SCAN_ROWS; ++r) sum = scan_join(sum, shared[lane * SCAN_ROWS + r]);
  totals[lane] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (lane < SCAN_PARTS) {
    sum = scan_neutral();
    for (uint t = lane * (SCAN_THREADS / SCAN_PARTS); t < (lane + 1) * (SCAN_THREADS / SCAN_PARTS); ++t) {
      const scan_item value = totals[t];
      totals[t] = sum;
      sum = scan_join(sum, value);
    }
    parts[lane] = sum;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  scan_item total = scan_neutral(), before = scan_neutral();
  for (uint p = 0; p < SCAN_PARTS; ++p) {
    if (p == lane / (SCAN_THREADS / SCAN_PARTS)) before = total;
    total = scan_join(total, parts[p]);
  }
  before = scan_join(before, totals[lane]);
  for (uint r = 0; r < SCAN_ROWS; ++r) {
    const scan_item value = shared[lane * SCAN_ROWS + r];
    shared[lane * SCAN_ROWS + r] = before;
    before = scan_join(before, value);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return total;
}

{% for apply in [false, true] %}
kernel RTCG_GROUP_SIZE(SCAN_THREADS, 1, 1) void {{ name }}_{{ "apply" if apply else "reduce" }}({{ parameters }}{{ more_parameters }}
    const ulong scan_n, const uint scan_tiles, const uint scan_chunk, global {{ "const " if apply else "" }}scan_item* scan_totals) {
  {{ declare_lanes }}
  const index_t N = (index_t)scan_n;
  local scan_item scan_shared[SCAN_THREADS * SCAN_ROWS], scan_thread_totals[SCAN_THREADS], scan_parts[SCAN_PARTS];
  const uint scan_lane = (uint)get_local_id(0), scan_group = (uint)get_group_id(0);
  scan_item scan_before = scan_neutral();
{% if apply %}
  // Every item folds as many totals in a row, which keeps their order.
  const uint scan_share = (scan_group + SCAN_THREADS * SCAN_ROWS - 1) / (SCAN_THREADS * SCAN_ROWS);
  for (uint scan_r = 0; scan_r < SCAN_ROWS; ++scan_r) {
    const uint scan_slot = scan_r * SCAN_THREADS + scan_lane;
    scan_item scan_fold = scan_neutral();
    for (uint scan_j = scan_slot * scan_share; scan_j < (scan_slot + 1) * scan_share && scan_j < scan_group; ++scan_j)
      scan_fold = scan_join(scan_fold, scan_totals[scan_j]);
    scan_shared[scan_slot] = scan_fold;
  }
  scan_before = scan_shared_prefixes(scan_shared, scan_thread_totals, scan_parts);
{% endif %}
  for (uint scan_c = 0; scan_c < scan_chunk; ++scan_c) {
    const uint scan_tile = scan_group * scan_chunk + scan_c;
    scan_item scan_values[SCAN_ROWS][SCAN_V];
{% if segmented %}
    uint scan_starts[SCAN_ROWS];
{% endif %}
{% for c in carried %}
{% if apply %}
    {{ c[0] }} scan_kept_{{ c[1] }}[SCAN_ROWS][SCAN_V];
{% endif %}
{% endfor %}
    RTCG_UNROLL(SCAN_ROWS)
    for (uint scan_r = 0; scan_r < SCAN_ROWS; ++scan_r) {
      const index_t scan_position = ((index_t)scan_tile * SCAN_ROWS + scan_r) * SCAN_THREADS + scan_lane;
{% if backward %}
      const index_t scan_start = ((index_t)scan_tiles * (SCAN_THREADS * SCAN_ROWS) - 1 - scan_position) * SCAN_V;
{% else %}
      const index_t scan_start = scan_position * SCAN_V;
{% endif %}
      const bool scan_inside = scan_tile < scan_tiles && scan_start < N, scan_whole = scan_inside && scan_start + SCAN_V <= N;
      if (scan_whole) {
        const index_t i = scan_start;
        {{ load_run }}
      }
{% if segmented %}
      scan_starts[scan_r] = 0;
{% endif %}
      scan_item scan_sum = scan_neutral();
      RTCG_UNROLL(SCAN_V)
      for (uint scan_s = 0; scan_s < SCAN_V; ++scan_s) {
        const uint k = SCAN_LANE(scan_s);
        const index_t i = scan_start + k;
        if (scan_inside && i < N) {
          if (!scan_whole) {
            {{ load_one }}
          }
          {{ compute }}
          const scan_item scan_own = {{ own }};
          scan_sum = scan_join(scan_sum, scan_own);
{% for c in carried %}
{% if apply %}
          scan_kept_{{ c[1] }}[scan_r][scan_s] = {{ c[2] }};
{% endif %}
{% endfor %}
{% if segmented %}
          scan_starts[scan_r] |= scan_own.starts << scan_s;
{% endif %}
        }
        scan_values[scan_r][scan_s] = scan_sum;
      }
      scan_shared[scan_r * SCAN_THREADS + scan_lane] = scan_sum;
    }
    const scan_item scan_total = scan_shared_prefixes(scan_shared, scan_thread_totals, scan_parts);
{% if apply %}
    RTCG_UNROLL(SCAN_ROWS)
    for (uint scan_r = 0; scan_r < SCAN_ROWS; ++scan_r) {
      const index_t scan_position = ((index_t)scan_tile * SCAN_ROWS + scan_r) * SCAN_THREADS + scan_lane;
{% if backward %}
      const index_t scan_start = ((index_t)scan_tiles * (SCAN_THREADS * SCAN_ROWS) - 1 - scan_position) * SCAN_V;
{% else %}
      const index_t scan_start = scan_position * SCAN_V;
{% endif %}
      const bool scan_inside = scan_tile < scan_tiles && scan_start < N, scan_whole = scan_inside && scan_start + SCAN_V <= N;
      const scan_item scan_front = scan_join(scan_before, scan_shared[scan_r * SCAN_THREADS + scan_lane]);
      RTCG_UNROLL(SCAN_V)
      for (uint scan_s = 0; scan_s < SCAN_V; ++scan_s) {
        const uint k = SCAN_LANE(scan_s);
        const index_t i = scan_start + k;
        if (scan_inside && i < N) {
{% for c in carried %}
          const {{ c[0] }} {{ c[1] }} = scan_kept_{{ c[1] }}[scan_r][scan_s];
{% endfor %}
          const scan_value item = SCAN_VALUE(scan_join(scan_front, scan_values[scan_r][scan_s]));
          scan_value prev_item = SCAN_VALUE(scan_front);
          if (scan_s > 0) prev_item = SCAN_VALUE(scan_join(scan_front, scan_values[scan_r][scan_s - 1]));
{% if segmented %}
          if (scan_starts[scan_r] >> scan_s & 1) prev_item = scan_neutral_value();
{% endif %}
          {{ output }}
          if (!scan_whole) {
            {{ store_one }}
          }
        }
      }
      if (scan_whole) {
        const index_t i = scan_start;
        {{ store_run }}
      }
    }
{% endif %}
    scan_before = scan_join(scan_before, scan_total);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
{% if not apply %}
  if (scan_lane == 0) scan_totals[scan_group] = scan_before;
{% endif %}
}
{% endfor %}
