{#
  Compressed rows. On a GPU a work-group takes a block of consecutive rows whose entries fit into its local memory: all
  items multiply the block's entries in their order in memory, whatever rows they belong to, then LANES items add up
  each row. A row too long for that is a block of its own, for which each item first adds up its share of the products.
  The first entries of blocks lie beside their first rows: one load less to wait for.
  Where all rows are short (`direct`) an item takes a row; its neighbours' loads share cache lines.
  On a CPU an item takes a contiguous share of the blocks and their rows one by one.
#}
#define CAPACITY {{ capacity }}
#define LANES {{ lanes }}

SPARSE_KERNEL {{ name }}(
    global const int* restrict blocks, global const {{ start }}* restrict block_entries, uint block_count,
    global const {{ start }}* restrict starts,
    global const int* restrict columns, global const value_t* restrict values{{ parameters }}) {
{{ declare }}
{% if not cpu and not direct %}
  local sum_t products[CAPACITY];
{% if lanes > 1 %}
  local sum_t shares[GROUP];
{% endif %}
  const uint t = (uint)get_local_id(0);
{% endif %}
{{ begin }}
  const uint count = ({{ condition }}) ? block_count : 0;
{% if cpu %}
  for (uint i = (uint)blocks[OWN_FIRST(count)], last = (uint)blocks[OWN_LAST(count)]; i < last; ++i) {
    sum_t sum = ZERO;
    const {{ start }} end_of_row = starts[i + 1];
    for ({{ start }} k = starts[i]; k < end_of_row; ++k) sum = MULTIPLY_ADD(values[k], SOURCE(columns[k]), sum);
    { {{ row }} }
  }
{% elif direct %}
  const uint rows = count == 0 ? 0 : (uint)blocks[block_count];
  for (uint i = (uint)get_global_id(0); i < rows; i += (uint)get_global_size(0)) {
    sum_t sum = ZERO;
    const {{ start }} end_of_row = starts[i + 1];
    // Four entries asked for at once; past the end of the row its last one stands in and does not count.
    for ({{ start }} k = starts[i]; k < end_of_row; k += 4) {
      int own_columns[4];
      value_t own_values[4];
      RTCG_UNROLL(4) for (int q = 0; q < 4; ++q) {
        const {{ start }} at = min(k + q, end_of_row - 1);
        own_columns[q] = columns[at], own_values[q] = values[at];
      }
      sum_t elements[4];
      RTCG_UNROLL(4) for (int q = 0; q < 4; ++q) elements[q] = SOURCE(own_columns[q]);
      RTCG_UNROLL(4) for (int q = 0; q < 4; ++q)
        if (k + q < end_of_row) sum = MULTIPLY_ADD(own_values[q], elements[q], sum);
    }
    { {{ row }} }
  }
{% else %}
  for (uint block = (uint)get_group_id(0); block < count; block += (uint)get_num_groups(0)) {
    const uint first = (uint)blocks[block], last = (uint)blocks[block + 1];
    const {{ start }} from = block_entries[block];
    const {{ start }} size = block_entries[block + 1] - from;
    const int whole = size <= CAPACITY;
    // Asked for before the products, so that it has come when they are done.
    const uint i = first + t / LANES;
    uint begin_of_row = 0, end_of_row = 0;
    if (i < last) {
      begin_of_row = whole ? (uint)(starts[i] - from) : 0;
      end_of_row = whole ? (uint)(starts[i + 1] - from) : GROUP;
    }
    if (whole) {
      RTCG_UNROLL(4)
      for (uint k = t; k < (uint)size; k += GROUP) products[k] = MULTIPLY(values[from + k], SOURCE(columns[from + k]));
    } else {
      sum_t share = ZERO;
      RTCG_UNROLL(4)
      for (uint k = t; k < (uint)size; k += GROUP) share = MULTIPLY_ADD(values[from + k], SOURCE(columns[from + k]), share);
      products[t] = share;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    sum_t sum = ZERO;
    for (uint k = begin_of_row + t % LANES; k < end_of_row; k += LANES) sum = sum + products[k];
{% if lanes > 1 %}
    shares[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < last && t % LANES == 0) {
      for (uint k = 1; k < LANES; ++k) sum = sum + shares[t + k];
      { {{ row }} }
    }
{% else %}
    if (i < last) { {{ row }} }
{% endif %}
    barrier(CLK_LOCAL_MEM_FENCE);
  }
{% endif %}
{{ end }}
}
