// The stage on curved elements in five sweeps over points or nodes; what one leaves for the next lies in scratch memory.
// In front stand `real`, the system's functions and NODES, FACE_NODES, FACES, ORIENTATIONS, ONE_REGION, POINTS and
// FACE_POINTS (of integration). Curved elements count from 0 here; `straight` more in the mesh's arrays.
#define FIELDS DG_FIELDS
#define DIM DG_DIMENSION
#define ITEM(count) (long)get_global_id(0); i < (long)(count); i += (long)get_global_size(0)
#if ONE_REGION
#define MATERIAL_OF(name, index) const real* name = 0
#else
#define MATERIAL_OF(name, index)                                                  \
  real name[DG_MATERIALS];                                                        \
  for (int material_ = 0; material_ < DG_MATERIALS; ++material_)                  \
  name[material_] = materials[(index)*DG_MATERIALS + material_]
#endif

// Fluxes at volume points along the reference coordinates times J, [element][i][point][field]; sources times J after.
kernel void dg_curved_fluxes(global const real* restrict q, global const real* restrict to_points,
                             global const real* restrict factors, global const uchar* restrict region,
                             global const real* restrict materials, global real* restrict fluxes, int first, int count,
                             int straight) {
  for (long i = ITEM(count * POINTS)) {
    const int k = (int)(i / POINTS), point = (int)(i - (long)k * POINTS), e = straight + first + k;
    real here[FIELDS], along[DIM * FIELDS];
    for (int f = 0; f < FIELDS; ++f) here[f] = 0;
    for (int n = 0; n < NODES; ++n)
      for (int f = 0; f < FIELDS; ++f) here[f] += to_points[n * POINTS + point] * q[((long)e * NODES + n) * FIELDS + f];
    MATERIAL_OF(material, region[e]);
    dg_flux(here, material, along);
    global const real* factor = factors + ((long)(first + k) * POINTS + point) * (DIM * DIM + 1);
    for (int r = 0; r < DIM; ++r)
      for (int f = 0; f < FIELDS; ++f) {
        real sum = 0;
        for (int d = 0; d < DIM; ++d) sum += factor[r * DIM + d] * along[d * FIELDS + f];
        fluxes[(((long)k * (DIM + DG_HAS_SOURCE) + r) * POINTS + point) * FIELDS + f] = sum;
      }
#if DG_HAS_SOURCE
    real rate[FIELDS];
    for (int f = 0; f < FIELDS; ++f) rate[f] = 0;
    dg_source(here, material, rate);
    for (int f = 0; f < FIELDS; ++f)
      fluxes[(((long)k * (DIM + 1) + DIM) * POINTS + point) * FIELDS + f] = rate[f] / factor[DIM * DIM];
#endif
  }
}

// What flows out at face points, times the face's Jacobian: [element][face][point][field].
kernel void dg_curved_faces(global const real* restrict q, global const real* restrict to_face_points,
                            global const real* restrict face_factors, global const real* restrict places,
                            global const int* restrict link, global const ushort* restrict face_nodes,
                            global const ushort* restrict neighbour_nodes, global const uchar* restrict region,
                            global const uchar* restrict neighbour_region, global const real* restrict materials,
                            global real* restrict outflow, real t, int first, int count, int straight) {
  for (long i = ITEM(count * FACES * FACE_POINTS)) {
    const int k = (int)(i / (FACES * FACE_POINTS)), rest = (int)(i - (long)k * (FACES * FACE_POINTS));
    const int face = rest / FACE_POINTS, point = rest - face * FACE_POINTS, e = straight + first + k;
    const int code = link[e * FACES + face], condition = code < 0 ? -1 - code : -1;
    const int other_face = code < 0 ? 0 : code / ORIENTATIONS, other = other_face / FACES;
    const int row = code < 0 ? 0 : (other_face - other * FACES) * ORIENTATIONS + (code - other_face * ORIENTATIONS);
    real in[FIELDS], out[FIELDS], normal[DIM], along[DIM * FIELDS], lifted[FIELDS];
    for (int f = 0; f < FIELDS; ++f) in[f] = out[f] = 0;
    for (int m = 0; m < FACE_NODES; ++m) {
      const real weight = to_face_points[m * FACE_POINTS + point];
      global const real* own = q + ((long)e * NODES + face_nodes[face * FACE_NODES + m]) * FIELDS;
      for (int f = 0; f < FIELDS; ++f) in[f] += weight * own[f];
      if (code >= 0) {
        global const real* there = q + ((long)other * NODES + neighbour_nodes[row * FACE_NODES + m]) * FIELDS;
        for (int f = 0; f < FIELDS; ++f) out[f] += weight * there[f];
      }
    }
    const long at = ((long)(first + k) * FACES + face) * FACE_POINTS + point;
    for (int d = 0; d < DIM; ++d) normal[d] = face_factors[at * (DIM + 1) + d];
    const real jacobian = face_factors[at * (DIM + 1) + DIM];
    MATERIAL_OF(material_in, region[e]);
    MATERIAL_OF(material_out, neighbour_region[e * FACES + face]);
    if (code < 0) {
      real x[3] = {0, 0, 0};
#if DG_BOUNDARY_USES_PLACE
      for (int d = 0; d < 3; ++d) x[d] = places[at * 3 + d];
#endif
      dg_boundary(condition, in, normal, x, t, material_in, out);
    }
    dg_penalty(condition, in, out, normal, material_in, material_out, lifted);
    dg_flux(in, material_in, along);
    for (int f = 0; f < FIELDS; ++f) {
      real through = -lifted[f];
      for (int d = 0; d < DIM; ++d) through += normal[d] * along[d * FIELDS + f];
      outflow[(((long)k * FACES + face) * FACE_POINTS + point) * FIELDS + f] = jacobian * through;
    }
  }
}

