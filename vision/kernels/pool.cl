// Sums of powers over windows, one item for LANES neighbouring channels of ROWS outputs below each other: their windows
// overlap, so a row of the window is raised and added up once for all of them. On a CPU an item takes a chunk of that.
typedef {{ index_type }} index_t;
#define LANES {{ lanes }}
#define ROWS {{ rows }}
#define CHANNELS {{ channels }}
#define HEIGHT {{ height }}
#define WIDTH {{ width }}
#define STRIDE_Y {{ stride_y }}
#define STRIDE_X {{ stride_x }}

inline float raised(float x) { return {{ power }}; }
inline float root(float x) { return {{ root }}; }

inline void load_lanes(global const float* from, float* v) {
{% if vector %}
  const float4 loaded = *(global const float4*)from;
  v[0] = loaded.x, v[1] = loaded.y, v[2] = loaded.z, v[3] = loaded.w;
{% else %}
  RTCG_UNROLL(LANES) for (int l = 0; l < LANES; ++l) v[l] = from[l];
{% endif %}
}

{% if scaled %}
// The norm of one window in units of its maximum; a NaN stays one.
inline float scaled_norm(global const float* from, const index_t pitch) {
  float most = 0;
  for (int j = 0; j < HEIGHT; ++j)
    for (int i = 0; i < WIDTH; ++i) {
      const float x = fabs(from[j * pitch + i * CHANNELS]);
      most = x > most || x != x ? x : most;
    }
  if (!(most > 0 && most < INFINITY)) return most;
  float sum = 0;
  for (int j = 0; j < HEIGHT; ++j)
    for (int i = 0; i < WIDTH; ++i) sum += raised(from[j * pitch + i * CHANNELS] / most);
  return most * root(sum);
}
{% endif %}

inline void pool_task(const index_t task, global const float* images, global float* result, const index_t rows,
                      const index_t columns, const index_t out_rows, const index_t out_columns) {
  const index_t blocks = (out_rows + ROWS - 1) / ROWS;
  const index_t channel = task % (CHANNELS / LANES) * LANES, place = task / (CHANNELS / LANES);
  const index_t x = place % out_columns, block = place / out_columns % blocks, image = place / out_columns / blocks;
  const index_t pitch = columns * CHANNELS, first = block * ROWS;
  global const float* from = images + (image * rows + first * STRIDE_Y) * pitch + x * STRIDE_X * CHANNELS + channel;
  const int used = (int)min((index_t)ROWS, out_rows - first);
  float sums[ROWS][LANES];
  RTCG_UNROLL(ROWS) for (int r = 0; r < ROWS; ++r)
    RTCG_UNROLL(LANES) for (int l = 0; l < LANES; ++l) sums[r][l] = 0;
  const int last = (used - 1) * STRIDE_Y + HEIGHT;
  for (int j = 0; j < last; ++j) {
    float row[LANES];
    RTCG_UNROLL(LANES) for (int l = 0; l < LANES; ++l) row[l] = 0;
    RTCG_UNROLL({{ unroll }}) for (int i = 0; i < WIDTH; ++i) {
      float v[LANES];
      load_lanes(from + j * pitch + i * CHANNELS, v);
      RTCG_UNROLL(LANES) for (int l = 0; l < LANES; ++l) row[l] += raised(v[l]);
    }
    RTCG_UNROLL(ROWS) for (int r = 0; r < ROWS; ++r) {
      const int within = j - r * STRIDE_Y;
      if (within >= 0 && within < HEIGHT)
        RTCG_UNROLL(LANES) for (int l = 0; l < LANES; ++l) sums[r][l] += row[l];
    }
  }
  global float* to = result + ((image * out_rows + first) * out_columns + x) * CHANNELS + channel;
  RTCG_UNROLL(ROWS) for (int r = 0; r < ROWS; ++r) {
    if (r < used) {
      global float* place_of = to + r * out_columns * CHANNELS;
      float norms[LANES];
      RTCG_UNROLL(LANES) for (int l = 0; l < LANES; ++l) norms[l] = root(sums[r][l]);
{% if vector %}
      *(global float4*)place_of = make_float4(norms[0], norms[1], norms[2], norms[3]);
{% else %}
      RTCG_UNROLL(LANES) for (int l = 0; l < LANES; ++l) place_of[l] = norms[l];
{% endif %}
{% if scaled %}
      // Few windows, if any. The sums stay out of this loop, or they could not stay in registers.
      uint unsafe = 0;
      RTCG_UNROLL(LANES) for (int l = 0; l < LANES; ++l)
        unsafe |= (sums[r][l] > 1e-25f && sums[r][l] < INFINITY ? 0u : 1u) << l;
      for (int l = 0; unsafe != 0; ++l, unsafe >>= 1)
        if (unsafe & 1) place_of[l] = scaled_norm(from + r * STRIDE_Y * pitch + l, pitch);
{% endif %}
    }
  }
}

kernel void pool(global const float* restrict images, global float* restrict result, const index_t offset,
                 const index_t tasks, const index_t rows, const index_t columns, const index_t out_rows,
                 const index_t out_columns) {
{% if cpu %}
  const index_t items = get_num_groups(0), item = get_group_id(0), share = (tasks + items - 1) / items;
  const index_t end = min(tasks, (item + 1) * share);
  for (index_t task = item * share; task < end; ++task)
    pool_task(task, images + offset, result, rows, columns, out_rows, out_columns);
{% else %}
  const index_t task = (index_t)get_group_id(0) * {{ group }} + (uint)get_local_id(0);
  if (task < tasks) pool_task(task, images + offset, result, rows, columns, out_rows, out_columns);
{% endif %}
}
