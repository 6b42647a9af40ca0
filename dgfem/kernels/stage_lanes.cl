// One Runge-Kutta stage on straight elements, LANES of them in each work-group of one item. Behind this text stands
// system_functions(); before it `real`, `pack` (a vector of LANES reals) and
//   NODES, FACE_NODES, FACES, ORIENTATIONS, ONE_REGION, COLUMNS (of [-D_r, -D_s, .., LIFT]), ROWS, TILES (ROWS of nodes)
// Values of a block are [node][field][lane]; loops over lanes are there to become vector instructions.
#define TRACES (FACES * FACE_NODES)
// Compilers for CPUs leave short loops as they are unless told.
#define FOR_FIELDS RTCG_UNROLL(DG_FIELDS) for (int f = 0; f < DG_FIELDS; ++f)
#define FOR_AXES(d) RTCG_UNROLL(DG_DIMENSION) for (int d = 0; d < DG_DIMENSION; ++d)
#define FOR_LANES for (int l = 0; l < LANES; ++l)
// Copies between rows of elements and lanes: gather and scatter instructions are slower than the loads they stand for.
#define ONE_BY_ONE _Pragma("clang loop vectorize(disable)")
// Kept as a loop until the compiler makes vectors of it.
#define VECTOR_LANES _Pragma("clang loop unroll(disable)") FOR_LANES

#if ONE_REGION
#define MATERIAL_OF(name, table) const real* name = 0
#define GATHER_MATERIAL(table, lane, index)
#else
#define MATERIAL_OF(name, table)   \
  real name[DG_MATERIALS];         \
  RTCG_UNROLL(DG_MATERIALS) for (int k = 0; k < DG_MATERIALS; ++k) name[k] = table[k * LANES + l]
#define GATHER_MATERIAL(table, lane, index) \
  for (int k = 0; k < DG_MATERIALS; ++k) table[k * LANES + (lane)] = materials[(index)*DG_MATERIALS + k]
#endif

