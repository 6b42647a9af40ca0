{# A CPU's scan: one item per group, each with {{ streams }} segments that it walks at the same time, so that their
   chains of dependent operations overlap. Pass one leaves every segment's total, pass two folds the totals in front of
   its segments and scans. Segments are whole runs long; a run past the end is skipped.
   Position p of the scan is run p, backward the last run minus p. #}
{% set order = "scan_runs - 1 - (P)" if backward else "P" %}
#define SCAN_RUN(P) ({{ order }})
#define SCAN_LANE(s) ({{ "SCAN_V - 1 - (s)" if backward else "s" }})

kernel RTCG_GROUP_SIZE(1, 1, 1) void {{ name }}_reduce({{ parameters }}{{ more_parameters }}const ulong scan_n, const ulong scan_share,
                                                       global scan_item* scan_totals) {
  {{ declare_lanes }}
  const index_t N = (index_t)scan_n, scan_segment = (index_t)scan_share;
  const index_t scan_runs = (N + SCAN_V - 1) / SCAN_V;
  const index_t scan_first = (index_t)get_group_id(0) * {{ streams }};
{% for s in range(streams) %}
  scan_item scan_total{{ s }} = scan_neutral();
{% endfor %}
  for (index_t scan_p = 0; scan_p < scan_segment; ++scan_p) {
{% for s in range(streams) %}
    {
      const index_t scan_position = (scan_first + {{ s }}) * scan_segment + scan_p;
      if (scan_position < scan_runs) {
        const index_t scan_start = SCAN_RUN(scan_position) * SCAN_V;
        if (scan_start + SCAN_V <= N) {
          {
            const index_t i = scan_start;
            {{ load_run }}
          }
          RTCG_UNROLL(SCAN_V)
          for (uint scan_s = 0; scan_s < SCAN_V; ++scan_s) {
            const uint k = SCAN_LANE(scan_s);
            const index_t i = scan_start + k;
            {{ compute }}
            const scan_item scan_own = {{ own }};
            scan_total{{ s }} = scan_join(scan_total{{ s }}, scan_own);
          }
        } else {
          for (uint scan_s = 0; scan_s < SCAN_V; ++scan_s) {
            const uint k = SCAN_LANE(scan_s);
            const index_t i = scan_start + k;
            if (i < N) {
              {{ load_one }}
              {{ compute }}
              const scan_item scan_own = {{ own }};
              scan_total{{ s }} = scan_join(scan_total{{ s }}, scan_own);
            }
          }
        }
      }
    }
{% endfor %}
  }
{% for s in range(streams) %}
  scan_totals[scan_first + {{ s }}] = scan_total{{ s }};
{% endfor %}
}

kernel RTCG_GROUP_SIZE(1, 1, 1) void {{ name }}_apply({{ parameters }}{{ more_parameters }}const ulong scan_n, const ulong scan_share,
                                                      global const scan_item* scan_totals) {
  {{ declare_lanes }}
  const index_t N = (index_t)scan_n, scan_segment = (index_t)scan_share;
  const index_t scan_runs = (N + SCAN_V - 1) / SCAN_V;
  const index_t scan_first = (index_t)get_group_id(0) * {{ streams }};
  scan_item scan_before0 = scan_neutral();
  for (index_t scan_j = 0; scan_j < scan_first; ++scan_j) scan_before0 = scan_join(scan_before0, scan_totals[scan_j]);
{% for s in range(1, streams) %}
  scan_item scan_before{{ s }} = scan_before{{ s - 1 }};
  if ((scan_first + {{ s }}) * scan_segment < scan_runs)
    scan_before{{ s }} = scan_join(scan_before{{ s - 1 }}, scan_totals[scan_first + {{ s - 1 }}]);
{% endfor %}
  for (index_t scan_p = 0; scan_p < scan_segment; ++scan_p) {
{% for s in range(streams) %}
    {
      const index_t scan_position = (scan_first + {{ s }}) * scan_segment + scan_p;
      if (scan_position < scan_runs) {
        const index_t scan_start = SCAN_RUN(scan_position) * SCAN_V;
        if (scan_start + SCAN_V <= N) {
          {
            const index_t i = scan_start;
            {{ load_run }}
          }
          RTCG_UNROLL(SCAN_V)
          for (uint scan_s = 0; scan_s < SCAN_V; ++scan_s) {
            const uint k = SCAN_LANE(scan_s);
            const index_t i = scan_start + k;
            {{ compute }}
            const scan_item scan_own = {{ own }};
            const scan_value prev_item = {{ "scan_own.starts ? scan_neutral_value() : " if segmented else "" }}SCAN_VALUE(scan_before{{ s }});
            scan_before{{ s }} = scan_join(scan_before{{ s }}, scan_own);
            const scan_value item = SCAN_VALUE(scan_before{{ s }});
{% for c in carried %}
            const {{ c[0] }} {{ c[1] }} = {{ c[2] }};
{% endfor %}
            {{ output }}
          }
          {
            const index_t i = scan_start;
            {{ store_run }}
          }
        } else {
          for (uint scan_s = 0; scan_s < SCAN_V; ++scan_s) {
            const uint k = SCAN_LANE(scan_s);
            const index_t i = scan_start + k;
            if (i < N) {
              {{ load_one }}
              {{ compute }}
              const scan_item scan_own = {{ own }};
              const scan_value prev_item = {{ "scan_own.starts ? scan_neutral_value() : " if segmented else "" }}SCAN_VALUE(scan_before{{ s }});
              scan_before{{ s }} = scan_join(scan_before{{ s }}, scan_own);
              const scan_value item = SCAN_VALUE(scan_before{{ s }});
{% for c in carried %}
              const {{ c[0] }} {{ c[1] }} = {{ c[2] }};
{% endfor %}
              {{ output }}
              {{ store_one }}
            }
          }
        }
      }
    }
{% endfor %}
  }
}
