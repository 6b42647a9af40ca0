// Local contrast-divisive normalisation in two steps: moments of each pixel over its channels (not where there is one
// channel: then the image is its own plane of means), and for each tile of outputs the windows' moments, first down the
// columns, then along the rows, and the division. Moments are means, counted from a value of
// the tile, and sums of squared deviations from them, so that nothing cancels; without mean removal plain sums of squares.
typedef {{ index_type }} index_t;
#define CHANNELS {{ channels }}
#define LANES {{ lanes }}
#define HEIGHT {{ height }}
#define WIDTH {{ width }}
#define TILE_X {{ tile_x }}
#define TILE_Y {{ tile_y }}
#define SPAN {{ tile_x + width - 1 }}
#define GROUP {{ group }}
#define TEAM {{ team }}

{% if channels > 1 %}
{% if cpu %}
{% for part in [["channel_sum", "x"], ["channel_squares", "x * x"]] %}
inline float {{ part[0] }}(global const float* v, const float origin) {
  float sums[LANES], total = 0;
  for (int l = 0; l < LANES; ++l) sums[l] = 0;
  for (int c = 0; c + LANES <= CHANNELS; c += LANES)
    for (int l = 0; l < LANES; ++l) {
      const float x = v[c + l] - origin;
      sums[l] += {{ part[1] }};
    }
  for (int l = 0; l < LANES; ++l) total += sums[l];
  for (int c = CHANNELS / LANES * LANES; c < CHANNELS; ++c) {
    const float x = v[c] - origin;
    total += {{ part[1] }};
  }
  return total;
}
{% endfor %}

kernel void pixel_moments(global const float* restrict images, global float* restrict means,
                          global float* restrict squares, const index_t offset, const index_t pixels) {
  const index_t items = get_num_groups(0), item = get_group_id(0), share = (pixels + items - 1) / items;
  const index_t end = min(pixels, (item + 1) * share);
  for (index_t pixel = item * share; pixel < end; ++pixel) {
    global const float* v = images + offset + pixel * CHANNELS;
{% if remove_mean %}
    const float mean = v[0] + channel_sum(v, v[0]) * (1.0f / CHANNELS);
    means[pixel] = mean;
    squares[pixel] = channel_squares(v, mean);
{% else %}
    squares[pixel] = channel_squares(v, 0);
{% endif %}
  }
}
{% else %}
// TEAM items of one group take a pixel.
#ifdef RTCG_CUDA
#define TEAM_SUM(x) RTCG_UNROLL(5) for (int step = TEAM / 2; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step, TEAM)
#else
#define TEAM_SUM(x)                                         \
  for (int step = TEAM / 2; step > 0; step /= 2) {          \
    barrier(CLK_LOCAL_MEM_FENCE);                           \
    shared_sums[get_local_id(0)] = x;                       \
    barrier(CLK_LOCAL_MEM_FENCE);                           \
    x += shared_sums[(uint)get_local_id(0) ^ (uint)step];   \
  }
#endif

kernel RTCG_GROUP_SIZE(GROUP, 1, 1) void pixel_moments(global const float* restrict images, global float* restrict means,
                                                       global float* restrict squares, const index_t offset,
                                                       const index_t pixels) {
#ifndef RTCG_CUDA
  local float shared_sums[GROUP];
#endif
  const uint lane = (uint)get_local_id(0) % TEAM;
  const index_t pixel = (index_t)get_group_id(0) * (GROUP / TEAM) + (uint)get_local_id(0) / TEAM;
  const index_t start = offset + min(pixel, pixels - 1) * CHANNELS;
  float sum = 0, mean = 0;
{% if lanes == 4 %}
  global const float4* v = (global const float4*)(images + start);
{% else %}
  global const float* v = images + start;
{% endif %}
{% if remove_mean %}
  const float origin = images[start];
  for (uint c = lane; c < CHANNELS / LANES; c += TEAM) {
{% if lanes == 4 %}
    const float4 loaded = v[c];
    sum += (loaded.x - origin) + (loaded.y - origin) + ((loaded.z - origin) + (loaded.w - origin));
{% else %}
    sum += v[c] - origin;
{% endif %}
  }
  TEAM_SUM(sum);
  mean = origin + sum * (1.0f / CHANNELS);
  sum = 0;
{% endif %}
  for (uint c = lane; c < CHANNELS / LANES; c += TEAM) {
{% if lanes == 4 %}
    const float4 loaded = v[c];
    const float a = loaded.x - mean, b = loaded.y - mean, d = loaded.z - mean, e = loaded.w - mean;
    sum += a * a + b * b + (d * d + e * e);
{% else %}
    const float a = v[c] - mean;
    sum += a * a;
{% endif %}
  }
  TEAM_SUM(sum);
  if (lane == 0 && pixel < pixels) {
{% if remove_mean %}
    means[pixel] = mean;
{% endif %}
    squares[pixel] = sum;
  }
}
{% endif %}
{% endif %}

