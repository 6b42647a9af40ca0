// Combines over the items of a team, consecutive ones; the result is in the first of them. The steps are written out:
// PoCL is not to be trusted with a barrier in a loop.
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
{% if split %}

#ifndef RTCG_CUDA
kernel void join({{ own_parameters }}) {
  const index_t outer = (index_t)outer_, length = (index_t)length_, inner = (index_t)inner_;
{% if loop == "rows" %}
  local accumulator_t shared[{{ group }}];
  const uint t = get_local_id(0);
  const index_t row = get_group_id(0);
  accumulator_t a = neutral_accumulator();
  for (uint p = t; p < parts; p += {{ group }}) a = combine_accumulators(a, partials[row * parts + p]);
  a = over_team(a, shared, t);
  if (t == 0) store_results(a, length, inner, row{{ arguments }});
{% else %}
  const index_t width = columns * {{ lanes }}, tiles = (inner - 1) / width + 1;
  for (index_t at = get_global_id(0); at < outer * inner; at += get_global_size(0)) {
    const index_t column = at % inner;
    global const accumulator_t* own = partials + ((ulong)(at / inner * tiles + column / width) * parts) * width + column % width;
    accumulator_t a = own[0];
    for (uint p = 1; p < parts; ++p) a = combine_accumulators(a, own[p * width]);
    store_results(a, length, inner, at{{ arguments }});
  }
{% endif %}
}
#endif
{% endif %}
