// Each response is a sum down a column of what the rows of the filters gave. The weights are [y of the filter, filter].
kernel void filterbank_columns(global const float* restrict partial, ulong offset, global const float* restrict weights,
                               global const float* restrict bias, global float* restrict responses, int image_count, int height, int width) {
  const int rows = (height{{ "" if border == "valid" else " + " ~ (filter_height - 1) }} - {{ filter_height }}) / {{ stride_y }} + 1;
{% if cpu %}
  const long total = (long)image_count * rows;
  const long first = total * (long)get_global_id(0) / (long)get_global_size(0);
  const long last = total * ((long)get_global_id(0) + 1) / (long)get_global_size(0);
  for (long row = first; row < last; ++row) {
{% else %}
  const long total = (long)image_count * rows * width * {{ filters }};
  for (long work = (long)get_global_id(0); work < total; work += (long)get_global_size(0)) {
    const long pixel = work / {{ filters }};
    const long row = pixel / width;
    const int n = (int)(work % {{ filters }}), x = (int)(pixel % width);
{% endif %}
    const int top = (int)(row % rows) * {{ stride_y }} - {{ before_y }};
    global const float* restrict image = partial + offset + (size_t)(row / rows) * height * width * {{ filters }};
{% if border == "zero" %}
    const int j_first = max(-top, 0), j_last = min(height - top, {{ filter_height }});
{% else %}
    const int j_first = 0, j_last = {{ filter_height }};
{% endif %}
{% set place = "(top + j)" if border == "valid" or border == "zero" else "source_place(top + j, height)" %}
{% if cpu %}
    for (int x = 0; x < width; ++x) {
      float sum[{{ filters }}];
      for (int n = 0; n < {{ filters }}; ++n) sum[n] = 0.0f;
      for (int j = j_first; j < j_last; ++j) {
        global const float* restrict source = image + ((size_t){{ place }} * width + x) * {{ filters }};
        for (int n = 0; n < {{ filters }}; ++n) sum[n] = fma(weights[j * {{ filters }} + n], source[n], sum[n]);
      }
      global float* restrict target = responses + ((size_t)row * width + x) * {{ filters }};
      for (int n = 0; n < {{ filters }}; ++n) target[n] = finish(sum[n], n, bias);
    }
{% else %}
    float sum = 0.0f;
    for (int j = j_first; j < j_last; ++j)
      sum = fma(weights[j * {{ filters }} + n], image[((size_t){{ place }} * width + x) * {{ filters }} + n], sum);
    responses[work] = finish(sum, n, bias);
{% endif %}
  }
}
