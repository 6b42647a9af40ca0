// For CPUs: one item a group stages a tile of the image, channel by channel, and computes {{ vectors }} vectors of {{ lanes }} neighbouring
// responses for {{ filters_per_item }} filters at once, so that few filters fill the vectors, too. Columns are staged by their remainder
// modulo the stride, which makes the responses' columns neighbours. The bank is [group of filters, y, channel, x, filter of the group].
{% set type = "float" ~ lanes %}
{% set block = vectors * lanes %}
{% set tile_columns = block * blocks %}
{% set staged_rows = (tile_rows - 1) * stride_y + filter_height %}
{% set phase_columns = tile_columns + (filter_width - 1) / stride_x %}
{% set staged_columns = phase_columns * stride_x %}
kernel RTCG_GROUP_SIZE(1, 1, 1) void filterbank(global const float* restrict images, ulong offset, global const float* restrict bank,
                                                global const float* restrict bias, global float* restrict responses, int image_count,
                                                int height, int width) {
  local float staged[{{ channels * staged_rows * staged_columns }}];
  const int rows = (height{{ "" if border == "valid" else " + " ~ (filter_height - 1) }} - {{ filter_height }}) / {{ stride_y }} + 1;
  const int columns = (width{{ "" if border == "valid" else " + " ~ (filter_width - 1) }} - {{ filter_width }}) / {{ stride_x }} + 1;
  const int across = (columns + {{ tile_columns - 1 }}) / {{ tile_columns }}, down = (rows + {{ tile_rows - 1 }}) / {{ tile_rows }};
  const long total = (long)image_count * down * across;
  const long first = total * (long)get_group_id(0) / (long)get_num_groups(0);
  const long last = total * ((long)get_group_id(0) + 1) / (long)get_num_groups(0);
  for (long work = first; work < last; ++work) {
    const int x0 = (int)(work % across) * {{ tile_columns }}, y0 = (int)(work / across % down) * {{ tile_rows }};
    const long image_index = work / across / down;
    global const float* restrict image = images + offset + (size_t)image_index * ((size_t)height * width * {{ channels }});
    // Rows and columns that only responses outside would need are left as they are.
    const int rows_here = min(rows - y0, {{ tile_rows }}), columns_here = min(columns - x0, {{ tile_columns }});
    const int needed_rows = (rows_here - 1) * {{ stride_y }} + {{ filter_height }};
    const int needed_columns = (columns_here - 1) * {{ stride_x }} + {{ filter_width }};
    for (int r = 0; r < needed_rows; ++r) {
{% if border == "valid" %}
      global const float* restrict row = image + ({{ index }})(y0 * {{ stride_y }} + r) * width * {{ channels }} + ({{ index }})x0 * {{ stride_x * channels }};
{% else %}
      const {{ index }} y = source_place(({{ index }})y0 * {{ stride_y }} + r - {{ before_y }}, height);
      global const float* restrict row = image + {{ "max(y, (" ~ index ~ ")0)" if border == "zero" else "y" }} * width * {{ channels }};
{% endif %}
      LOCAL_POINTER float* staged_row = staged + r * {{ staged_columns }};
{% for phase in range(stride_x) %}
      for (int q = 0; q * {{ stride_x }} + {{ phase }} < needed_columns; ++q) {
        const int s = q * {{ stride_x }} + {{ phase }};
{% if border == "valid" %}
        for (int c = 0; c < {{ channels }}; ++c)
          staged_row[c * {{ staged_rows * staged_columns }} + {{ phase }} * {{ phase_columns }} + q] = row[s * {{ channels }} + c];
{% else %}
        const {{ index }} x = source_place(({{ index }})x0 * {{ stride_x }} + s - {{ before_x }}, width);
        for (int c = 0; c < {{ channels }}; ++c)
          staged_row[c * {{ staged_rows * staged_columns }} + {{ phase }} * {{ phase_columns }} + q] = {{ "x < 0 || y < 0 ? 0.0f : " if border == "zero" else "" }}row[x * {{ channels }} + c];
{% endif %}
      }
{% endfor %}
    }
    for (int group = 0; group < {{ groups }}; ++group) {
      for (int y = 0; y < rows_here; ++y) {
        for (int x = 0; x < columns_here; x += {{ block }}) {
          global const float* restrict weight = bank + group * {{ filter_height * filter_width * channels * filters_per_item }};
{% for n in range(filters_per_item) %}
          {{ type }} {% for v in range(vectors) %}sum_{{ n }}_{{ v }} = ({{ type }})(0.0f){{ ", " if v + 1 < vectors else ";" }}{% endfor %}
{% endfor %}
          for (int j = 0; j < {{ filter_height }}; ++j) {
            LOCAL_POINTER const float* source = staged + (y * {{ stride_y }} + j) * {{ staged_columns }} + x;
            for (int c = 0; c < {{ channels }}; ++c) {
{% if stride_x == 1 %}
              RTCG_UNROLL({{ unroll }})
              for (int i = 0; i < {{ filter_width }}; ++i) {
                LOCAL_POINTER const float* from = source + i;
{% else %}
              for (int i = 0; i < {{ filter_width }}; ++i) {
                LOCAL_POINTER const float* from = source + i % {{ stride_x }} * {{ phase_columns }} + i / {{ stride_x }};
{% endif %}
{% for v in range(vectors) %}
                const {{ type }} value_{{ v }} = vload{{ lanes }}(0, from + {{ v * lanes }});
{% endfor %}
{% for n in range(filters_per_item) %}
                const {{ type }} weight_{{ n }} = ({{ type }})(weight[{{ n }}]);
{% for v in range(vectors) %}
                sum_{{ n }}_{{ v }} = fma(weight_{{ n }}, value_{{ v }}, sum_{{ n }}_{{ v }});
{% endfor %}
{% endfor %}
                weight += {{ filters_per_item }};
              }
              source += {{ staged_rows * staged_columns }};
            }
          }
          float lane[{{ filters_per_item * block }}];
{% for n in range(filters_per_item) %}
{% for v in range(vectors) %}
          vstore{{ lanes }}(sum_{{ n }}_{{ v }}, 0, lane + {{ n * block + v * lanes }});
{% endfor %}
{% endfor %}
          global float* restrict target = responses + ((size_t)(image_index * rows + y0 + y) * columns + x0 + x) * {{ filters }} + group * {{ filters_per_item }};
          const int count = min(columns_here - x, {{ block }});
          for (int p = 0; p < count; ++p)
            for (int n = 0; n < {{ filters_per_item }}; ++n)
              {{ "if (group * " ~ filters_per_item ~ " + n < " ~ filters ~ ") " if filters % filters_per_item != 0 else "" }}target[p * {{ filters }} + n] = finish(lane[n * {{ block }} + p], group * {{ filters_per_item }} + n, bias);
        }
      }
    }
  }
}
