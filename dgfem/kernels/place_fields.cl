// Fields from formulas at every node, worked out in double: field_function() as place_values stands in front.
kernel void dg_place_fields(global state_real* restrict q, global const double* restrict vertices,
                            global const double* restrict weights, global const double* restrict curved_nodes,
                            double t, int straight, int elements) {
  for (long i = (long)get_global_id(0); i < (long)elements * NODES; i += (long)get_global_size(0)) {
    const int e = (int)(i / NODES), n = (int)(i - (long)e * NODES);
    double x[3] = {0, 0, 0}, values[DG_FIELDS];
    if (e < straight) {
      for (int v = 0; v <= DG_DIMENSION; ++v)
        for (int d = 0; d < 3; ++d)
          x[d] += weights[n * (DG_DIMENSION + 1) + v] * vertices[((long)e * (DG_DIMENSION + 1) + v) * 3 + d];
    } else {
      for (int d = 0; d < 3; ++d) x[d] = curved_nodes[((long)(e - straight) * NODES + n) * 3 + d];
    }
    place_values(x, t, values);
    for (int f = 0; f < DG_FIELDS; ++f) q[i * DG_FIELDS + f] = (state_real)values[f];
  }
}