{% if not cpu %}
{% set space = "local" %}
kernel RTCG_GROUP_SIZE(GROUP, 1, 1) void normalise(
{% else %}
{% set space = "" %}
kernel void normalise(
{% endif %}
    global const float* restrict images, global const float* restrict means, global const float* restrict squares,
    global float* restrict result, const index_t offset, const index_t tiles, const index_t rows, const index_t columns,
    const float stretch, const float threshold, const float epsilon) {
{% if remove_mean %}
  {{ space }} float column_means[TILE_Y * SPAN], window_means[TILE_Y * TILE_X];
{% endif %}
  {{ space }} float column_squares[TILE_Y * SPAN], window_scales[TILE_Y * TILE_X];
  const index_t out_rows = rows - (HEIGHT - 1), out_columns = columns - (WIDTH - 1);
  const index_t tiles_x = (out_columns + TILE_X - 1) / TILE_X, tiles_y = (out_rows + TILE_Y - 1) / TILE_Y;
{% if cpu %}
  const index_t items = get_num_groups(0), item = get_group_id(0), share = (tiles + items - 1) / items;
  const index_t end = min(tiles, (item + 1) * share);
  for (index_t tile = item * share; tile < end; ++tile) {
{% else %}
  const index_t tile = get_group_id(0);
  const uint me = get_local_id(0);
  {
{% endif %}
    const index_t x0 = tile % tiles_x * TILE_X, y0 = tile / tiles_x % tiles_y * TILE_Y, image = tile / tiles_x / tiles_y;
    const int wide = (int)min((index_t)TILE_X, out_columns - x0), high = (int)min((index_t)TILE_Y, out_rows - y0);
    const index_t corner = (image * rows + y0) * columns + x0;
{% if channels == 1 and remove_mean %}
    global const float* plane = images + offset + corner;
{% elif channels == 1 %}
    global const float* square_plane = images + offset + corner;
{% else %}
    global const float* plane = means + corner;
    global const float* square_plane = squares + corner;
{% endif %}
    const int span = wide + WIDTH - 1;
{% if remove_mean %}
    const float origin = plane[0];
{% endif %}
{% if cpu %}
    const int y = 0;
    for (int x = 0; x < span; ++x) {
      const int at = x;
{% else %}
    for (int at = me; at < high * SPAN; at += GROUP) {
      const int y = at / SPAN, x = at % SPAN;
      if (x >= span) continue;
{% endif %}
      const index_t from = y * columns + x;
{% if remove_mean %}
      float mean = 0, square = 0;
      RTCG_UNROLL({{ unroll_y }}) for (int j = 0; j < HEIGHT; ++j) mean += plane[from + j * columns] - origin;
      mean *= 1.0f / HEIGHT;
      RTCG_UNROLL({{ unroll_y }}) for (int j = 0; j < HEIGHT; ++j) {
        const float off = plane[from + j * columns] - origin - mean;
        square += off * off;
      }
{% if channels > 1 %}
      square *= CHANNELS;
      RTCG_UNROLL({{ unroll_y }}) for (int j = 0; j < HEIGHT; ++j) square += square_plane[from + j * columns];
{% endif %}
      column_means[at] = mean;
{% else %}
      float square = 0;
      RTCG_UNROLL({{ unroll_y }}) for (int j = 0; j < HEIGHT; ++j) {
        const float v = square_plane[from + j * columns];
        square += {{ "v * v" if channels == 1 else "v" }};
      }
{% endif %}
      column_squares[at] = square;
    }
{% if cpu %}
    for (int x = 0; x < wide; ++x) {
      const int at = x, from = x;
{% else %}
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int at = me; at < high * TILE_X; at += GROUP) {
      const int from = at / TILE_X * SPAN + at % TILE_X;
{% endif %}
      float square = 0;
      RTCG_UNROLL({{ unroll_x }}) for (int i = 0; i < WIDTH; ++i) square += column_squares[from + i];
{% if remove_mean %}
      float mean = 0, between = 0;
      RTCG_UNROLL({{ unroll_x }}) for (int i = 0; i < WIDTH; ++i) mean += column_means[from + i];
      mean *= 1.0f / WIDTH;
      RTCG_UNROLL({{ unroll_x }}) for (int i = 0; i < WIDTH; ++i) {
        const float off = column_means[from + i] - mean;
        between += off * off;
      }
      square += (float)HEIGHT * CHANNELS * between;
      window_means[at] = mean;
{% endif %}
      const float norm = (sqrt(square) + epsilon) * stretch;
      window_scales[at] = norm < threshold ? stretch : stretch / norm;
    }
    global const float* centres = images + offset + (corner + (HEIGHT / 2) * columns + WIDTH / 2) * CHANNELS;
    global float* to = result + ((image * out_rows + y0) * out_columns + x0) * CHANNELS;
{% if cpu %}
    for (int x = 0; x < wide; ++x) {
      const float scale = window_scales[x];
{% if remove_mean %}
      const float mean = window_means[x];
{% endif %}
      for (int c = 0; c < CHANNELS; ++c)
        to[x * CHANNELS + c] = (centres[x * CHANNELS + c]{{ " - origin - mean" if remove_mean else "" }}) * scale;
    }
{% else %}
    barrier(CLK_LOCAL_MEM_FENCE);
    const int packets = wide * (CHANNELS / LANES);
    for (int y = 0; y < high; ++y)
      RTCG_UNROLL(4) for (int packet = me; packet < packets; packet += GROUP) {
        const int at = y * TILE_X + packet / (CHANNELS / LANES);
        const float scale = window_scales[at];
{% if remove_mean %}
        const float mean = window_means[at];
{% endif %}
        const index_t source = y * columns * CHANNELS + packet * LANES, target = y * out_columns * CHANNELS + packet * LANES;
{% if lanes == 4 %}
        const float4 v = *(global const float4*)(centres + source);
{% if remove_mean %}
        *(global float4*)(to + target) = make_float4((v.x - origin - mean) * scale, (v.y - origin - mean) * scale, (v.z - origin - mean) * scale,
                                                         (v.w - origin - mean) * scale);
{% else %}
        *(global float4*)(to + target) = make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale);
{% endif %}
{% else %}
        to[target] = (centres[source]{{ " - origin - mean" if remove_mean else "" }}) * scale;
{% endif %}
      }
{% endif %}
  }
}
