// Of each element the largest speed at its nodes over its inradius: measure_function() as speed_at stands in front.
kernel void dg_wave_rate(global const state_real* restrict q, global const uchar* restrict region,
                         global const double* restrict materials, global const double* restrict inverse_radius,
                         global double* restrict rate, int elements) {
  for (int e = (int)get_global_id(0); e < elements; e += (int)get_global_size(0)) {
    double material[DG_MATERIALS], state[DG_FIELDS], x[3] = {0, 0, 0}, largest = 0;
    for (int i = 0; i < DG_MATERIALS; ++i) material[i] = materials[region[e] * DG_MATERIALS + i];
    for (int n = 0; n < NODES; ++n) {
      double speed[1];
      for (int f = 0; f < DG_FIELDS; ++f) state[f] = q[((long)e * NODES + n) * DG_FIELDS + f];
      speed_at(state, x, 0.0, material, speed);
      if (!(largest >= speed[0]) && largest == largest) largest = speed[0];  // NaN stays
    }
    rate[e] = largest * inverse_radius[e];
  }
}