// M^-1 of the weak form, M that of the reference element: [element][node][field].
kernel void dg_curved_weak(global const real* restrict fluxes, global const real* restrict outflow,
                           global const real* restrict weak, global const real* restrict face_lift,
                           global real* restrict result, int count) {
  for (long i = ITEM(count * NODES)) {
    const int k = (int)(i / NODES), n = (int)(i - (long)k * NODES);
    real sum[FIELDS];
    for (int f = 0; f < FIELDS; ++f) sum[f] = 0;
    for (int p = 0; p < (DIM + DG_HAS_SOURCE) * POINTS; ++p)
      for (int f = 0; f < FIELDS; ++f)
        sum[f] += weak[p * NODES + n] * fluxes[((long)k * (DIM + DG_HAS_SOURCE) * POINTS + p) * FIELDS + f];
    for (int p = 0; p < FACES * FACE_POINTS; ++p)
      for (int f = 0; f < FIELDS; ++f)
        sum[f] -= face_lift[p * NODES + n] * outflow[((long)k * FACES * FACE_POINTS + p) * FIELDS + f];
    for (int f = 0; f < FIELDS; ++f) result[i * FIELDS + f] = sum[f];
  }
}

// The same at volume points, over J.
kernel void dg_curved_weigh(global const real* restrict result, global const real* restrict to_points,
                            global const real* restrict factors, global real* restrict weighed, int first, int count) {
  for (long i = ITEM(count * POINTS)) {
    const int k = (int)(i / POINTS), point = (int)(i - (long)k * POINTS);
    real sum[FIELDS];
    for (int f = 0; f < FIELDS; ++f) sum[f] = 0;
    for (int n = 0; n < NODES; ++n)
      for (int f = 0; f < FIELDS; ++f) sum[f] += to_points[n * POINTS + point] * result[((long)k * NODES + n) * FIELDS + f];
    const real inverse = factors[((long)(first + k) * POINTS + point) * (DIM * DIM + 1) + DIM * DIM];
    for (int f = 0; f < FIELDS; ++f) weighed[i * FIELDS + f] = inverse * sum[f];
  }
}

kernel void dg_curved_update(global const real* restrict weighed, global const real* restrict projection,
                             global const real* restrict q, global real* restrict q_new,
                             global real* restrict residual, real a, real b, real dt, int first, int count,
                             int straight) {
  for (long i = ITEM(count * NODES)) {
    const int k = (int)(i / NODES), n = (int)(i - (long)k * NODES);
    real rate[FIELDS];
    for (int f = 0; f < FIELDS; ++f) rate[f] = 0;
    for (int p = 0; p < POINTS; ++p)
      for (int f = 0; f < FIELDS; ++f) rate[f] += projection[p * NODES + n] * weighed[((long)k * POINTS + p) * FIELDS + f];
    const long at = ((long)(straight + first + k) * NODES + n) * FIELDS;
    for (int f = 0; f < FIELDS; ++f) {
      real change = dt * rate[f];
      if (a != 0) change += a * residual[at + f];
      residual[at + f] = change;
      q_new[at + f] = q[at + f] + b * change;
    }
  }
}
