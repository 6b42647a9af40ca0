// The path others are measured against: everything in double, straight from the definition, one work-item per pixel.
// Pixels are stored tile by tile, as in backproject_tiles.cl.

typedef struct { double x0, y0, z0, dx, dy, dz; int tiles_x, tiles_y, first_x, first_y; } tile_lattice;

// pulse[first + p] = {antenna x, y, z, r0, K, 1 / bin spacing}; profile[p][NFFT]
kernel void backproject_reference(global const double2* profile, global const double* pulse, global const double2* sinc_weights,
                                  global const float* heights, tile_lattice lattice, global double2* image, ulong pixels,
                                  int first, int pulses) {
  const ulong id = get_global_id(0);
  if (id >= pixels) return;
  const int within = (int)(id % (TILE_X * TILE_Y));
  const int tile = (int)(id / (TILE_X * TILE_Y));
  const int lane = within % LANE_EXTENT, line = within / LANE_EXTENT;
  const int i = (tile % lattice.tiles_x + lattice.first_x) * TILE_X + (LANES_ALONG_Y ? line : lane);
  const int j = (tile / lattice.tiles_x % lattice.tiles_y + lattice.first_y) * TILE_Y + (LANES_ALONG_Y ? lane : line);
  const int k = tile / (lattice.tiles_x * lattice.tiles_y);
  const double x = lattice.x0 + i * lattice.dx, y = lattice.y0 + j * lattice.dy;
  double z = lattice.z0 + k * lattice.dz;
#if HEIGHTS
  z += (double)heights[id];
#endif
  double re = image[id].x, im = image[id].y;
  for (int p = 0; p < pulses; ++p) {
    global const double* own = pulse + 6 * (size_t)(first + p);
    const double ax = own[0] - x, ay = own[1] - y, az = own[2] - z;
    const double difference = sqrt(ax * ax + ay * ay + az * az) - own[3];
    const double bin = difference * own[5] + 0.5 * NFFT;
    const double cell = floor(bin);
    if (!(cell >= 0.0 && cell + 1.0 < NFFT)) continue;
    const double f = bin - cell;
    const int c = (int)cell;
    global const double2* row = profile + (size_t)p * NFFT;
    double sr = 0.0, si = 0.0;
#if TAPS == 0
    const double2 a = row[c], b = row[c + 1];
    sr = a.x + f * (b.x - a.x), si = a.y + f * (b.y - a.y);
#else
    const double position = f * SINC_PHASES;
    const int step = (int)position;
    for (int t = 0; t < TAPS; ++t) {
      const int at = c + t - TAPS / 2 + 1;
      if (at < 0 || at >= NFFT) continue;
      const double2 w = sinc_weights[step * TAPS + t];
      const double weight = w.x + (position - step) * w.y;
      sr += weight * row[at].x, si += weight * row[at].y;
    }
#endif
    double sine, cosine;
    rtcg_sincos(own[4] * difference, &sine, &cosine);
    re += sr * cosine - si * sine;
    im += sr * sine + si * cosine;
  }
  image[id] = make_double2(re, im);
}
