// Fields at a few points: each the sum of its element's nodal values times the point's row, in double.
kernel void dg_sample_points(global const state_real* restrict q, global const int* restrict element,
                             global const double* restrict rows, global double* restrict values, int points) {
  for (long i = (long)get_global_id(0); i < (long)points * DG_FIELDS; i += (long)get_global_size(0)) {
    const long p = i / DG_FIELDS, f = i - p * DG_FIELDS;
    global const state_real* own = q + (long)element[p] * NODES * DG_FIELDS + f;
    double value = 0;
    for (int n = 0; n < NODES; ++n) value += rows[p * NODES + n] * (double)own[n * DG_FIELDS];
    values[i] = value;
  }
}
