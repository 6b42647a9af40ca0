{#
  Packets (after the packeted format that PyCUDA describes): rows that use each other's elements make a packet
  of at most PACKET rows, whose part of x a work-group first brings into local memory. Entries inside the packet
  name their column in 16 bits, relative to the packet (0xffff: padding); entries outside name it in 32 bits (-1:
  padding). Both are stored column by column in slices of SLICE rows; row_of gives the row of each place.
#}
#define PACKET {{ packet }}
#define SLICE 32u
#define NOTHING 0xffff

SPARSE_KERNEL {{ name }}(
    global const int* restrict packet_starts, global const int* restrict first_slices, uint packet_count,
    global const int* restrict row_of,
    global const {{ start }}* restrict inner_starts, global const ushort* restrict inner_columns, global const value_t* restrict inner_values,
    global const {{ start }}* restrict outer_starts, global const int* restrict outer_columns, global const value_t* restrict outer_values{{ parameters }}) {
{{ declare }}
{% if cpu %}
  sum_t own[PACKET];
  const uint t = 0;
{% else %}
  local sum_t own[PACKET];
  const uint t = (uint)get_local_id(0);
{% endif %}
{{ begin }}
  const uint count = ({{ condition }}) ? packet_count : 0;
{% if cpu %}
  for (uint packet = OWN_FIRST(count), last_packet = OWN_LAST(count); packet < last_packet; ++packet) {
{% else %}
  for (uint packet = (uint)get_group_id(0); packet < count; packet += (uint)get_num_groups(0)) {
{% endif %}
    const uint first = (uint)packet_starts[packet], size = (uint)packet_starts[packet + 1] - first;
    for (uint k = t; k < size; k += GROUP) {
      const int j = row_of[first + k];
      own[k] = SOURCE(j);
    }
{% if not cpu %}
    barrier(CLK_LOCAL_MEM_FENCE);
{% endif %}
    for (uint k = t; k < size; k += GROUP) {
      const uint slice = (uint)first_slices[packet] + k / SLICE;
      sum_t sum = ZERO;
      const {{ start }} inner_last = inner_starts[slice + 1], outer_last = outer_starts[slice + 1];
      for ({{ start }} at = inner_starts[slice] + k % SLICE; at < inner_last; at += SLICE) {
        const uint c = inner_columns[at];
        if (c != NOTHING) sum = MULTIPLY_ADD(inner_values[at], own[c], sum);
      }
      for ({{ start }} at = outer_starts[slice] + k % SLICE; at < outer_last; at += SLICE) {
        const int j = outer_columns[at];
        if (j >= 0) sum = MULTIPLY_ADD(outer_values[at], SOURCE(j), sum);
      }
      const uint i = (uint)row_of[first + k];
      { {{ row }} }
    }
{% if not cpu %}
    barrier(CLK_LOCAL_MEM_FENCE);
{% endif %}
  }
{{ end }}
}
