// Tensor cores, with factors rounded to {{ factors }} and sums in fp32. A warp computes {{ item_rows }} rows of 16 neighbouring responses for
// {{ tiles }} times 8 filters. A row of the image is read as 16 x 16-byte blocks by ldmatrix, one pixel further on for each matrix row, so
// that nothing is unfolded in memory; what was read of one image row serves every response row whose filter covers it, against the
// weights of all filter rows in registers. The bank is [8 filters, step, pair of blocks, filter row, lane, 2] words, then the odd block's.
static inline void load_blocks_4(uint* a, uint address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 { %0, %1, %2, %3}, [%4];" : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(address));
}
static inline void load_blocks_2(uint* a, uint address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 { %0, %1}, [%2];" : "=r"(a[0]), "=r"(a[1]) : "r"(address));
}
static inline void multiply_pair(float* sum, const uint* a, uint2 b) {
  asm volatile("mma.sync.aligned.{{ "m16n8k16.row.col.f32.f16.f16.f32" if factors == "fp16" else "m16n8k8.row.col.f32.tf32.tf32.f32" }} { %0, %1, %2, %3}, { %4, %5, %6, %7}, { %8, %9}, { %0, %1, %2, %3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.x), "r"(b.y));
}
static inline void multiply_block(float* sum, const uint* a, uint b) {
  asm volatile("mma.sync.aligned.{{ "m16n8k8.row.col.f32.f16.f16.f32" if factors == "fp16" else "m16n8k4.row.col.f32.tf32.tf32.f32" }} { %0, %1, %2, %3}, { %4, %5}, { %6}, { %0, %1, %2, %3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a[0]), "r"(a[1]), "r"(b));
}
{% if factors == "fp16" %}
static inline uint rounded(float low, float high) {
  uint word;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}
{% else %}
static inline uint rounded(float x) {
  uint word;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(word) : "f"(x));
  return word;
}
{% endif %}

kernel __launch_bounds__({{ items }}, {{ residents }}) void filterbank(global const float* restrict images, ulong offset, global const float* restrict bank,
                                                                       global const float* restrict bias, global float* restrict responses, int image_count,
                                                                       int height, int width) {
  extern __shared__ uint4 staged[];  // a block of {{ block_channels }} channels each
  const int rows = (height{{ "" if border == "valid" else " + " ~ (filter_height - 1) }} - {{ filter_height }}) / {{ stride_y }} + 1;
  const int columns = (width{{ "" if border == "valid" else " + " ~ (filter_width - 1) }} - {{ filter_width }}) / {{ stride_x }} + 1;
  const uint across = (columns + {{ group_columns - 1 }}) / {{ group_columns }}, down = (rows + {{ group_rows - 1 }}) / {{ group_rows }};
  uint group = blockIdx.x;
  const int block = {{ "(int)(group % " ~ blocks ~ ")" if blocks > 1 else "0" }};
{% if blocks > 1 %}
  group /= {{ blocks }};
{% endif %}
  const int column0 = (int)(group % across) * {{ group_columns }};
  group /= across;
  const int row0 = (int)(group % down) * {{ group_rows }};
  const size_t image_index = group / down;
  global const float* restrict image = images + offset + image_index * ((size_t)height * width * {{ channels }});
  const bool aligned = offset % 4 == 0;

  const int item = (int)threadIdx.x, lane = item % 32, warp = item / 32;
  const int warp_column = warp % {{ across_warps }}, warp_row = warp / {{ across_warps }} % {{ down_warps }}, warp_filter = warp / {{ across_warps * down_warps }};
  const int first_tile = (block * {{ filter_warps }} + warp_filter) * {{ tiles }};

  float sums[{{ item_rows }}][{{ tiles }}][4];
#pragma unroll
  for (int y = 0; y < {{ item_rows }}; ++y)
#pragma unroll
    for (int t = 0; t < {{ tiles }}; ++t)
#pragma unroll
      for (int k = 0; k < 4; ++k) sums[y][t][k] = 0.0f;

  // Where this lane's matrix row begins: lanes 0 to 15 the first block of a pair, 16 to 31 the second.
  const uint own = (uint)__cvta_generic_to_shared(staged) +
                   16 * ((warp_row * {{ item_rows * stride_y }} * {{ tile_columns }} + (warp_column * 16 + lane % 16) * {{ stride_x }}) * {{ pixel_blocks }});
#pragma unroll 1
  for (int step = 0; step < {{ steps }}; ++step) {
    const int first_channel = step {{ "/ " ~ row_steps if row_steps > 1 else "" }} * {{ stage_blocks * block_channels }};
    const int y0 = row0 * {{ stride_y }} - {{ before_y }} + {{ "step % " ~ row_steps ~ " * " ~ stage_rows if row_steps > 1 else "0" }}, x0 = column0 * {{ stride_x }} - {{ before_x }};
    if (step > 0) __syncthreads();
#pragma unroll 2
    for (int k = item; k < {{ tile_rows * tile_columns * stage_blocks }}; k += {{ items }}) {
      const int part = k % {{ stage_blocks }}, place = k / {{ stage_blocks }};
      const int r = place / {{ tile_columns }}, s = place % {{ tile_columns }};
{% if border == "valid" %}
      const {{ index }} y = min(y0 + r, height - 1), x = min(x0 + s, width - 1);
{% else %}
      const {{ index }} y = source_place(min(y0 + r, height + {{ filter_height - 2 - before_y }}), height);
      const {{ index }} x = source_place(min(x0 + s, width + {{ filter_width - 2 - before_x }}), width);
{% endif %}
      float value[{{ block_channels }}];
#pragma unroll
      for (int c = 0; c < {{ block_channels }}; ++c) value[c] = 0.0f;
      const int channel = first_channel + part * {{ block_channels }};
{% if border == "zero" %}
      if (y >= 0 && x >= 0) {
{% else %}
      {
{% endif %}
        global const float* restrict from = image + (y * width + x) * {{ channels }} + channel;
{% if channels % 4 == 0 %}
        if (aligned) {
#pragma unroll
          for (int c = 0; c < {{ block_channels }}; c += 4)
            if (channel + c < {{ channels }}) {
              const float4 four = *(const float4*)(from + c);
              value[c] = four.x, value[c + 1] = four.y, value[c + 2] = four.z, value[c + 3] = four.w;
            }
        } else
{% endif %}
        {
#pragma unroll
          for (int c = 0; c < {{ block_channels }}; ++c)
            if (channel + c < {{ channels }}) value[c] = from[c];
        }
      }
{% if factors == "fp16" %}
      staged[place * {{ pixel_blocks }} + part] = make_uint4(rounded(value[0], value[1]), rounded(value[2], value[3]), rounded(value[4], value[5]), rounded(value[6], value[7]));
{% else %}
      staged[place * {{ pixel_blocks }} + part] = make_uint4(rounded(value[0]), rounded(value[1]), rounded(value[2]), rounded(value[3]));
{% endif %}
    }
    __syncthreads();

    const uint* weights = (const uint*)bank + ((size_t)first_tile * {{ steps }} + step) * {{ step_words }};
{% if pairs > 0 %}
#pragma unroll 1
    for (int pair = 0; pair < {{ pairs }}; ++pair) {
      uint2 weight[{{ stage_rows }}][{{ tiles }}];
#pragma unroll
      for (int t = 0; t < {{ tiles }}; ++t)
#pragma unroll
        for (int j = 0; j < {{ stage_rows }}; ++j)
          weight[j][t] = __ldg((const uint2*)(weights + t * {{ steps * step_words }}) + (pair * {{ stage_rows }} + j) * 32 + lane);
      const uint from = own + 16 * ({{ "2 * pair" if pixel_blocks == stage_blocks else "pair / " ~ (stage_blocks / 2) ~ " * " ~ pixel_blocks ~ " + pair % " ~ (stage_blocks / 2) ~ " * 2" }} + lane / 16);
#pragma unroll
      for (int r = 0; r < {{ (item_rows - 1) * stride_y + stage_rows }}; ++r) {
        uint a[4];
        load_blocks_4(a, from + r * {{ 16 * tile_columns * pixel_blocks }});
#pragma unroll
        for (int y = 0; y < {{ item_rows }}; ++y)
          if (r >= y * {{ stride_y }} && r - y * {{ stride_y }} < {{ stage_rows }})
#pragma unroll
            for (int t = 0; t < {{ tiles }}; ++t) multiply_pair(sums[y][t], a, weight[r - y * {{ stride_y }}][t]);
      }
    }
{% endif %}
{% if odd %}
    {
      uint weight[{{ stage_rows }}][{{ tiles }}];
#pragma unroll
      for (int t = 0; t < {{ tiles }}; ++t)
#pragma unroll
        for (int j = 0; j < {{ stage_rows }}; ++j)
          weight[j][t] = __ldg(weights + t * {{ steps * step_words }} + {{ 64 * pairs * stage_rows }} + j * 32 + lane);
      const uint from = own + {{ 32 * pairs }};
#pragma unroll
      for (int r = 0; r < {{ (item_rows - 1) * stride_y + stage_rows }}; ++r) {
        uint a[2];
        load_blocks_2(a, from + r * {{ 16 * tile_columns * pixel_blocks }});
#pragma unroll
        for (int y = 0; y < {{ item_rows }}; ++y)
          if (r >= y * {{ stride_y }} && r - y * {{ stride_y }} < {{ stage_rows }})
#pragma unroll
            for (int t = 0; t < {{ tiles }}; ++t) multiply_block(sums[y][t], a, weight[r - y * {{ stride_y }}][t]);
      }
    }
{% endif %}
  }

  const int x = column0 + warp_column * 16 + lane / 4;
#pragma unroll
  for (int y = 0; y < {{ item_rows }}; ++y) {
    const int row = row0 + warp_row * {{ item_rows }} + y;
    if (row >= rows) break;
#pragma unroll
    for (int t = 0; t < {{ tiles }}; ++t) {
      const int n = (first_tile + t) * 8 + lane % 4 * 2;
#pragma unroll
      for (int half_row = 0; half_row < 2; ++half_row)
        if (x + 8 * half_row < columns && n < {{ filters }}) {
          global float* target = responses + ((image_index * rows + row) * columns + x + 8 * half_row) * {{ filters }} + n;
{% if filters % 2 == 0 %}
          *(float2*)target = make_float2(finish(sums[y][t][2 * half_row], n, bias), finish(sums[y][t][2 * half_row + 1], n + 1, bias));
{% else %}
          target[0] = finish(sums[y][t][2 * half_row], n, bias);
          if (n + 1 < {{ filters }}) target[1] = finish(sums[y][t][2 * half_row + 1], n + 1, bias);
{% endif %}
        }
    }
  }
}
