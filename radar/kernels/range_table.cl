// What the tile kernels read, one row of ROW entries per pulse: NFFT bins between GUARD zeros on both sides, so that a
// pixel outside the swath needs no test. Rows from `pulses` to `rows` are zero: they pad the last stage.
//
// Linear: entry i covers the cell between bins i and i + 1, expanded about its middle and turned by the carrier phase
// there: {mean, difference / step_phase} times exp(i step_phase (i + 1/2 - NFFT / 2)). What remains for the pixel is
// exp(i f) with f its phase from the middle of the cell, |f| <= step_phase / 2.
// Sinc: the samples as they are.
// pulse[first + p] = {antenna x, y, z, r0, K, 1 / bin spacing}, see tile_parameters.cl.

#if TAPS == 0
kernel void range_table(global const float2* profile, global const double* pulse, global float4* table, int first, int pulses, int rows) {
  const size_t id = get_global_id(0);
  const int p = (int)(id / ROW), i = (int)(id % ROW) - GUARD;
  if (p >= rows) return;
  float4 entry = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  if (p < pulses && i >= 0 && i + 1 < NFFT) {
    const float2 a = profile[(size_t)p * NFFT + i], b = profile[(size_t)p * NFFT + i + 1];
    global const double* own = pulse + 6 * (size_t)(first + p);
    const double step_phase = own[4] / own[5];
    const double cycles = step_phase * ((double)i + 0.5 - 0.5 * NFFT) * 0.15915494309189535;
    const float angle = (float)((cycles - rint(cycles)) * 6.283185307179586);
    const float c = cos(angle), s = sin(angle), per_phase = (float)(1.0 / step_phase);
    const float mr = 0.5f * (a.x + b.x), mi = 0.5f * (a.y + b.y), dr = (b.x - a.x) * per_phase, di = (b.y - a.y) * per_phase;
    entry = make_float4(mr * c - mi * s, mr * s + mi * c, dr * c - di * s, dr * s + di * c);
  }
  table[id] = entry;
}
#else
kernel void range_table(global const float2* profile, global const double* pulse, global float2* table, int first, int pulses, int rows) {
  const size_t id = get_global_id(0);
  const int p = (int)(id / ROW), i = (int)(id % ROW) - GUARD;
  if (p >= rows) return;
  float2 entry = make_float2(0.0f, 0.0f);
  if (p < pulses && i >= 0 && i < NFFT) entry = profile[(size_t)p * NFFT + i];
  table[id] = entry;
}
#endif