kernel RTCG_GROUP_SIZE(1, 1, 1) void dg_stage(
    global const real* restrict q, global real* restrict q_new, global real* restrict residual,
    global const real* restrict operators, global const real* restrict metric, global const real* restrict faces,
    global const int* restrict link, global const ushort* restrict face_nodes,
    global const ushort* restrict neighbour_nodes, global const uchar* restrict region,
    global const uchar* restrict neighbour_region, global const real* restrict materials,
    global const real* restrict vertices, global const real* restrict weights, real a, real b, real dt, real t,
    int first_element, int end_element) {
  const int base = first_element + (int)get_group_id(0) * LANES;
  const int count = min(LANES, end_element - base);
  pack state[NODES * DG_FIELDS], right[COLUMNS * DG_FIELDS], rates[TILES * ROWS * DG_FIELDS];
  real* const own = (real*)state;
  real* const factors = (real*)right;
  int element[LANES];  // the last one again where the block is not full
  FOR_LANES element[l] = base + min(l, count - 1);
  ONE_BY_ONE
  FOR_LANES {
    global const real* from = q + (size_t)element[l] * (NODES * DG_FIELDS);
    ONE_BY_ONE
    for (int i = 0; i < NODES * DG_FIELDS; ++i) own[i * LANES + l] = from[i];
  }
#if !ONE_REGION
  real material_here[DG_MATERIALS * LANES];
  FOR_LANES GATHER_MATERIAL(material_here, l, region[element[l]]);
#endif

  // Fluxes along the reference coordinates: dr_i/dx_d F_d.
  {
    real gradient[DG_DIMENSION * DG_DIMENSION * LANES];
    ONE_BY_ONE
    FOR_LANES for (int j = 0; j < DG_DIMENSION * DG_DIMENSION; ++j)
      gradient[j * LANES + l] = metric[(size_t)element[l] * (DG_DIMENSION * DG_DIMENSION) + j];
    for (int n = 0; n < NODES; ++n)
      VECTOR_LANES {
        real here[DG_FIELDS], along[DG_DIMENSION * DG_FIELDS];
        FOR_FIELDS here[f] = own[(n * DG_FIELDS + f) * LANES + l];
        MATERIAL_OF(material, material_here);
        dg_flux(here, material, along);
        FOR_AXES(r)
          FOR_FIELDS {
            real sum = 0;
            FOR_AXES(d)
              sum += gradient[(r * DG_DIMENSION + d) * LANES + l] * along[d * DG_FIELDS + f];
            factors[((r * NODES + n) * DG_FIELDS + f) * LANES + l] = sum;
          }
      }
  }

  // What face nodes add: the penalty times the face's scale; faces of the boundary one by one.
  for (int face = 0; face < FACES; ++face) {
    real normals[(DG_DIMENSION + 1) * LANES], there[DG_FIELDS * LANES];
#if !ONE_REGION
    real material_there[DG_MATERIALS * LANES];
#endif
    size_t offset[LANES];
    int row[LANES], code[LANES], boundaries = 0;
    ONE_BY_ONE
    FOR_LANES {
      const int side = element[l] * FACES + face;
      code[l] = link[side];
      boundaries += code[l] < 0;
      // At the boundary the element's own nodes stand for the neighbour's until they are done over.
      const int other_face = code[l] < 0 ? side : code[l] / ORIENTATIONS, other = other_face / FACES;
      const int orientation = code[l] < 0 ? 0 : code[l] - other_face * ORIENTATIONS;
      offset[l] = (size_t)other * (NODES * DG_FIELDS);
      row[l] = ((other_face - other * FACES) * ORIENTATIONS + orientation) * FACE_NODES;
      for (int d = 0; d <= DG_DIMENSION; ++d) normals[d * LANES + l] = faces[(size_t)side * (DG_DIMENSION + 1) + d];
      GATHER_MATERIAL(material_there, l, neighbour_region[side]);
    }
    for (int m = 0; m < FACE_NODES; ++m) {
      const int node = face_nodes[face * FACE_NODES + m];
      real* const add = factors + (size_t)((DG_DIMENSION * NODES + face * FACE_NODES + m) * DG_FIELDS) * LANES;
      ONE_BY_ONE
      FOR_LANES {
        global const real* from = q + offset[l] + neighbour_nodes[row[l] + m] * DG_FIELDS;
        FOR_FIELDS there[f * LANES + l] = from[f];
      }
      VECTOR_LANES {
        real in[DG_FIELDS], out[DG_FIELDS], normal[DG_DIMENSION], one[DG_FIELDS];
        FOR_FIELDS
          in[f] = own[(node * DG_FIELDS + f) * LANES + l], out[f] = there[f * LANES + l];
        FOR_AXES(d) normal[d] = normals[d * LANES + l];
        MATERIAL_OF(material_in, material_here);
        MATERIAL_OF(material_out, material_there);
        dg_penalty(-1, in, out, normal, material_in, material_out, one);
        FOR_FIELDS add[f * LANES + l] = normals[DG_DIMENSION * LANES + l] * one[f];
      }
      if (boundaries > 0)
        RTCG_UNROLL(1)
        FOR_LANES {
          if (code[l] >= 0) continue;
          real in[DG_FIELDS], out[DG_FIELDS], normal[DG_DIMENSION], one[DG_FIELDS], x[3] = {0, 0, 0};
          FOR_FIELDS in[f] = own[(node * DG_FIELDS + f) * LANES + l];
          FOR_AXES(d) normal[d] = normals[d * LANES + l];
          MATERIAL_OF(material_in, material_here);
#if DG_BOUNDARY_USES_PLACE
          for (int v = 0; v <= DG_DIMENSION; ++v)
            FOR_AXES(d)
              x[d] += weights[node * (DG_DIMENSION + 1) + v] *
                      vertices[((size_t)element[l] * (DG_DIMENSION + 1) + v) * DG_DIMENSION + d];
#endif
          dg_boundary(-1 - code[l], in, normal, x, t, material_in, out);
          dg_penalty(-1 - code[l], in, out, normal, material_in, material_in, one);
          FOR_FIELDS add[f * LANES + l] = normals[DG_DIMENSION * LANES + l] * one[f];
        }
    }
  }

  for (int tile = 0; tile < TILES; ++tile) {
    global const real* row = operators + (size_t)tile * (COLUMNS * ROWS);
    pack sum[ROWS * DG_FIELDS];
    for (int j = 0; j < ROWS * DG_FIELDS; ++j) sum[j] = 0;
    RTCG_UNROLL(1)
    for (int c = 0; c < COLUMNS; ++c) {
      RTCG_UNROLL(ROWS)
      for (int r = 0; r < ROWS; ++r) {
        FOR_FIELDS
          sum[r * DG_FIELDS + f] = fma((pack)row[c * ROWS + r], right[c * DG_FIELDS + f], sum[r * DG_FIELDS + f]);
      }
    }
    for (int j = 0; j < ROWS * DG_FIELDS; ++j) rates[tile * (ROWS * DG_FIELDS) + j] = sum[j];
  }
  real* const rate = (real*)rates;
#if DG_HAS_SOURCE
  for (int n = 0; n < NODES; ++n)
    VECTOR_LANES {
      real here[DG_FIELDS], one[DG_FIELDS];
      FOR_FIELDS
        here[f] = own[(n * DG_FIELDS + f) * LANES + l], one[f] = rate[(n * DG_FIELDS + f) * LANES + l];
      MATERIAL_OF(material, material_here);
      dg_source(here, material, one);
      FOR_FIELDS rate[(n * DG_FIELDS + f) * LANES + l] = one[f];
    }
#endif
  for (int l = 0; l < count; ++l) {
    const size_t at = (size_t)element[l] * (NODES * DG_FIELDS);
    ONE_BY_ONE
    for (int i = 0; i < NODES * DG_FIELDS; ++i) {
      real change = dt * rate[i * LANES + l];
      if (a != 0) change += a * residual[at + i];
      residual[at + i] = change;
      q_new[at + i] = q[at + i] + b * change;
    }
  }
}
