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
#define ADD_TO(sum, d, offset) { const int j = (int)i + (offset); sum = MULTIPLY_ADD(ENTRY(d), SOURCE(j), sum); }
#define ADD_INSIDE(sum, d, offset) if ((int)i + (offset) >= 0 && (int)i + (offset) < columns) ADD_TO(sum, d, offset)

SPARSE_KERNEL {{ name }}(
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
  const uint count = ({{ condition }}) ? (uint)rows : 0;
{% if cpu %}
  const uint first = OWN_FIRST(count), last = OWN_LAST(count);
  // Between these rows every diagonal lies inside the matrix.
  const uint inner_first = min(max(first, (uint){{ reach_below }}), last);
  const uint inner_last = max((uint)min((long)last, (long)columns - {{ reach_above }} > 0 ? (long)columns - {{ reach_above }} : 0l), inner_first);
{% for part in [0, 1, 2] %}
  for (uint i = {{ ["first", "inner_first", "inner_last"][part] }}; i < {{ ["inner_first", "inner_last", "last"][part] }}; ++i) {
{% if stencils %}
    const uint pattern = (uint)patterns[i] * DIAGONALS;
{% endif %}
    sum_t sum = ZERO;
{% for d in range(length(offsets)) %}
    {{ "ADD_TO" if part == 1 else "ADD_INSIDE" }}(sum, {{ d }}, {{ offsets[d] }})
{% endfor %}
    { {{ row }} }
  }
{% endfor %}
{% else %}
  // An item takes {{ each }} rows GROUP apart at a time: all their loads are under way before the first is used.
  for (uint base = (uint)get_group_id(0) * (GROUP * {{ each }}); base < count; base += (uint)get_num_groups(0) * (GROUP * {{ each }})) {
    const uint own = base + (uint)get_local_id(0);
{% for r in range(each) %}
    sum_t sum{{ r }} = ZERO;
{% if stencils %}
    uint pattern{{ r }} = 0;
    if (own + {{ r }} * GROUP < count) pattern{{ r }} = (uint)patterns[own + {{ r }} * GROUP] * DIAGONALS;
{% endif %}
{% endfor %}
    if (own >= {{ reach_below }} && (long)own + {{ each - 1 }} * GROUP + {{ reach_above }} < (long)columns && own + {{ each - 1 }} * GROUP < count) {
{% for d in range(length(offsets)) %}
{% for r in range(each) %}
      { const uint i = own + {{ r }} * GROUP; {% if stencils %}const uint pattern = pattern{{ r }};{% endif %} ADD_TO(sum{{ r }}, {{ d }}, {{ offsets[d] }}) }
{% endfor %}
{% endfor %}
    } else {
{% for r in range(each) %}
      { const uint i = own + {{ r }} * GROUP; {% if stencils %}const uint pattern = pattern{{ r }};{% endif %}
        if (i < count) {
{% for d in range(length(offsets)) %}
          ADD_INSIDE(sum{{ r }}, {{ d }}, {{ offsets[d] }})
{% endfor %}
        }
      }
{% endfor %}
    }
{% for r in range(each) %}
    { const uint i = own + {{ r }} * GROUP; const sum_t sum = sum{{ r }}; if (i < count) { {{ row }} } }
{% endfor %}
  }
{% endif %}
{{ end }}
}
