// One Runge-Kutta stage on straight elements, or a part of one: every work-group owns ELEMENTS elements. Behind this
// text stands system_functions(); before it `real` and
//   NODES, PADDED (to a multiple of LANES), FACE_NODES, FACES, ORIENTATIONS, ELEMENTS, THREADS, LANES (nodes an item
//   computes at once: vectors on a CPU), ONE_REGION, VOLUME, SURFACE, UPDATE (which parts of the stage).
// With VOLUME, SURFACE and UPDATE it is the fused stage. Else rates go through q_new: VOLUME writes them, SURFACE adds.
#define TRACES (FACES * FACE_NODES)
#define BLOCKS (PADDED / LANES)
#if THREADS > 1
#define MEET barrier(CLK_LOCAL_MEM_FENCE)
#define FIRST (int)get_local_id(0)
#define SHARED local
#define SHARED_POINTER LOCAL_POINTER
#else
#define MEET
#define FIRST 0
#define SHARED
#define SHARED_POINTER
#endif

#if ONE_REGION
#define MATERIAL_OF(name, index) const real* name = 0
#else
#define MATERIAL_OF(name, index)                                                  \
  real name[DG_MATERIALS];                                                        \
  for (int material_ = 0; material_ < DG_MATERIALS; ++material_)                  \
  name[material_] = materials[(index)*DG_MATERIALS + material_]
#endif

// What a face node adds: the penalty times the face's scale.
inline void face_node(const SHARED_POINTER real* restrict own, int e, int item, int in_node, global const real* restrict q,
                      global const real* restrict faces, global const int* restrict link,
                      global const ushort* restrict neighbour_nodes, global const uchar* restrict region,
                      global const uchar* restrict neighbour_region, global const real* restrict materials,
                      global const real* restrict vertices, global const real* restrict weights, real t,
                      SHARED_POINTER real* restrict lifted) {
  const int face = item / FACE_NODES, node = item - face * FACE_NODES;
  const int code = link[e * FACES + face];
  const int condition = code < 0 ? -1 - code : -1;
  global const real* face_values = faces + (size_t)(e * FACES + face) * (DG_DIMENSION + 1);
  real in[DG_FIELDS], out[DG_FIELDS], normal[DG_DIMENSION], add[DG_FIELDS];
  for (int d = 0; d < DG_DIMENSION; ++d) normal[d] = face_values[d];
  const real scale = face_values[DG_DIMENSION];
  for (int f = 0; f < DG_FIELDS; ++f) in[f] = own[in_node * DG_FIELDS + f];
  MATERIAL_OF(material_in, region[e]);
  MATERIAL_OF(material_out, neighbour_region[e * FACES + face]);
  if (code >= 0) {
    const int other_face = code / ORIENTATIONS, other = other_face / FACES;
    const int row = (other_face - other * FACES) * ORIENTATIONS + (code - other_face * ORIENTATIONS);
    global const real* there = q + ((size_t)other * NODES + neighbour_nodes[row * FACE_NODES + node]) * DG_FIELDS;
    for (int f = 0; f < DG_FIELDS; ++f) out[f] = there[f];
  } else {
    real x[3] = {0, 0, 0};
#if DG_BOUNDARY_USES_PLACE
    for (int v = 0; v <= DG_DIMENSION; ++v)
      for (int d = 0; d < DG_DIMENSION; ++d)
        x[d] += weights[in_node * (DG_DIMENSION + 1) + v] * vertices[((size_t)e * (DG_DIMENSION + 1) + v) * DG_DIMENSION + d];
#endif
    dg_boundary(condition, in, normal, x, t, material_in, out);
  }
  dg_penalty(condition, in, out, normal, material_in, material_out, add);
  for (int f = 0; f < DG_FIELDS; ++f) lifted[item * DG_FIELDS + f] = scale * add[f];
}

