// For every (tile, pulse): the range from the pulse's antenna expanded about the tile's centre, in double, stored as
// the floats that backproject_tiles.cl reads. With A = antenna - centre, R = |A|, n = A / R, s = n.e, q = |e|^2:
//   |A - e| - R = -s + (q - s^2) / (2 R) + s (q - s^2) / (2 R^2) + ...     FORM 2 and 3 keep two and three terms,
//               = (q - 2 A.e) / (|A - e| + R)                             FORM 0 is exact.
// All ranges are in radians of carrier phase (times K = 4 pi f / c). The constant term is the phase of the centre from
// the middle of its range cell; the cell's index goes to bases, clamped to where the guard is all zero.

typedef struct { double x0, y0, z0, dx, dy, dz; int tiles_x, tiles_y, first_x, first_y; } tile_lattice;

// pulse[first + p] = {antenna x, y, z, r0, K, 1 / bin spacing}
kernel void tile_parameters(global const double* pulse, global const float* tile_heights, tile_lattice lattice,
                            int first_tile, int tiles, int first, int pulses, int pulse_stride, global float4* parameters, global int* bases) {
  const size_t id = get_global_id(0);
  const int p = (int)(id % pulse_stride);
  const size_t t = id / pulse_stride;
  if (t >= (size_t)tiles) return;
  global float4* out = parameters + id * PARAMETER_QUADS;
  if (p >= pulses) {  // pads the last stage: reads the zeros before the first bin
    for (int quad = 0; quad < PARAMETER_QUADS; ++quad) out[quad] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    bases[id] = -WINDOW / 2;
    return;
  }
  const int tile = first_tile + (int)t;
  const int tx = tile % lattice.tiles_x + lattice.first_x, ty = tile / lattice.tiles_x % lattice.tiles_y + lattice.first_y;
  const int tz = tile / (lattice.tiles_x * lattice.tiles_y);
  const double cx = lattice.x0 + (tx * TILE_X + 0.5 * (TILE_X - 1)) * lattice.dx;
  const double cy = lattice.y0 + (ty * TILE_Y + 0.5 * (TILE_Y - 1)) * lattice.dy;
  double cz = lattice.z0 + tz * lattice.dz;
#if HEIGHTS
  cz += (double)tile_heights[tile];
#endif
  global const double* own = pulse + 6 * (size_t)(first + p);
  const double ax = own[0] - cx, ay = own[1] - cy, az = own[2] - cz, k = own[4];
  const double range = sqrt(ax * ax + ay * ay + az * az);
  const double bin = (range - own[3]) * own[5] + 0.5 * NFFT;
  const double step_phase = k / own[5];
  const double lowest = -WINDOW / 2, highest = NFFT - 1 + WINDOW / 2;
  const double cell = floor(bin);
  const float start = (float)(step_phase * (bin - cell - 0.5));
  bases[id] = (int)fmin(fmax(cell, lowest), highest);
  // Coefficients are given along the lanes and along the runs of backproject_tiles.cl.
  const double lane = LANES_ALONG_Y ? ay : ax, run = LANES_ALONG_Y ? ax : ay;
#if FORM == 0
  out[0] = make_float4(start, (float)lane, (float)run, (float)az);
  out[1] = make_float4((float)range, (float)k, (float)step_phase, (float)(1 / step_phase));
#if TAPS
  const double turn = step_phase * (cell + 0.5 - 0.5 * NFFT) * 0.15915494309189535;
  out[2] = make_float4((float)(turn - rint(turn)), 0.0f, 0.0f, 0.0f);
#endif
#else
  const double n = lane / range, m = run / range, h = 0.5 * k / range;
  out[0] = make_float4(start, (float)(-k * n), (float)(-k * m), (float)(h * (1 - n * n)));
  out[1] = make_float4((float)(-2 * h * n * m), (float)(h * (1 - m * m)), (float)step_phase, (float)(1 / step_phase));
#if FORM == 3
  const double g = h / range;
  out[2] = make_float4((float)(g * n * (1 - n * n)), (float)(g * m * (1 - 3 * n * n)), (float)(g * n * (1 - 3 * m * m)),
                       (float)(g * m * (1 - m * m)));
#endif
#endif
}
