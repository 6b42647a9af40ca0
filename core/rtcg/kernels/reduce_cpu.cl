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
{% if split %}

kernel void join({{ own_parameters }}) {
  const index_t outer = (index_t)outer_, length = (index_t)length_, inner = (index_t)inner_;
  const index_t tiles = (inner - 1) / columns + 1;
  for (index_t at = get_global_id(0); at < outer * inner; at += get_global_size(0)) {
    const index_t column = at % inner;
    global const accumulator_t* own = partials + ((ulong)(at / inner * tiles + column / columns) * parts) * columns + column % columns;
    accumulator_t a = own[0];
    for (uint p = 1; p < parts; ++p) a = combine_accumulators(a, own[p * columns]);
    store_results(a, length, inner, at{{ arguments }});
  }
}
{% endif %}
