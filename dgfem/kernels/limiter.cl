// Means of elements, then the limiter, an element per work-item. In front of this text stand the system's functions,
// NODES, FACES, ORIENTATIONS, GAMMA. Fields are density, momentum, energy.
#define VERTICES (DG_DIMENSION + 1)
#define TO_VERTICES NODES
#define HIGHEST (TO_VERTICES + VERTICES * NODES)
#define LINEAR_AT_NODES (HIGHEST + NODES * NODES)
#define MIDDLES (LINEAR_AT_NODES + NODES * VERTICES)
// Of the mean: what density and pressure may fall to within an element.
#define FLOOR ((real)1e-3)

static inline real pressure(const real* q) {
  real squares = 0;
  for (int d = 1; d <= DG_DIMENSION; ++d) squares += q[d] * q[d];
  return (GAMMA - 1) * (q[DG_FIELDS - 1] - (real)0.5 * squares / q[0]);
}

kernel void dg_means(global const real* restrict q, global const real* restrict operators, global real* restrict means,
                     int elements) {
  for (int e = (int)get_global_id(0); e < elements; e += (int)get_global_size(0)) {
    real sum[DG_FIELDS];
    for (int f = 0; f < DG_FIELDS; ++f) sum[f] = 0;
    for (int n = 0; n < NODES; ++n)
      for (int f = 0; f < DG_FIELDS; ++f) sum[f] += operators[n] * q[((long)e * NODES + n) * DG_FIELDS + f];
    for (int f = 0; f < DG_FIELDS; ++f) means[(long)e * DG_FIELDS + f] = sum[f];
  }
}

kernel void dg_limit(global real* restrict q, global const real* restrict means, global const real* restrict operators,
                     global const int* restrict link, global const real* restrict faces,
                     global const real* restrict vertices, global const uchar* restrict region,
                     global const real* restrict materials, real t, real threshold, int elements) {
  for (int e = (int)get_global_id(0); e < elements; e += (int)get_global_size(0)) {
    const long base = (long)e * NODES * DG_FIELDS;
    real mean[DG_FIELDS], state[DG_FIELDS];
    for (int f = 0; f < DG_FIELDS; ++f) mean[f] = means[(long)e * DG_FIELDS + f];

    int troubled = 0;
    for (int n = 0; n < NODES; ++n) {
      real part = 0;
      for (int m = 0; m < NODES; ++m) part += operators[HIGHEST + n * NODES + m] * q[base + m * DG_FIELDS];
      for (int f = 0; f < DG_FIELDS; ++f) state[f] = q[base + n * DG_FIELDS + f];
      if (!(fabs(part) <= threshold * mean[0]) || !(state[0] > 0) || !(pressure(state) > 0)) troubled = 1;
    }
    if (troubled) {
      real low[DG_FIELDS], high[DG_FIELDS], corner[VERTICES];
      for (int f = 0; f < DG_FIELDS; ++f) low[f] = high[f] = mean[f];
      for (int face = 0; face < FACES; ++face) {
        const int code = link[e * FACES + face];
        if (code >= 0) {
          const long neighbour = code / (FACES * ORIENTATIONS);
          for (int f = 0; f < DG_FIELDS; ++f) state[f] = means[neighbour * DG_FIELDS + f];
        } else {
          real normal[DG_DIMENSION], x[3] = {0, 0, 0}, material[DG_MATERIALS > 0 ? DG_MATERIALS : 1];
          for (int d = 0; d < DG_DIMENSION; ++d) {
            normal[d] = faces[(e * FACES + face) * (DG_DIMENSION + 1) + d];
            for (int v = 0; v < VERTICES; ++v)
              x[d] += operators[MIDDLES + face * VERTICES + v] * vertices[((long)e * VERTICES + v) * DG_DIMENSION + d];
          }
          for (int i = 0; i < DG_MATERIALS; ++i) material[i] = materials[region[e] * DG_MATERIALS + i];
          dg_boundary(-1 - code, mean, normal, x, t, material, state);
        }
        for (int f = 0; f < DG_FIELDS; ++f) {
          low[f] = fmin(low[f], state[f]);
          high[f] = fmax(high[f], state[f]);
        }
      }
      for (int f = 0; f < DG_FIELDS; ++f) {
        for (int v = 0; v < VERTICES; ++v) {
          real value = 0;
          for (int n = 0; n < NODES; ++n)
            value += operators[TO_VERTICES + v * NODES + n] * q[base + n * DG_FIELDS + f];
          corner[v] = value - mean[f];
        }
        real share = 1;
        for (int face = 0; face < FACES; ++face) {
          real rise = 0;
          for (int v = 0; v < VERTICES; ++v) rise += operators[MIDDLES + face * VERTICES + v] * corner[v];
          const real room = rise > 0 ? high[f] - mean[f] : mean[f] - low[f];
          if (fabs(rise) > room) share = fmin(share, room / fabs(rise));
        }
        for (int n = 0; n < NODES; ++n) {
          real value = 0;
          for (int v = 0; v < VERTICES; ++v) value += operators[LINEAR_AT_NODES + n * VERTICES + v] * corner[v];
          q[base + n * DG_FIELDS + f] = mean[f] + share * value;
        }
      }
    }

    // Without a positive mean nothing helps: the run stops where the speed of sound is asked for.
    const real mean_pressure = pressure(mean);
    if (!(mean[0] > 0 && mean_pressure > 0)) continue;
    real scale = 1, more = 1;
    for (int n = 0; n < NODES; ++n) {
      const real rho = q[base + n * DG_FIELDS];
      if (rho < FLOOR * mean[0]) scale = fmin(scale, (1 - FLOOR) * mean[0] / (mean[0] - rho));
    }
    for (int n = 0; n < NODES; ++n) {
      for (int f = 0; f < DG_FIELDS; ++f) state[f] = mean[f] + scale * (q[base + n * DG_FIELDS + f] - mean[f]);
      const real p = pressure(state);  // concave in the state
      if (p < FLOOR * mean_pressure) more = fmin(more, (1 - FLOOR) * mean_pressure / (mean_pressure - p));
    }
    scale *= more;
    if (scale < 1)
      for (int n = 0; n < NODES; ++n)
        for (int f = 0; f < DG_FIELDS; ++f) {
          const long at = base + n * DG_FIELDS + f;
          q[at] = mean[f] + scale * (q[at] - mean[f]);
        }
  }
}
