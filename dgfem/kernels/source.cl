// What a source adds to a stage at the nodes of its elements: field_function() as source_rate stands in front.
kernel void dg_source_term(global real* restrict q_new, global real* restrict residual,
                           global const double* restrict places, global const int* restrict elements, double b,
                           double dt, double t, int count) {
  for (long i = (long)get_global_id(0); i < (long)count * NODES; i += (long)get_global_size(0)) {
    const int k = (int)(i / NODES), n = (int)(i - (long)k * NODES);
    double x[3], rate[FIELDS];
    for (int d = 0; d < 3; ++d) x[d] = places[i * 3 + d];
    source_rate(x, t, rate);
    for (int f = 0; f < FIELDS; ++f) {
      const long at = ((long)elements[k] * NODES + n) * FIELDS + f;
      residual[at] += (state_real)(dt * rate[f]);
      q_new[at] += (state_real)(b * dt * rate[f]);
    }
  }
}
