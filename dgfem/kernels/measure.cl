// Integrals of formulas over each element, and their largest values in it. measure_at(q, x, t, material, values) stands
// in front. A work-group owns an element and its items walk over the points, LANES at once; a group of one item needs
// no barrier. Fields are interpolated and everything is added up in double, in a fixed order.
kernel RTCG_GROUP_SIZE(GROUP, 1, 1) void dg_measure(
    global const state_real* restrict q, global const double* restrict interpolation,
    global const double* restrict weights, global const double* restrict barycentric,
    global const double* restrict vertices, global const double* restrict jacobian,
    global const double* restrict curved, global const uchar* restrict region,
    global const double* restrict materials, double t, int straight, int elements,
    global double* restrict result) {
#if GROUP > 1
  local double partial[QUANTITIES * GROUP];
#endif
  const int e = (int)get_group_id(0), item = (int)get_local_id(0);
  double total[QUANTITIES];
  for (int k = 0; k < QUANTITIES; ++k) total[k] = k < INTEGRALS ? 0.0 : -INFINITY;
  double material[DG_MATERIALS];
  for (int m = 0; m < DG_MATERIALS; ++m) material[m] = materials[region[e] * DG_MATERIALS + m];
  global const state_real* own = q + (long)e * NODES * DG_FIELDS;
  for (int first = item * LANES; first < POINTS; first += GROUP * LANES) {
    double at[DG_FIELDS * LANES];
    for (int i = 0; i < DG_FIELDS * LANES; ++i) at[i] = 0;
    for (int n = 0; n < NODES; ++n)
      for (int f = 0; f < DG_FIELDS; ++f) {
        const double value = own[n * DG_FIELDS + f];
        for (int lane = 0; lane < LANES; ++lane) at[f * LANES + lane] += interpolation[n * POINTS + first + lane] * value;
      }
    for (int lane = 0; lane < LANES; ++lane) {
      const int p = first + lane;
      double fields[DG_FIELDS], values[QUANTITIES], x[3] = {0, 0, 0}, measure;
      for (int f = 0; f < DG_FIELDS; ++f) fields[f] = at[f * LANES + lane];
      if (e < straight) {
        for (int v = 0; v <= DG_DIMENSION; ++v)
          for (int d = 0; d < 3; ++d)
            x[d] += barycentric[v * POINTS + p] * vertices[((long)e * (DG_DIMENSION + 1) + v) * 3 + d];
        measure = weights[p] * jacobian[e];
      } else {
        global const double* there = curved + ((long)(e - straight) * POINTS + p) * 4;
        for (int d = 0; d < 3; ++d) x[d] = there[d];
        measure = weights[p] * there[3];
      }
      measure_at(fields, x, t, material, values);
      for (int k = 0; k < INTEGRALS; ++k)
        if (weights[p] != 0) total[k] += measure * values[k];
      for (int k = INTEGRALS; k < QUANTITIES; ++k)  // NaN stays
        total[k] = values[k] > total[k] || values[k] != values[k] ? values[k] : total[k];
    }
  }
#if GROUP > 1
  for (int k = 0; k < QUANTITIES; ++k) partial[k * GROUP + item] = total[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = item; k < QUANTITIES; k += GROUP) {
    double all = partial[k * GROUP];
    for (int i = 1; i < GROUP; ++i) {
      const double one = partial[k * GROUP + i];
      all = k < INTEGRALS ? all + one : one > all || one != one ? one : all;
    }
    result[(long)k * elements + e] = all;
  }
#else
  for (int k = 0; k < QUANTITIES; ++k) result[(long)k * elements + e] = total[k];
#endif
}
