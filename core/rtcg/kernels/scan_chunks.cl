{# A CPU's scan: one item per group, each with {{ streams }} segments that it walks at the same time, so that their
   chains of dependent operations overlap. `reduce` leaves every segment's total, `apply` folds the totals in front of
   its segments and scans. Position p of the scan is element p, backward the last element minus p. #}
{% set walk = ["reduce", "apply"] %}
{% for pass in walk %}
kernel RTCG_GROUP_SIZE(1, 1, 1) void {{ name }}_{{ pass }}({{ parameters }}{{ more_parameters }}const ulong scan_n,
    const ulong scan_share, global {{ "const " if pass == "apply" else "" }}scan_item* scan_totals) {
  {{ declare_lanes }}
  const index_t N = (index_t)scan_n, scan_segment = (index_t)scan_share;
  const index_t scan_first = (index_t)get_group_id(0) * {{ streams }};
  const uint k = 0;
  scan_item scan_sum0 = scan_neutral();
{% if pass == "apply" %}
  for (index_t scan_j = 0; scan_j < scan_first; ++scan_j) scan_sum0 = scan_join(scan_sum0, scan_totals[scan_j]);
{% endif %}
{% for s in range(1, streams) %}
{% if pass == "apply" %}
  scan_item scan_sum{{ s }} = scan_sum{{ s - 1 }};
  if ((scan_first + {{ s }}) * scan_segment < N)
    scan_sum{{ s }} = scan_join(scan_sum{{ s }}, scan_totals[scan_first + {{ s - 1 }}]);
{% else %}
  scan_item scan_sum{{ s }} = scan_neutral();
{% endif %}
{% endfor %}
{% if selects and pass == "apply" %}
  // Every element is stored where the next selected one goes, up to where the next segment's begin: no branch to
  // mispredict.
{% for s in range(streams) %}
  const scan_value scan_end{{ s }} = (scan_first + {{ s + 1 }}) * scan_segment < N
      ? scan_sum{{ s }} + scan_totals[scan_first + {{ s }}] : (scan_value)N;
{% endfor %}
{% endif %}
  for (index_t scan_p = 0; scan_p < scan_segment; ++scan_p) {
{% for s in range(streams) %}
    const index_t scan_at{{ s }} = (scan_first + {{ s }}) * scan_segment + scan_p;
    if (scan_at{{ s }} < N) {
      const index_t i = {{ "N - 1 - " if backward else "" }}scan_at{{ s }};
      {{ load_one }}
      {{ compute }}
      const scan_item scan_own = {{ own }};
{% if pass == "apply" %}
      const scan_value prev_item = {{ "scan_own.starts ? scan_neutral_value() : " if segmented else "" }}SCAN_VALUE(scan_sum{{ s }});
{% endif %}
      scan_sum{{ s }} = scan_join(scan_sum{{ s }}, scan_own);
{% if pass == "apply" %}
      const scan_value item = SCAN_VALUE(scan_sum{{ s }});
{% for c in carried %}
      const {{ c[0] }} {{ c[1] }} = {{ c[2] }};
{% endfor %}
{% if selects %}
      const scan_value scan_end = scan_end{{ s }};
{% endif %}
      {{ output }}
      {{ store_one }}
{% endif %}
    }
{% endfor %}
  }
{% if pass == "reduce" %}
{% for s in range(streams) %}
  scan_totals[scan_first + {{ s }}] = scan_sum{{ s }};
{% endfor %}
{% endif %}
}
{% endfor %}
