{#
  Before the passes of a long row on a GPU: how often every digit occurs, which passes are needed, and where the
  keys of each digit begin. Comes after radix_key.cl.
#}
#define COUNT_GROUP {{ count_group }}
#define COPIES {{ copies }}
#define LOADS 8
{% if dynamic_counts %}
// As many copies as a warp has lanes, each in a bank of its own, are more than a text may declare.
#define COUNTS_MEMORY extern __shared__ uint own[];
{% else %}
#define COUNTS_MEMORY local uint own[PASSES * 256 * COPIES];
{% endif %}
#define COUNT_DIGITS(k)                                                               \
  do {                                                                                \
    const key_t key_ = k;                                                             \
{% for p in range(passes) %}
    atomic_inc(&own[({{ 256 * p }} + digit_of(key_, {{ p }})) * COPIES + copy]); \
{% endfor %}
  } while (0)

/// Counts of all digits of the row's keys; `groups` groups a row. The counts were zero.
kernel RTCG_GROUP_SIZE(COUNT_GROUP, 1, 1) void radix_histogram(global const key_t* input, ulong input_offset, global uint* counts, ulong row_length, uint groups) {
  COUNTS_MEMORY
  const uint t = (uint)get_local_id(0), copy = t % COPIES, length = (uint)row_length;
  const size_t row = get_group_id(0) / groups;
  for (uint i = t; i < PASSES * 256 * COPIES; i += COUNT_GROUP) own[i] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  global const key_t* keys = input + input_offset + row * length;
  const ulong stride = (ulong)groups * COUNT_GROUP;
  ulong i = (get_group_id(0) % groups) * COUNT_GROUP + t;
  for (; i + (LOADS - 1) * stride < length; i += LOADS * stride) {
    key_t key[LOADS];
    RTCG_UNROLL(LOADS)
    for (int u = 0; u < LOADS; ++u) key[u] = keys[i + u * stride];
    RTCG_UNROLL(LOADS)
    for (int u = 0; u < LOADS; ++u) COUNT_DIGITS(key[u]);
  }
  for (; i < length; i += stride) COUNT_DIGITS(keys[i]);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = t; i < PASSES * 256; i += COUNT_GROUP) {
    uint sum = 0;
    for (uint c = 0; c < COPIES; ++c) sum += own[i * COPIES + (c + i) % COPIES];
    if (sum != 0) atomic_add(&counts[row * (PASSES * 256) + i], sum);
  }
}

/// One group a row: plans the row's passes and turns its counts into the first place of every digit.
kernel RTCG_GROUP_SIZE(256, 1, 1) void radix_plan(global uint* counts, global uint* plans, ulong row_length) {
  local uint sums[256], constant_digits[PASSES];
  const int t = (int)get_local_id(0);
  const size_t row = get_group_id(0);
  if (t < PASSES) constant_digits[t] = 0;
  for (int p = 0; p < PASSES; ++p) {
    global uint* own = counts + (row * PASSES + p) * 256 + t;
    const uint count = *own;
    sums[t] = count;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (count == (uint)row_length) constant_digits[p] = 1;
    for (int away = 1; away < 256; away *= 2) {
      const uint other = t >= away ? sums[t - away] : 0;
      barrier(CLK_LOCAL_MEM_FENCE);
      sums[t] += other;
      barrier(CLK_LOCAL_MEM_FENCE);
    }
    *own = sums[t] - count;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0) {
    uint is_constant[PASSES];
    for (int p = 0; p < PASSES; ++p) is_constant[p] = constant_digits[p];
    make_plan(is_constant, plans + row * PASSES);
  }
}
