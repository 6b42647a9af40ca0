{#
  Rows of a matrix whose entries lie on a few diagonals, in whole: entry (i, i + offsets[d]) is diagonals[d * stride + i],
  zero where the matrix has none, so no indices are read. With `stencils` rows repeat: patterns[i] names one of `count`
  rows of the table stencils[pattern * diagonals + d], and a row costs one byte.
#}
#define DIAGONALS {{ length(offsets) }}
{% if stencils %}
#define ENTRY(d) table[pattern + d]
{% else %}
#define ENTRY(d) diagonals[d * stride + i]
{% endif %}
#define ADD(d, offset) sum = MULTIPLY_ADD(ENTRY(d), SOURCE((int)i + (offset)), sum);
#define ADD_INSIDE(d, offset) if ((int)i + (offset) >= 0 && (int)i + (offset) < columns) ADD(d, offset)

kernel {% if not cpu %}RTCG_GROUP_SIZE(GROUP, 1, 1) {% endif %}void {{ name }}(
{% if stencils %}
    global const uchar* restrict patterns, global const value_t* restrict stencils,
{% else %}
    global const value_t* restrict diagonals, ulong stride,
{% endif %}
    int rows, int columns{{ parameters }}) {
{{ declare }}
{% if stencils and not cpu %}
  local value_t table[{{ max(stencils * length(offsets), 1) }}];
  for (uint k = (uint)get_local_id(0); k < {{ stencils }} * DIAGONALS; k += GROUP) table[k] = stencils[k];
  barrier(CLK_LOCAL_MEM_FENCE);
{% elif stencils %}
  global const value_t* table = stencils;
{% endif %}
{{ begin }}
{% if cpu %}
  const uint first = OWN_FIRST(rows), last = OWN_LAST(rows);
  // Between these rows every diagonal lies inside the matrix.
  const uint inner_first = min(max(first, (uint){{ reach_below }}), last);
  const uint inner_last = max((uint)min((long)last, (long)columns - {{ reach_above }} > 0 ? (long)columns - {{ reach_above }} : 0l), inner_first);
{% for part in [0, 1, 2] %}
  for (uint i = {{ ["first", "inner_first", "inner_last"][part] }}; i < {{ ["inner_first", "inner_last", "last"][part] }}; ++i) {
{% if stencils %}
    const uint pattern = (uint)patterns[i] * DIAGONALS;
{% endif %}
    value_t sum = ZERO;
{% for d in range(length(offsets)) %}
    {{ "ADD" if part == 1 else "ADD_INSIDE" }}({{ d }}, {{ offsets[d] }})
{% endfor %}
    { {{ row }} }
  }
{% endfor %}
{% else %}
  for (uint i = (uint)get_global_id(0); i < (uint)rows; i += (uint)get_global_size(0)) {
{% if stencils %}
    const uint pattern = (uint)patterns[i] * DIAGONALS;
{% endif %}
    value_t sum = ZERO;
    if (i >= {{ reach_below }} && (long)i + {{ reach_above }} < (long)columns) {
{% for d in range(length(offsets)) %}
      ADD({{ d }}, {{ offsets[d] }})
{% endfor %}
    } else {
{% for d in range(length(offsets)) %}
      ADD_INSIDE({{ d }}, {{ offsets[d] }})
{% endfor %}
    }
    { {{ row }} }
  }
{% endif %}
{{ end }}
}