kernel RTCG_GROUP_SIZE(THREADS, 1, 1) void dg_stage(
    global const real* restrict q, global real* restrict q_new, global real* restrict residual,
    global const real* restrict derivative, global const real* restrict lift, global const real* restrict metric,
    global const real* restrict faces, global const int* restrict link, global const ushort* restrict face_nodes,
    global const ushort* restrict neighbour_nodes, global const uchar* restrict region,
    global const uchar* restrict neighbour_region, global const real* restrict materials,
    global const real* restrict vertices, global const real* restrict weights, real a, real b, real dt, real t,
    int first_element, int end_element) {
  const int base = first_element + (int)get_group_id(0) * ELEMENTS;
  const int count = min(ELEMENTS, end_element - base);
  SHARED real own[ELEMENTS * NODES * DG_FIELDS];
#if SURFACE
  SHARED real lifted[ELEMENTS * TRACES * DG_FIELDS];
#endif
#if VOLUME && !DG_LINEAR
  SHARED real flux[ELEMENTS * DG_DIMENSION * NODES * DG_FIELDS];
#endif
  for (int i = FIRST; i < count * NODES * DG_FIELDS; i += THREADS)
    own[i] = q[(size_t)base * (NODES * DG_FIELDS) + i];
  MEET;
#if SURFACE
  for (int i = FIRST; i < count * TRACES; i += THREADS) {
    const int k = i / TRACES, item = i - k * TRACES;
    face_node(own + k * (NODES * DG_FIELDS), base + k, item, face_nodes[item], q, faces, link, neighbour_nodes, region,
              neighbour_region, materials, vertices, weights, t, lifted + k * (TRACES * DG_FIELDS));
  }
#endif
#if VOLUME && !DG_LINEAR
  // Fluxes along the reference coordinates: dr_i/dx_d F_d.
  for (int i = FIRST; i < count * NODES; i += THREADS) {
    const int k = i / NODES, n = i - k * NODES, e = base + k;
    real here[DG_FIELDS], along[DG_DIMENSION * DG_FIELDS];
    for (int f = 0; f < DG_FIELDS; ++f) here[f] = own[i * DG_FIELDS + f];
    MATERIAL_OF(material, region[e]);
    dg_flux(here, material, along);
    for (int r = 0; r < DG_DIMENSION; ++r)
      for (int f = 0; f < DG_FIELDS; ++f) {
        real sum = 0;
        for (int d = 0; d < DG_DIMENSION; ++d)
          sum += metric[(size_t)e * (DG_DIMENSION * DG_DIMENSION) + r * DG_DIMENSION + d] * along[d * DG_FIELDS + f];
        flux[((k * DG_DIMENSION + r) * NODES + n) * DG_FIELDS + f] = sum;
      }
  }
#endif
  MEET;
  for (int i = FIRST; i < count * BLOCKS; i += THREADS) {
    const int k = i / BLOCKS, start = (i - k * BLOCKS) * LANES, e = base + k;
    const SHARED_POINTER real* here = own + k * (NODES * DG_FIELDS);
    real rate[DG_FIELDS * LANES];
    for (int j = 0; j < DG_FIELDS * LANES; ++j) rate[j] = 0;
#if VOLUME && DG_LINEAR
    {
      real along[DG_DIMENSION * DG_FIELDS * LANES];
      for (int j = 0; j < DG_DIMENSION * DG_FIELDS * LANES; ++j) along[j] = 0;
      for (int r = 0; r < DG_DIMENSION; ++r) {
        RTCG_UNROLL(1)
        for (int m = 0; m < NODES; ++m) {
          global const real* row = derivative + (size_t)(r * NODES + m) * PADDED + start;
          for (int f = 0; f < DG_FIELDS; ++f) {
            const real value = here[m * DG_FIELDS + f];
            for (int l = 0; l < LANES; ++l) along[(r * DG_FIELDS + f) * LANES + l] += row[l] * value;
          }
        }
      }
      real dr[DG_DIMENSION * DG_DIMENSION];
      for (int j = 0; j < DG_DIMENSION * DG_DIMENSION; ++j)
        dr[j] = metric[(size_t)e * (DG_DIMENSION * DG_DIMENSION) + j];
      MATERIAL_OF(material, region[e]);
      for (int l = 0; l < LANES; ++l) {
        real gradient[DG_DIMENSION * DG_FIELDS], one[DG_FIELDS];
        for (int d = 0; d < DG_DIMENSION; ++d)
          for (int f = 0; f < DG_FIELDS; ++f) {
            real sum = 0;
            for (int r = 0; r < DG_DIMENSION; ++r)
              sum += dr[r * DG_DIMENSION + d] * along[(r * DG_FIELDS + f) * LANES + l];
            gradient[d * DG_FIELDS + f] = sum;
          }
        dg_volume(gradient, material, one);
        for (int f = 0; f < DG_FIELDS; ++f) rate[f * LANES + l] = one[f];
      }
    }
#elif VOLUME
    for (int r = 0; r < DG_DIMENSION; ++r) {
      const SHARED_POINTER real* along = flux + (k * DG_DIMENSION + r) * (NODES * DG_FIELDS);
      RTCG_UNROLL(1)
      for (int m = 0; m < NODES; ++m) {
        global const real* row = derivative + (size_t)(r * NODES + m) * PADDED + start;
        for (int f = 0; f < DG_FIELDS; ++f) {
          const real value = along[m * DG_FIELDS + f];
          for (int l = 0; l < LANES; ++l) rate[f * LANES + l] -= row[l] * value;
        }
      }
    }
#endif
#if VOLUME && DG_HAS_SOURCE
    {
      MATERIAL_OF(material, region[e]);
      for (int l = 0; l < LANES && start + l < NODES; ++l) {
        real state[DG_FIELDS], one[DG_FIELDS];
        for (int f = 0; f < DG_FIELDS; ++f)
          state[f] = here[(start + l) * DG_FIELDS + f], one[f] = rate[f * LANES + l];
        dg_source(state, material, one);
        for (int f = 0; f < DG_FIELDS; ++f) rate[f * LANES + l] = one[f];
      }
    }
#endif
#if SURFACE
    {
      const SHARED_POINTER real* add = lifted + k * (TRACES * DG_FIELDS);
      RTCG_UNROLL(1)
      for (int m = 0; m < TRACES; ++m) {
        global const real* row = lift + (size_t)m * PADDED + start;
        for (int f = 0; f < DG_FIELDS; ++f) {
          const real value = add[m * DG_FIELDS + f];
          for (int l = 0; l < LANES; ++l) rate[f * LANES + l] += row[l] * value;
        }
      }
    }
#endif
    for (int l = 0; l < LANES && start + l < NODES; ++l) {
      const size_t at = ((size_t)e * NODES + start + l) * DG_FIELDS;
      for (int f = 0; f < DG_FIELDS; ++f) {
#if UPDATE
        real change = dt * rate[f * LANES + l];
        if (a != 0) change += a * residual[at + f];
        residual[at + f] = change;
        q_new[at + f] = here[(start + l) * DG_FIELDS + f] + b * change;
#elif VOLUME
        q_new[at + f] = rate[f * LANES + l];
#else
        q_new[at + f] += rate[f * LANES + l];
#endif
      }
    }
  }
}

// The rest of a split stage: q_new holds the rate on entry.
kernel void dg_update(global const real* restrict q, global real* restrict q_new, global real* restrict residual,
                      real a, real b, real dt, long first, long end) {
  for (long i = first + (long)get_global_id(0); i < end; i += (long)get_global_size(0)) {
    real change = dt * q_new[i];
    if (a != 0) change += a * residual[i];
    residual[i] = change;
    q_new[i] = q[i] + b * change;
  }
}
