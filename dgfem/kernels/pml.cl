// What an absorbing layer adds to a stage, field by field at its nodes. Before this text stand `real`, NODES, FIELDS and
// AXES, the axis along which each field points.
__constant int axis_of[FIELDS] = {AXES};

kernel void dg_pml(global const real* restrict q, global real* restrict q_new, global real* restrict residual,
                   global real* restrict auxiliary, global real* restrict auxiliary_residual,
                   global const real* restrict rates, global const int* restrict elements, real a, real b, real dt,
                   int count) {
  for (long i = (long)get_global_id(0); i < (long)count * NODES * FIELDS; i += (long)get_global_size(0)) {
    const long node = i / FIELDS;
    const int field = (int)(i - node * FIELDS), k = (int)(node / NODES), n = (int)(node - (long)k * NODES);
    const long at = ((long)elements[k] * NODES + n) * FIELDS + field;
    const int axis = axis_of[field];
    const real own = rates[node * 3 + axis], second = rates[node * 3 + (axis + 1) % 3],
               third = rates[node * 3 + (axis + 2) % 3];
    const real state = q[at], kept = auxiliary[i];
    const real added = dt * (-(second + third - own) * state - kept);
    residual[at] += added;
    q_new[at] += b * added;
    real change = dt * ((own - second) * (own - third) * state - own * kept);
    if (a != 0) change += a * auxiliary_residual[i];
    auxiliary_residual[i] = change;
    auxiliary[i] = kept + b * change;
  }
}
