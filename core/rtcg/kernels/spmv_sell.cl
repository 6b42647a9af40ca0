{#
  Sliced ELLPACK (SELL-C-sigma): {{ "C" }} rows make a slice, stored column by column and padded to its longest row with
  columns of -1, which are skipped. Rows may be sorted by length within windows; slot s then holds row row_of[s].
#}
#define SLICE {{ slice }}

SPARSE_KERNEL {{ name }}(
    global const {{ start }}* restrict slice_starts, global const int* restrict columns,
    global const value_t* restrict values, {% if sorted %}global const int* restrict row_of, {% endif %}int rows{{ parameters }}) {
{{ declare }}
{{ begin }}
  const uint count = ({{ condition }}) ? (uint)rows : 0;
{% if cpu %}
  const uint slices = (count + SLICE - 1) / SLICE;
  for (uint s = OWN_FIRST(slices), last = OWN_LAST(slices); s < last; ++s) {
    sum_t sums[SLICE];
    for (uint l = 0; l < SLICE; ++l) sums[l] = ZERO;
    for ({{ start }} at = slice_starts[s]; at < slice_starts[s + 1]; at += SLICE)
      for (uint l = 0; l < SLICE; ++l) {
        const int j = columns[at + l];
        if (j >= 0) sums[l] = MULTIPLY_ADD(values[at + l], SOURCE(j), sums[l]);
      }
    for (uint l = 0; l < min((uint)SLICE, count - s * SLICE); ++l) {
      const uint i = {{ "(uint)row_of[s * SLICE + l]" if sorted else "s * SLICE + l" }};
      const sum_t sum = sums[l];
      { {{ row }} }
    }
  }
{% elif pairs %}
  // An item takes two neighbouring rows of a slice, so that values are read 16 bytes at a time where they are double.
  for (uint slot = 2 * (uint)get_global_id(0); slot < count; slot += 2 * (uint)get_global_size(0)) {
    const uint s = slot / SLICE;
    const {{ start }} last = slice_starts[s + 1];
    sum_t sum0 = ZERO, sum1 = ZERO;
    RTCG_UNROLL({{ unroll }})
    for ({{ start }} at = slice_starts[s] + slot % SLICE; at < last; at += SLICE) {
      const int2 column = *(global const int2*)(columns + at);
      const {{ value }}2 entry = *(global const {{ value }}2*)(values + at);
      { const int j = column.x; if (j >= 0) sum0 = MULTIPLY_ADD(entry.x, SOURCE(j), sum0); }
      { const int j = column.y; if (j >= 0) sum1 = MULTIPLY_ADD(entry.y, SOURCE(j), sum1); }
    }
{% for r in [0, 1] %}
    if (slot + {{ r }} < count) {
      const uint i = {{ "(uint)row_of[slot + " ~ r ~ "]" if sorted else "slot + " ~ r }};
      const sum_t sum = sum{{ r }};
      { {{ row }} }
    }
{% endfor %}
  }
{% else %}
  for (uint slot = (uint)get_global_id(0); slot < count; slot += (uint)get_global_size(0)) {
    const uint s = slot / SLICE;
    const {{ start }} last = slice_starts[s + 1];
    sum_t sum = ZERO;
    RTCG_UNROLL({{ unroll }})
    for ({{ start }} at = slice_starts[s] + slot % SLICE; at < last; at += SLICE) {
      const int j = columns[at];
      if (j >= 0) sum = MULTIPLY_ADD(values[at], SOURCE(j), sum);
    }
    const uint i = {{ "(uint)row_of[slot]" if sorted else "slot" }};
    { {{ row }} }
  }
{% endif %}
{{ end }}
}
