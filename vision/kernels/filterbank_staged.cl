// For GPUs: a work-group stages a tile of the image, channel by channel, and its filters' weights in local memory; every item keeps
// {{ item_rows }} x {{ item_columns }} responses of {{ item_filters }} filters in registers, so that one staged value serves many multiply-adds. The rows of a
// filter are a loop and only its columns are unrolled: the body has to stay inside the instruction cache. The bank is
// [block of {{ block_filters }} filters, channel, y, x, filter of the block].
#ifdef RTCG_CUDA
#define STAGED_BOUNDS __launch_bounds__({{ items }}, {{ residents }})
#else
#define STAGED_BOUNDS RTCG_GROUP_SIZE({{ items }}, 1, 1)
#endif
#if defined(RTCG_CUDA) && __CUDA_ARCH__ >= 800 && {{ 1 if asynchronous else 0 }}
// Copies that nobody waits for before finish_copies(); `keep` false writes zeros.
static inline void copy_float(float* to, const float* from, bool keep) {
  const unsigned address = (unsigned)__cvta_generic_to_shared(to), bytes = keep ? 4 : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(from), "r"(bytes) : "memory");
}
static inline void copy_float4(float* to, const float* from) {
  const unsigned address = (unsigned)__cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
}
static inline void finish_copies() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}
#else
static inline void copy_float(LOCAL_POINTER float* to, global const float* from, bool keep) {
  *to = keep ? *from : 0.0f;
}
static inline void copy_float4(LOCAL_POINTER float* to, global const float* from) {
  *(LOCAL_POINTER float4*)to = *(global const float4*)from;
}
static inline void finish_copies() {}
#endif

// Rows `first_row` onwards of the channels from `first_channel` on, and the weights that go with them.
static inline void stage(LOCAL_POINTER float* tile, global const float* restrict image, global const float* restrict weights, int vectors,
                         int first_channel, int first_row, int y0, int x0, int height, int width) {
  const int item = (int)get_local_id(0);
  const int channels = {{ "min(" ~ stage_channels ~ ", " ~ channels ~ " - first_channel)" if channels % stage_channels != 0 else stage_channels }};
  const int rows = {{ "min(" ~ stage_rows ~ ", " ~ filter_height ~ " - first_row)" if filter_height % stage_rows != 0 else stage_rows }};
  LOCAL_POINTER float* staged_weights = tile + {{ plane * stage_channels }};
  for (int c = 0; c < channels; ++c) {
    global const float* restrict from = weights + ((first_channel + c) * {{ filter_height }} + first_row) * {{ filter_width * block_filters }};
    LOCAL_POINTER float* to = staged_weights + c * {{ stage_rows * filter_width * block_filters }};
{% if block_filters % 4 == 0 %}
    for (int k = item; k < rows * {{ filter_width * block_filters / 4 }}; k += {{ items }}) copy_float4(to + 4 * k, from + 4 * k);
{% else %}
    for (int k = item; k < rows * {{ filter_width * block_filters }}; k += {{ items }}) copy_float(to + k, from + k, true);
{% endif %}
  }
{% if channels % 4 == 0 and stage_channels % 4 == 0 and not asynchronous %}
  if (vectors) {
    RTCG_UNROLL(4)
    for (int k = item; k < {{ tile_rows * tile_columns * stage_channels / 4 }}; k += {{ items }}) {
      const int c = k % {{ stage_channels / 4 }} * 4, place = k / {{ stage_channels / 4 }};
      const int r = place / {{ tile_columns }}, s = place % {{ tile_columns }};
{% if border == "valid" %}
      const {{ index }} y = min(y0 + first_row + r, height - 1), x = min(x0 + s, width - 1);
      const float4 value = *(global const float4*)(image + (y * width + x) * {{ channels }} + first_channel + c);
{% else %}
      const {{ index }} y = source_place(min(y0 + first_row + r, height + {{ filter_height - 2 - before_y }}), height);
      const {{ index }} x = source_place(min(x0 + s, width + {{ filter_width - 2 - before_x }}), width);
{% if border == "zero" %}
      float4 value = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
      if (y >= 0 && x >= 0) value = *(global const float4*)(image + (y * width + x) * {{ channels }} + first_channel + c);
{% else %}
      const float4 value = *(global const float4*)(image + (y * width + x) * {{ channels }} + first_channel + c);
{% endif %}
{% endif %}
      LOCAL_POINTER float* to = tile + c * {{ plane }} + r * {{ tile_columns }} + s;
      to[0] = value.x, to[{{ plane }}] = value.y, to[{{ 2 * plane }}] = value.z, to[{{ 3 * plane }}] = value.w;
    }
    return;
  }
{% endif %}
  RTCG_UNROLL(4)
  for (int k = item; k < {{ tile_rows * tile_columns * stage_channels }}; k += {{ items }}) {
    const int c = k % {{ stage_channels }}, place = k / {{ stage_channels }};
    const int r = place / {{ tile_columns }}, s = place % {{ tile_columns }};
{% if border == "valid" %}
    const {{ index }} y = min(y0 + first_row + r, height - 1), x = min(x0 + s, width - 1);
    const bool keep = true;
{% else %}
    const {{ index }} y = source_place(min(y0 + first_row + r, height + {{ filter_height - 2 - before_y }}), height);
    const {{ index }} x = source_place(min(x0 + s, width + {{ filter_width - 2 - before_x }}), width);
    const bool keep = {{ "y >= 0 && x >= 0" if border == "zero" else "true" }};
{% endif %}
{% if channels % stage_channels != 0 %}
    if (c < channels)
{% endif %}
      copy_float(tile + c * {{ plane }} + r * {{ tile_columns }} + s, image + {{ "(keep ? (y * width + x) * " ~ channels ~ " : 0)" if border == "zero" else "(y * width + x) * " ~ channels }} + first_channel + c, keep);
  }
}

