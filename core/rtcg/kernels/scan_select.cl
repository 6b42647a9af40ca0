{# A selection by scan_lookback.cl's tiles: elements whose flag is set, in order. A tile's elements are packed in local
   memory while its place is awaited, and leave it in whole lines. Flags are bits and rows are counted in pairs (a row
   has at most 32 x 16 elements), which keeps registers for elements. #}
#define SCAN_PAIRS ((SCAN_ROWS + 1) / 2)
kernel __launch_bounds__(SCAN_THREADS, {{ resident }}) void {{ name }}_scan({{ parameters }}{{ more_parameters }}const ulong scan_n,
    const uint scan_tiles, ulong* scan_states) {
  {{ declare_lanes }}
  const index_t N = (index_t)scan_n;
  __shared__ uint scan_ticket, scan_warp_totals[SCAN_WARPS];
  __shared__ scan_value scan_prefix;
  __shared__ __align__(16) char scan_staged[{{ staged_bytes }}];
  const uint scan_lane = threadIdx.x & 31, scan_warp = threadIdx.x >> 5;
  uint scan_tile = 0;
  if (scan_tiles > 1) {
    if (threadIdx.x == 0) scan_ticket = atomicAdd((uint*)scan_states, 1u);
    __syncthreads();
    scan_tile = scan_ticket;
  }
  const index_t scan_run = ((index_t)scan_tile * SCAN_WARPS + scan_warp) * (32 * SCAN_ROWS) + scan_lane;
  const bool scan_whole = ((index_t)scan_tile + 1) * (SCAN_THREADS * SCAN_ROWS * SCAN_V) <= N;
  uint scan_flags[SCAN_ROWS], scan_counts[SCAN_PAIRS];
#pragma unroll
  for (uint scan_q = 0; scan_q < SCAN_PAIRS; ++scan_q) scan_counts[scan_q] = 0;
{% for s in selected %}
  {{ s[0] }} scan_kept{{ s[1] }}[SCAN_ROWS][SCAN_V];
{% endfor %}
{% for whole in [true, false] %}
  {{ "if (scan_whole)" if whole else "else" }} {
#pragma unroll
    for (uint scan_r = 0; scan_r < SCAN_ROWS; ++scan_r) {
      const index_t scan_start = (scan_run + scan_r * 32) * SCAN_V;
      scan_flags[scan_r] = 0;
{% if whole %}
      {
        const index_t i = scan_start;
        {{ load_run }}
      }
{% endif %}
#pragma unroll
      for (uint k = 0; k < SCAN_V; ++k) {
        const index_t i = scan_start + k;
{% if not whole %}
        if (i < N) {
          {{ load_one }}
{% else %}
        {
{% endif %}
          {{ compute }}
          if ({{ own }}) scan_flags[scan_r] |= 1u << k;
{% for s in selected %}
          scan_kept{{ s[1] }}[scan_r][k] = {{ s[2] }};
{% endfor %}
        }
      }
      scan_counts[scan_r / 2] += (uint)__popc(scan_flags[scan_r]) << 16 * (scan_r % 2);
    }
  }
{% endfor %}
  uint scan_through[SCAN_PAIRS], scan_places[SCAN_ROWS], scan_count = 0;
#pragma unroll
  for (uint scan_q = 0; scan_q < SCAN_PAIRS; ++scan_q) scan_through[scan_q] = scan_counts[scan_q];
#pragma unroll
  for (uint scan_d = 1; scan_d < 32; scan_d *= 2)
#pragma unroll
    for (uint scan_q = 0; scan_q < SCAN_PAIRS; ++scan_q) {
      const uint scan_other = __shfl_up_sync(~0u, scan_through[scan_q], scan_d);
      if (scan_lane >= scan_d) scan_through[scan_q] += scan_other;
    }
#pragma unroll
  for (uint scan_r = 0; scan_r < SCAN_ROWS; ++scan_r) {
    const uint scan_shift = 16 * (scan_r % 2);
    scan_places[scan_r] = scan_count + ((scan_through[scan_r / 2] - scan_counts[scan_r / 2]) >> scan_shift & 0xffff);
    scan_count += __shfl_sync(~0u, scan_through[scan_r / 2], 31) >> scan_shift & 0xffff;
  }
  if (scan_lane == 31) scan_warp_totals[scan_warp] = scan_count;
  __syncthreads();
  uint scan_before = 0, scan_total = 0;
#pragma unroll
  for (uint scan_w = 0; scan_w < SCAN_WARPS; ++scan_w) {
    if (scan_w == scan_warp) scan_before = scan_total;
    scan_total += scan_warp_totals[scan_w];
  }
  if (threadIdx.x == 0) {
    scan_prefix = 0;
    if (scan_tiles > 1) scan_publish(scan_states + 1 + (size_t)scan_tile * SCAN_WORDS, scan_total);
  }
{% for s in selected %}
  {
    {{ s[3] }}* scan_out = ({{ s[3] }}*)scan_staged;
{% if s[1] > 0 %}
    __syncthreads();
{% endif %}
#pragma unroll
    for (uint scan_r = 0; scan_r < SCAN_ROWS; ++scan_r) {
      uint scan_at = scan_before + scan_places[scan_r];
#pragma unroll
      for (uint k = 0; k < SCAN_V; ++k)
        if (scan_flags[scan_r] >> k & 1) scan_out[scan_at++] = {{ s[4] }}(scan_kept{{ s[1] }}[scan_r][k]);
    }
{% if s[1] == 0 %}
    if (scan_tiles > 1 && scan_warp == 0) {
      const scan_value scan_found = scan_look_back(scan_tile, scan_tiles, scan_total, scan_states + 1);
      if (scan_lane == 0) scan_prefix = scan_found;
    }
{% endif %}
    __syncthreads();
    for (uint scan_j = threadIdx.x; scan_j < scan_total; scan_j += SCAN_THREADS)
      (({{ s[3] }}*){{ s[5] }})[scan_prefix + scan_j] = scan_out[scan_j];
  }
{% endfor %}
  if (threadIdx.x == 0 && scan_tile == scan_tiles - 1) {
    const scan_value last_count = scan_prefix + scan_total;
    {{ finish }}
  }
}
