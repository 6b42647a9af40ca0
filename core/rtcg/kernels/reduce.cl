{#
  Reduction of values that are computed where they are needed. Element (o, r, c) of [outer][length][inner] has the index
  i = (o length + r) inner + c; r runs over what is reduced. `rows` is for inner = 1, `columns` for the rest.

  The accumulator is a structure of fields; all outputs of one reduction share it. The order of combination is fixed by
  the plan, but is not that of the indices: the combination has to be associative and commutative.

  Where one row or tile of columns has several groups (`split`), each leaves its accumulator in `partials`. In CUDA the one
  that takes the last ticket combines them in order and sets the counter back to zero for the next launch; OpenCL 1.2 orders
  nothing between groups, so there a second kernel, `join`, does.
#}
{{ functions }}
typedef struct {
{% for field in fields %}
  {{ field[0] }} {{ field[1] }};
{% endfor %}
} accumulator_t;
static inline accumulator_t neutral_accumulator(void) {
  accumulator_t a;
{% for field in fields %}
  a.{{ field[1] }} = {{ field[2] }};
{% endfor %}
  return a;
}
static inline accumulator_t combine_accumulators(accumulator_t a, accumulator_t b) {
  {{ combine }}
  return a;
}
{% set store = "" %}
{% for out in outputs %}
{% if out[0] == "half" %}
{% set store = store ~ "vstore_half(" ~ out[2] ~ ", at, " ~ out[1] ~ "); " %}
{% else %}
{% set store = store ~ out[1] ~ "[at] = " ~ out[2] ~ "; " %}
{% endif %}
{% endfor %}
{% set keep = "accumulator_t b; " %}
{% for field in fields %}
{% set keep = keep ~ "b." ~ field[1] ~ " = " ~ field[3] ~ "; " %}
{% endfor %}
static inline void store_results(accumulator_t a, index_t n, index_t inner, index_t at{% for out in outputs %}, global {{ out[0] }}* {{ out[1] }}{% endfor %}) {
  {{ store }}
}
{% set arguments = "" %}
{% set own_parameters = "ulong outer_, ulong length_, ulong inner_, uint columns, uint slots, uint parts, ulong share_, global accumulator_t* partials, global uint* counters" %}
{% for out in outputs %}
{% set arguments = arguments ~ ", " ~ out[1] %}
{% set own_parameters = own_parameters ~ ", global " ~ out[0] ~ "* " ~ out[1] %}
{% endfor %}
{% if cpu %}

// One item is one group. Accumulators of independent lanes, so that the loop over them becomes vector instructions.
{% if loop == "rows" %}
kernel void reduce({{ parameters }}{{ own_parameters }}) {
  const index_t outer = (index_t)outer_, length = (index_t)length_, inner = (index_t)inner_, share = (index_t)share_;
  {{ declare_lanes }}
{% if split %}
  const ulong tasks = (ulong)outer * parts, items = get_num_groups(0), item = get_group_id(0);
  for (ulong task = tasks * item / items; task < tasks * (item + 1) / items; ++task) {
    const index_t row = task / parts, part = task % parts, begin = row * length + min(length, part * share);
    const index_t end = row * length + min(length, (part + 1) * share);
{% else %}
  const ulong items = get_num_groups(0), item = get_group_id(0);
  const index_t last_row = (ulong)outer * (item + 1) / items;
  for (index_t row = (ulong)outer * item / items; row < last_row; ++row) {
    const index_t begin = row * length, end = begin + length;
{% endif %}
    accumulator_t total = neutral_accumulator();
    index_t at = begin;
    while (end - at >= {{ lanes }}) {
      // Blocks keep the rounding error of long sums down.
      const index_t stop = at + min(end - at, (index_t){{ lanes * 256 }}) / {{ lanes }} * {{ lanes }};
{% for field in fields %}
      {{ field[0] }} lanes_{{ field[1] }}[{{ lanes }}];
      for (int lane = 0; lane < {{ lanes }}; ++lane) lanes_{{ field[1] }}[lane] = {{ field[2] }};
{% endfor %}
      for (; at < stop; at += {{ lanes }})
        for (int lane = 0; lane < {{ lanes }}; ++lane) {
          const index_t i = at + lane;
          const int k = 0;
          {{ load_one }}
          {{ compute }}
          {{ keep }}
          accumulator_t a;
{% for field in fields %}
          a.{{ field[1] }} = lanes_{{ field[1] }}[lane];
{% endfor %}
          a = combine_accumulators(a, b);
{% for field in fields %}
          lanes_{{ field[1] }}[lane] = a.{{ field[1] }};
{% endfor %}
        }
{% for d in lane_steps %}
      for (int lane = 0; lane < {{ d }}; ++lane) {
        accumulator_t a, b;
{% for field in fields %}
        a.{{ field[1] }} = lanes_{{ field[1] }}[lane], b.{{ field[1] }} = lanes_{{ field[1] }}[lane + {{ d }}];
{% endfor %}
        a = combine_accumulators(a, b);
{% for field in fields %}
        lanes_{{ field[1] }}[lane] = a.{{ field[1] }};
{% endfor %}
      }
{% endfor %}
      accumulator_t b;
{% for field in fields %}
      b.{{ field[1] }} = lanes_{{ field[1] }}[0];
{% endfor %}
      total = combine_accumulators(total, b);
    }
    for (index_t i = at; i < end; ++i) {
      const int k = 0;
      {{ load_one }}
      {{ compute }}
      {{ keep }}
      total = combine_accumulators(total, b);
    }
{% if split %}
    partials[task] = total;
{% else %}
    store_results(total, length, inner, row{{ arguments }});
{% endif %}
  }
}
{% else %}
kernel void reduce({{ parameters }}{{ own_parameters }}) {
  const index_t outer = (index_t)outer_, length = (index_t)length_, inner = (index_t)inner_, share = (index_t)share_;
  {{ declare_lanes }}
  const ulong tiles = (inner - 1) / columns + 1, tasks = outer * tiles * parts, items = get_num_groups(0), item = get_group_id(0);
  for (ulong task = tasks * item / items; task < tasks * (item + 1) / items; ++task) {
    const index_t tile = task / parts, part = task % parts;
    const index_t slab = tile / tiles, first_column = tile % tiles * columns;
    const int width = min((index_t)columns, inner - first_column), used = width * (int)slots;
    const index_t first = min(length, part * share), last = min(length, (part + 1) * share);
{% for field in fields %}
    {{ field[0] }} lanes_{{ field[1] }}[{{ lanes }}];
    for (int lane = 0; lane < used; ++lane) lanes_{{ field[1] }}[lane] = {{ field[2] }};
{% endfor %}
    // Several whole rows at once where they are short: they follow one another in memory. Of long ones four for each turn of the
    // accumulators, whose stores would hold back loads of rows a multiple of 4 KiB apart.
    index_t r = first;
    for (; slots == 1 && r < last && last - r >= 4; r += 4) {
      const index_t at = (slab * length + r) * inner + first_column;
      for (int lane = 0; lane < used; ++lane) {
        const int k = 0;
        accumulator_t a;
{% for field in fields %}
        a.{{ field[1] }} = lanes_{{ field[1] }}[lane];
{% endfor %}
{% for u in range(4) %}
        {
          const index_t i = at + {{ u }} * inner + lane;
          {{ load_one }}
          {{ compute }}
          {{ keep }}
          a = combine_accumulators(a, b);
        }
{% endfor %}
{% for field in fields %}
        lanes_{{ field[1] }}[lane] = a.{{ field[1] }};
{% endfor %}
      }
    }
    for (; r < last; r += slots) {
      const index_t at = (slab * length + r) * inner + first_column;
      const int count = width * (int)min((index_t)slots, last - r);
      for (int lane = 0; lane < count; ++lane) {
        const index_t i = at + lane;
        const int k = 0;
        {{ load_one }}
        {{ compute }}
        {{ keep }}
        accumulator_t a;
{% for field in fields %}
        a.{{ field[1] }} = lanes_{{ field[1] }}[lane];
{% endfor %}
        a = combine_accumulators(a, b);
{% for field in fields %}
        lanes_{{ field[1] }}[lane] = a.{{ field[1] }};
{% endfor %}
      }
    }
    for (int slot = 1; slot < (int)slots; ++slot)
      for (int column = 0; column < width; ++column) {
        accumulator_t a, b;
{% for field in fields %}
        a.{{ field[1] }} = lanes_{{ field[1] }}[column], b.{{ field[1] }} = lanes_{{ field[1] }}[slot * width + column];
{% endfor %}
        a = combine_accumulators(a, b);
{% for field in fields %}
        lanes_{{ field[1] }}[column] = a.{{ field[1] }};
{% endfor %}
      }
    for (int column = 0; column < width; ++column) {
      accumulator_t a;
{% for field in fields %}
      a.{{ field[1] }} = lanes_{{ field[1] }}[column];
{% endfor %}
{% if split %}
      partials[task * columns + column] = a;
{% else %}
      store_results(a, length, inner, slab * inner + first_column + column{{ arguments }});
{% endif %}
    }
  }
}
{% endif %}
{% else %}

// Combines over the items of a team, which stand `stride` apart and are `count` many; the result is in the first one.
// The number of steps is written out: no barrier stands in a loop.
#ifdef RTCG_CUDA
static inline accumulator_t from_above(accumulator_t a, uint distance) {
  union {
    accumulator_t value;
    uint words[(sizeof(accumulator_t) + 3) / 4];
  } bits;
  bits.value = a;
  RTCG_UNROLL((sizeof(accumulator_t) + 3) / 4)
  for (int w = 0; w < (int)((sizeof(accumulator_t) + 3) / 4); ++w) bits.words[w] = __shfl_down_sync(0xffffffffu, bits.words[w], distance);
  return bits.value;
}
#endif
{% if loop == "rows" %}
static inline accumulator_t over_team(accumulator_t a, LOCAL_POINTER accumulator_t* shared, uint t) {
#ifdef RTCG_CUDA
{% for d in warp_steps %}
  a = combine_accumulators(a, from_above(a, {{ d }}));
{% endfor %}
{% if team > 32 %}
  if (t % 32 == 0) shared[t / 32] = a;
  barrier(CLK_LOCAL_MEM_FENCE);
  a = t < {{ group / 32 }} ? shared[t] : neutral_accumulator();
{% for d in across_steps %}
  a = combine_accumulators(a, from_above(a, {{ d }}));
{% endfor %}
{% endif %}
#else
{% if team > 1 %}
  shared[t] = a;
{% for d in team_steps %}
  barrier(CLK_LOCAL_MEM_FENCE);
  if (t % {{ team }} < {{ d }}) shared[t] = combine_accumulators(shared[t], shared[t + {{ d }}]);
{% endfor %}
  a = shared[t];
{% endif %}
#endif
  return a;
}

kernel RTCG_GROUP_SIZE({{ group }}, 1, 1) void reduce({{ parameters }}{{ own_parameters }}) {
  const index_t outer = (index_t)outer_, length = (index_t)length_, inner = (index_t)inner_, share = (index_t)share_;
  {{ declare_lanes }}
  const uint t = get_local_id(0), member = t % {{ team }}, group = get_group_id(0);
  local accumulator_t shared[{{ group }}];
{% if split %}
  const index_t row = group / parts;
  const uint part = group % parts;
{% else %}
  const index_t row = (index_t)group * {{ group / team }} + t / {{ team }};
  const uint part = 0;
{% endif %}
  accumulator_t accumulators[{{ chains }}];
  for (int chain = 0; chain < {{ chains }}; ++chain) accumulators[chain] = neutral_accumulator();
  if (row < outer) {
    const index_t begin = row * length, end = begin + length;
{% if lanes > 1 %}
    // Whole runs begin at multiples of {{ lanes }}; what lies before the first and after the last is for the last part.
    const index_t first_run = min(end, (begin + {{ lanes - 1 }}) / {{ lanes }} * {{ lanes }});
    const index_t runs = (end - first_run) / {{ lanes }};
{% else %}
    const index_t first_run = begin, runs = length;
{% endif %}
    const index_t tiles = runs / {{ team * unroll }};
    for (index_t tile = part; tile < tiles; tile += parts) {
      RTCG_UNROLL({{ unroll }})
      for (int u = 0; u < {{ unroll }}; ++u) {
        const index_t run = first_run + ((tile * {{ unroll }} + u) * {{ team }} + member) * {{ lanes }};
{% if lanes > 1 %}
        {
          const index_t i = run;
          {{ load_run }}
        }
{% endif %}
        RTCG_UNROLL({{ lanes }})
        for (int k = 0; k < {{ lanes }}; ++k) {
          const index_t i = run + k;
{% if lanes == 1 %}
          {{ load_one }}
{% endif %}
          {{ compute }}
          {{ keep }}
          accumulators[{{ "k" if lanes == chains else "k % " ~ chains if lanes > 1 else "u % " ~ chains }}] = combine_accumulators(accumulators[{{ "k" if lanes == chains else "k % " ~ chains if lanes > 1 else "u % " ~ chains }}], b);
        }
      }
    }
    if (part == parts - 1) {
{% if lanes > 1 %}
      for (index_t run = tiles * {{ team * unroll }} + member; run < runs; run += {{ team }}) {
        {
          const index_t i = first_run + run * {{ lanes }};
          {{ load_run }}
        }
        RTCG_UNROLL({{ lanes }})
        for (int k = 0; k < {{ lanes }}; ++k) {
          const index_t i = first_run + run * {{ lanes }} + k;
          {{ compute }}
          {{ keep }}
          accumulators[{{ "k" if lanes == chains else "k % " ~ chains }}] = combine_accumulators(accumulators[{{ "k" if lanes == chains else "k % " ~ chains }}], b);
        }
      }
      const index_t before = first_run - begin, edge = length - runs * {{ lanes }};
      for (index_t e = member; e < edge; e += {{ team }}) {
        const index_t i = e < before ? begin + e : first_run + runs * {{ lanes }} + (e - before);
{% else %}
      for (index_t e = tiles * {{ team * unroll }} + member; e < length; e += {{ team }}) {
        const index_t i = begin + e;
{% endif %}
        const int k = 0;
        {{ load_one }}
        {{ compute }}
        {{ keep }}
        accumulators[0] = combine_accumulators(accumulators[0], b);
      }
    }
  }
  accumulator_t a = accumulators[0];
{% for chain in range(1, chains) %}
  a = combine_accumulators(a, accumulators[{{ chain }}]);
{% endfor %}
  a = over_team(a, shared, t);
{% if split %}
#ifdef RTCG_CUDA
  local uint ticket;
  if (t == 0) {
    partials[group] = a;
    __threadfence();
    ticket = atomic_inc(counters + row);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (ticket != parts - 1) return;
  __threadfence();
  a = neutral_accumulator();
  for (uint p = t; p < parts; p += {{ group }}) a = combine_accumulators(a, partials[row * parts + p]);
  a = over_team(a, shared, t);
  if (t != 0) return;
  counters[row] = 0;
  store_results(a, length, inner, row{{ arguments }});
#else
  if (t == 0) partials[group] = a;
#endif
{% else %}
  if (member == 0 && row < outer) store_results(a, length, inner, row{{ arguments }});
{% endif %}
}
{% else %}

// Items of one group: `columns` runs of adjacent columns times `slots` rows; in memory they follow one another.
kernel RTCG_GROUP_SIZE({{ group }}, 1, 1) void reduce({{ parameters }}{{ own_parameters }}) {
  const index_t outer = (index_t)outer_, length = (index_t)length_, inner = (index_t)inner_, share = (index_t)share_;
  {{ declare_lanes }}
  local accumulator_t shared[{{ group }}];
  const uint t = get_local_id(0), group = get_group_id(0), slot = t / columns, tiles = (inner / {{ lanes }} - 1) / columns + 1;
{% if split %}
  const uint tile = group / parts, part = group % parts;
{% else %}
  const uint tile = group, part = 0;
{% endif %}
  const index_t slab = tile / tiles, column = ((index_t)(tile % tiles) * columns + t % columns) * {{ lanes }};
  const bool active = slot < slots && column < inner;
  accumulator_t accumulators[{{ lanes }}];
  for (int k = 0; k < {{ lanes }}; ++k) accumulators[k] = neutral_accumulator();
  if (active) {
    const index_t end = min(length, (part + 1) * share);
    index_t r = part * share + slot;
    // The last row of a turn is tested without a sum that could pass the index type.
    for (; r < end && end - r > {{ unroll - 1 }} * slots; r += {{ unroll }} * slots) {
      RTCG_UNROLL({{ unroll }})
      for (int u = 0; u < {{ unroll }}; ++u) {
        const index_t run = (slab * length + r + u * slots) * inner + column;
{% if lanes > 1 %}
        {
          const index_t i = run;
          {{ load_run }}
        }
{% endif %}
        RTCG_UNROLL({{ lanes }})
        for (int k = 0; k < {{ lanes }}; ++k) {
          const index_t i = run + k;
{% if lanes == 1 %}
          {{ load_one }}
{% endif %}
          {{ compute }}
          {{ keep }}
          accumulators[k] = combine_accumulators(accumulators[k], b);
        }
      }
    }
    for (; r < end; r += slots) {
      const index_t run = (slab * length + r) * inner + column;
{% if lanes > 1 %}
      {
        const index_t i = run;
        {{ load_run }}
      }
{% endif %}
      RTCG_UNROLL({{ lanes }})
      for (int k = 0; k < {{ lanes }}; ++k) {
        const index_t i = run + k;
{% if lanes == 1 %}
        {{ load_one }}
{% endif %}
        {{ compute }}
        {{ keep }}
        accumulators[k] = combine_accumulators(accumulators[k], b);
      }
    }
  }
{% for k in range(lanes) %}
{% if length(slot_steps) > 0 %}
  barrier(CLK_LOCAL_MEM_FENCE);
  shared[t] = accumulators[{{ k }}];
{% for d in slot_steps %}
  barrier(CLK_LOCAL_MEM_FENCE);
  if (slot < {{ d }} && slot + {{ d }} < slots) shared[t] = combine_accumulators(shared[t], shared[t + {{ d }} * columns]);
{% endfor %}
  accumulators[{{ k }}] = shared[t];
{% endif %}
{% endfor %}
{% if split %}
  if (active && slot == 0)
    for (int k = 0; k < {{ lanes }}; ++k) partials[((ulong)group * columns + t) * {{ lanes }} + k] = accumulators[k];
#ifdef RTCG_CUDA
  __threadfence();
  barrier(CLK_LOCAL_MEM_FENCE);
  local uint ticket;
  if (t == 0) ticket = atomic_inc(counters + tile);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (ticket != parts - 1) return;
  __threadfence();
{% for k in range(lanes) %}
  accumulators[{{ k }}] = neutral_accumulator();
  if (active)
    for (uint p = slot; p < parts; p += slots)
      accumulators[{{ k }}] = combine_accumulators(accumulators[{{ k }}], partials[(((ulong)tile * parts + p) * columns + t % columns) * {{ lanes }} + {{ k }}]);
{% if length(slot_steps) > 0 %}
  barrier(CLK_LOCAL_MEM_FENCE);
  shared[t] = accumulators[{{ k }}];
{% for d in slot_steps %}
  barrier(CLK_LOCAL_MEM_FENCE);
  if (slot < {{ d }} && slot + {{ d }} < slots) shared[t] = combine_accumulators(shared[t], shared[t + {{ d }} * columns]);
{% endfor %}
  accumulators[{{ k }}] = shared[t];
{% endif %}
{% endfor %}
  if (t == 0) counters[tile] = 0;
#endif
{% endif %}
{% if split %}
#ifdef RTCG_CUDA
{% endif %}
  if (active && slot == 0)
    for (int k = 0; k < {{ lanes }}; ++k) store_results(accumulators[k], length, inner, slab * inner + column + k{{ arguments }});
{% if split %}
#endif
{% endif %}
}
{% endif %}
{% endif %}
{% if split %}

{% if not cpu %}
#ifndef RTCG_CUDA
{% endif %}
kernel void join({{ own_parameters }}) {
  const index_t outer = (index_t)outer_, length = (index_t)length_, inner = (index_t)inner_;
{% if loop == "rows" and not cpu %}
  local accumulator_t shared[{{ group }}];
  const uint t = get_local_id(0);
  const index_t row = get_group_id(0);
  accumulator_t a = neutral_accumulator();
  for (uint p = t; p < parts; p += {{ group }}) a = combine_accumulators(a, partials[row * parts + p]);
  a = over_team(a, shared, t);
  if (t == 0) store_results(a, length, inner, row{{ arguments }});
{% else %}
  const index_t width = columns * {{ 1 if cpu else lanes }}, tiles = (inner - 1) / width + 1;
  for (index_t at = get_global_id(0); at < outer * inner; at += get_global_size(0)) {
    const index_t column = at % inner;
    global const accumulator_t* own = partials + ((ulong)(at / inner * tiles + column / width) * parts) * width + column % width;
    accumulator_t a = own[0];
    for (uint p = 1; p < parts; ++p) a = combine_accumulators(a, own[p * width]);
    store_results(a, length, inner, at{{ arguments }});
  }
{% endif %}
}
{% if not cpu %}
#endif
{% endif %}
{% endif %}