kernel STAGED_BOUNDS void filterbank(global const float* restrict images, ulong offset, global const float* restrict bank,
                                     global const float* restrict bias, global float* restrict responses, int image_count, int height,
                                     int width) {
#ifdef RTCG_CUDA
  extern __shared__ __align__(16) float tiles[];
#else
  local float4 tile_vectors[{{ stage_floats * buffers / 4 }}];
  LOCAL_POINTER float* tiles = (LOCAL_POINTER float*)tile_vectors;
#endif
  const int rows = (height{{ "" if border == "valid" else " + " ~ (filter_height - 1) }} - {{ filter_height }}) / {{ stride_y }} + 1;
  const int columns = (width{{ "" if border == "valid" else " + " ~ (filter_width - 1) }} - {{ filter_width }}) / {{ stride_x }} + 1;
  const uint across = (columns + {{ group_columns - 1 }}) / {{ group_columns }}, down = (rows + {{ group_rows - 1 }}) / {{ group_rows }};
  uint group = (uint)get_group_id(0);
  const int block = {{ "(int)(group % " ~ blocks ~ ")" if blocks > 1 else "0" }};
{% if blocks > 1 %}
  group /= {{ blocks }};
{% endif %}
  const int column0 = (int)(group % across) * {{ group_columns }};
  group /= across;
  const int row0 = (int)(group % down) * {{ group_rows }};
  const size_t image_index = group / down;
  global const float* restrict image = images + offset + image_index * ((size_t)height * width * {{ channels }});
  global const float* restrict weights = bank + (size_t)block * {{ channels * filter_height * filter_width * block_filters }};
  const int vectors = offset % 4 == 0;
  const int y0 = row0 * {{ stride_y }} - {{ before_y }}, x0 = column0 * {{ stride_x }} - {{ before_x }};

  const int item = (int)get_local_id(0);
  // Filters fastest: neighbouring items read the same pixels.
  const int lane_filter = item % {{ filter_groups }}, lane_column = item / {{ filter_groups }} % {{ across_items }}, lane_row = item / {{ filter_groups * across_items }};

  float sums[{{ item_rows }}][{{ item_columns }}][{{ item_filters }}];
  RTCG_UNROLL({{ item_rows }})
  for (int a = 0; a < {{ item_rows }}; ++a) {
    RTCG_UNROLL({{ item_columns }})
    for (int p = 0; p < {{ item_columns }}; ++p) {
      RTCG_UNROLL({{ item_filters }})
      for (int k = 0; k < {{ item_filters }}; ++k) sums[a][p][k] = 0.0f;
    }
  }

{% if asynchronous %}
  stage(tiles, image, weights, vectors, 0, 0, y0, x0, height, width);
{% endif %}
  RTCG_UNROLL(1)
  for (int step = 0; step < {{ steps }}; ++step) {
    const int first_channel = step {{ "/ " ~ row_steps if row_steps > 1 else "" }} * {{ stage_channels }}, first_row = {{ "step % " ~ row_steps ~ " * " ~ stage_rows if row_steps > 1 else "0" }};
{% if asynchronous %}
    LOCAL_POINTER const float* tile = tiles{{ " + (step & 1) * " ~ stage_floats if steps > 1 else "" }};
    finish_copies();
    barrier(CLK_LOCAL_MEM_FENCE);
{% if steps > 1 %}
    if (step + 1 < {{ steps }})
      stage(tiles + ((step + 1) & 1) * {{ stage_floats }}, image, weights, vectors, (step + 1) {{ "/ " ~ row_steps if row_steps > 1 else "" }} * {{ stage_channels }},
            {{ "(step + 1) % " ~ row_steps ~ " * " ~ stage_rows if row_steps > 1 else "0" }}, y0, x0, height, width);
{% endif %}
{% else %}
    LOCAL_POINTER const float* tile = tiles;
    if (step > 0) barrier(CLK_LOCAL_MEM_FENCE);
    stage(tiles, image, weights, vectors, first_channel, first_row, y0, x0, height, width);
    barrier(CLK_LOCAL_MEM_FENCE);
{% endif %}
    const int staged_channels = {{ "min(" ~ stage_channels ~ ", " ~ channels ~ " - first_channel)" if channels % stage_channels != 0 else stage_channels }};
    const int staged_rows = {{ "min(" ~ stage_rows ~ ", " ~ filter_height ~ " - first_row)" if filter_height % stage_rows != 0 else stage_rows }};
    LOCAL_POINTER const float* source = tile + lane_row * {{ item_rows * stride_y * tile_columns }} + lane_column * {{ item_columns * stride_x }};
    LOCAL_POINTER const float* own_weights = tile + {{ plane * stage_channels }} + lane_filter * {{ item_filters }};
    RTCG_UNROLL(1)
    for (int c = 0; c < staged_channels; ++c) {
      RTCG_UNROLL({{ row_unroll }})
      for (int j = 0; j < staged_rows; ++j) {
        LOCAL_POINTER const float* row = source + c * {{ plane }} + j * {{ tile_columns }};
        LOCAL_POINTER const float* taps = own_weights + (c * {{ stage_rows }} + j) * {{ filter_width * block_filters }};
{% for part in parts %}
{% if part[2] > 1 %}
        RTCG_UNROLL(1)
        for (int i0 = {{ part[0] }}; i0 < {{ part[0] + part[1] * part[2] }}; i0 += {{ part[1] }}) {
{% else %}
        {
          const int i0 = {{ part[0] }};
{% endif %}
          float values[{{ item_rows }}][{{ part[3] }}];
          RTCG_UNROLL({{ item_rows }})
          for (int a = 0; a < {{ item_rows }}; ++a) {
            RTCG_UNROLL({{ part[3] / 4 }})
            for (int k = 0; k < {{ part[3] }}; k += 4) {
              const float4 four = *(LOCAL_POINTER const float4*)(row + a * {{ stride_y * tile_columns }} + i0 + k);
              values[a][k] = four.x, values[a][k + 1] = four.y, values[a][k + 2] = four.z, values[a][k + 3] = four.w;
            }
          }
          RTCG_UNROLL({{ part[1] }})
          for (int i = 0; i < {{ part[1] }}; ++i) {
            LOCAL_POINTER const float* tap = taps + (i0 + i) * {{ block_filters }};
            float weight[{{ item_filters }}];
{% if item_filters % 4 == 0 %}
            RTCG_UNROLL({{ item_filters / 4 }})
            for (int k = 0; k < {{ item_filters }}; k += 4) {
              const float4 four = *(LOCAL_POINTER const float4*)(tap + k);
              weight[k] = four.x, weight[k + 1] = four.y, weight[k + 2] = four.z, weight[k + 3] = four.w;
            }
{% elif item_filters == 2 %}
            const float2 two = *(LOCAL_POINTER const float2*)tap;
            weight[0] = two.x, weight[1] = two.y;
{% else %}
            weight[0] = tap[0];
{% endif %}
            RTCG_UNROLL({{ item_rows }})
            for (int a = 0; a < {{ item_rows }}; ++a) {
              RTCG_UNROLL({{ item_columns }})
              for (int p = 0; p < {{ item_columns }}; ++p) {
                RTCG_UNROLL({{ item_filters }})
                for (int k = 0; k < {{ item_filters }}; ++k) sums[a][p][k] = fma(values[a][p * {{ stride_x }} + i], weight[k], sums[a][p][k]);
              }
            }
          }
        }
{% endfor %}
      }
    }
  }

  const int n0 = block * {{ block_filters }} + lane_filter * {{ item_filters }};
{% if filters % item_filters != 0 or filters % block_filters != 0 %}
  if (n0 >= {{ filters }}) return;
{% endif %}
  RTCG_UNROLL({{ item_rows }})
  for (int a = 0; a < {{ item_rows }}; ++a) {
    const int y = row0 + lane_row * {{ item_rows }} + a;
    if (y < rows) {
      RTCG_UNROLL({{ item_columns }})
      for (int p = 0; p < {{ item_columns }}; ++p) {
        const int x = column0 + lane_column * {{ item_columns }} + p;
        if (x < columns) {
          global float* restrict target = responses + ((image_index * rows + y) * columns + x) * {{ filters }} + n0;
{% if item_filters % 4 == 0 and filters % item_filters == 0 %}
          RTCG_UNROLL({{ item_filters / 4 }})
          for (int k = 0; k < {{ item_filters }}; k += 4)
            *(global float4*)(target + k) = make_float4(finish(sums[a][p][k], n0 + k, bias), finish(sums[a][p][k + 1], n0 + k + 1, bias),
                                                        finish(sums[a][p][k + 2], n0 + k + 2, bias), finish(sums[a][p][k + 3], n0 + k + 3, bias));
{% elif item_filters == 2 and filters % 2 == 0 %}
          *(global float2*)target = make_float2(finish(sums[a][p][0], n0, bias), finish(sums[a][p][1], n0 + 1, bias));
{% else %}
          RTCG_UNROLL({{ item_filters }})
          for (int k = 0; k < {{ item_filters }}; ++k)
            {{ "if (n0 + k < " ~ filters ~ ") " if filters % item_filters != 0 else "" }}target[k] = finish(sums[a][p][k], n0 + k, bias);
{% endif %}
        }
      }
    }
  }
}
