// A strip of {{ pixels }} neighbouring responses of {{ filters_per_item }} filters in registers, straight from the image: {{ vectors }}
// vectors of {{ lanes }} filters each. The bank is [group of filters, y, x, channel, filter of the group].
{% set type = "float" if lanes == 1 else "float" ~ lanes %}
kernel void filterbank(global const float* restrict images, ulong offset, global const float* restrict bank, global const float* restrict bias,
                       global float* restrict responses, int image_count, int height, int width) {
  const int rows = (height {{ "" if border == "valid" else "+ " ~ (filter_height - 1) }} - {{ filter_height }}) / {{ stride_y }} + 1;
  const int columns = (width {{ "" if border == "valid" else "+ " ~ (filter_width - 1) }} - {{ filter_width }}) / {{ stride_x }} + 1;
  const int strips = (columns + {{ pixels - 1 }}) / {{ pixels }};
  const long total = (long)image_count * rows * strips * {{ groups }};
{% if cpu %}
  // One item a group, each with a contiguous share.
  const long first = total * (long)get_global_id(0) / (long)get_global_size(0);
  const long last = total * ((long)get_global_id(0) + 1) / (long)get_global_size(0);
  for (long work = first; work < last; ++work) {
{% else %}
  for (long work = (long)get_global_id(0); work < total; work += (long)get_global_size(0)) {
{% endif %}
    const int group = {{ "(int)(work % " ~ groups ~ ")" if groups > 1 else "0" }};
    const long strip = work / {{ groups }};
    const int x0 = (int)(strip % strips) * {{ pixels }};
    const long image_row = strip / strips;
    const int y0 = (int)(image_row % rows);
    global const float* restrict image = images + offset + (size_t)(image_row / rows) * ((size_t)height * width * {{ channels }});
    global const float* restrict weights = bank + (size_t)group * {{ filter_height * filter_width * channels * filters_per_item }};
{% for p in range(pixels) %}
    // A strip that hangs over the edge computes the last column again, and does not store it.
    const {{ index }} x_{{ p }} = ({{ index }})min(x0 + {{ p }}, columns - 1) * {{ stride_x }} - {{ before_x }};
{% endfor %}
{% for p in range(pixels) %}
    {{ type }} {% for v in range(vectors) %}sum_{{ p }}_{{ v }} = ZERO{{ ", " if v + 1 < vectors else ";" }}{% endfor %}
{% endfor %}
{% if border != "valid" %}
    const int inside = x_0 >= 0 && x_{{ pixels - 1 }} + {{ filter_width }} <= width;
{% endif %}
    for (int j = 0; j < {{ filter_height }}; ++j) {
      global const float* restrict row_weights = weights + j * {{ filter_width * channels * filters_per_item }};
{% if border == "valid" %}
      global const float* restrict row = image + ({{ index }})(y0 * {{ stride_y }} + j) * width * {{ channels }};
{% else %}
      const {{ index }} y = source_place(({{ index }})y0 * {{ stride_y }} + j - {{ before_y }}, height);
{% if border == "zero" %}
      if (y < 0) continue;
{% endif %}
      global const float* restrict row = image + y * width * {{ channels }};
      if (!inside) {
        for (int i = 0; i < {{ filter_width }}; ++i) {
{% for p in range(pixels) %}
          const {{ index }} place_{{ p }} = source_place(x_{{ p }} + i, width);
{% if border == "zero" %}
          global const float* restrict source_{{ p }} = row + max(place_{{ p }}, ({{ index }})0) * {{ channels }};
          const float keep_{{ p }} = place_{{ p }} < 0 ? 0.0f : 1.0f;
{% else %}
          global const float* restrict source_{{ p }} = row + place_{{ p }} * {{ channels }};
{% endif %}
{% endfor %}
          for (int c = 0; c < {{ channels }}; ++c) {
            global const float* restrict tap = row_weights + (i * {{ channels }} + c) * {{ filters_per_item }};
{% for v in range(vectors) %}
            const {{ type }} weight_{{ v }} = LOAD({{ v }}, tap);
{% endfor %}
{% for p in range(pixels) %}
            const float value_{{ p }} = {{ "place_" ~ p ~ " < 0 ? 0.0f : source_" ~ p ~ "[c]" if border == "zero" else "source_" ~ p ~ "[c]" }};
{% for v in range(vectors) %}
            sum_{{ p }}_{{ v }} = fma(weight_{{ v }}, SPLAT(value_{{ p }}), sum_{{ p }}_{{ v }});
{% endfor %}
{% endfor %}
          }
        }
        continue;
      }
{% endif %}
{% for p in range(pixels) %}
      global const float* restrict source_{{ p }} = row + x_{{ p }} * {{ channels }};
{% endfor %}
      RTCG_UNROLL({{ unroll }})
      for (int k = 0; k < {{ filter_width * channels }}; ++k) {
        global const float* restrict tap = row_weights + k * {{ filters_per_item }};
{% for v in range(vectors) %}
        const {{ type }} weight_{{ v }} = LOAD({{ v }}, tap);
{% endfor %}
{% for p in range(pixels) %}
        const {{ type }} value_{{ p }} = SPLAT(source_{{ p }}[k]);
{% for v in range(vectors) %}
        sum_{{ p }}_{{ v }} = fma(weight_{{ v }}, value_{{ p }}, sum_{{ p }}_{{ v }});
{% endfor %}
{% endfor %}
      }
    }
    float lane[{{ pixels * filters_per_item }}];
{% for p in range(pixels) %}
{% for v in range(vectors) %}
    STORE(sum_{{ p }}_{{ v }}, {{ p * vectors + v }}, lane);
{% endfor %}
{% endfor %}
    global float* restrict target = responses + ((size_t)image_row * columns + x0) * {{ filters }} + group * {{ filters_per_item }};
    const int count = min(columns - x0, {{ pixels }});
{% if cpu %}
    RTCG_UNROLL(1)  // the compiler would take long for little
    for (int p = 0; p < count; ++p)
      for (int n = 0; n < {{ filters_per_item }}; ++n)
        {{ "if (group * " ~ filters_per_item ~ " + n < " ~ filters ~ ") " if filters % filters_per_item != 0 else "" }}target[p * {{ filters }} + n] = finish(lane[p * {{ filters_per_item }} + n], group * {{ filters_per_item }} + n, bias);
{% else %}
    RTCG_UNROLL({{ pixels }})  // so that the sums stay in registers
    for (int p = 0; p < {{ pixels }}; ++p)
      RTCG_UNROLL({{ filters_per_item }})
      for (int n = 0; n < {{ filters_per_item }}; ++n)
        if (p < count{{ " && group * " ~ filters_per_item ~ " + n < " ~ filters if filters % filters_per_item != 0 else "" }}) target[p * {{ filters }} + n] = finish(lane[p * {{ filters_per_item }} + n], group * {{ filters_per_item }} + n, bias);
{% endif %}
  }
}
