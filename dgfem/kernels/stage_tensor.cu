// A fused stage on straight elements in double precision on tensor cores. Operator rows come in blocks of 8 nodes,
// fields in columns: lane group c = lane % 4 owns columns 2c and 2c + 1 of every product, which are given to fields 2j
// and 2j + 1 of element c. So a lane ends with all fields of one node of one element, derivatives along every axis,
// and everything from the metric to the new state happens in registers.
//
// Row blocks go through the tensor cores in pairs (m16n8k4: twice the rate of m8n8k4 on sm_90): two derivatives of one
// block of nodes, or the same operator of two.
//
// The elements of a block lie in shared memory one after the other, Q_STRIDE words apart, the traces of their
// neighbours beside them, F_STRIDE apart, and fluxes take the traces' place: strides for which what lanes read at once
// lies in different banks. Before this text stand `real`, the system's functions and NODES, NODES_PADDED (to 4),
// FACE_NODES, TRACES_PADDED (to 4), FACES, ORIENTATIONS, ONE_REGION, ELEMENTS, THREADS, RESIDENT (blocks of a
// multiprocessor), BLOCKS (of 8 rows), ROW_BLOCKS and QUADS (of one warp's product), UNROLL.
#define TRACES (FACES * FACE_NODES)
#define PIECE (DG_FIELDS % 2 == 0 ? 2 : 1)  // words that move at once: consecutive lanes take consecutive pieces
#define RECORD (DG_FIELDS / PIECE)
#define STAGE_PARAMETERS                                                                                               \
  const real *__restrict__ q, real *__restrict__ q_new, real *__restrict__ residual,                                   \
      const real *__restrict__ derivative, const real *__restrict__ lift, const real *__restrict__ metric,             \
      const real *__restrict__ faces, const int *__restrict__ link, const ushort *__restrict__ face_nodes,             \
      const ushort *__restrict__ neighbour_nodes, const uchar *__restrict__ region,                                    \
      const uchar *__restrict__ neighbour_region, const real *__restrict__ materials,                                  \
      const real *__restrict__ vertices, const real *__restrict__ weights, real a, real b, real dt, real t,            \
      int first_element, int end_element

#if ONE_REGION
#define MATERIAL_OF(name, index) const real* name = nullptr
#else
#define MATERIAL_OF(name, index)    \
  real name[DG_MATERIALS];          \
  _Pragma("unroll") for (int material_ = 0; material_ < DG_MATERIALS; ++material_) name[material_] = \
      materials[(index)*DG_MATERIALS + material_]
#endif

struct __align__(PIECE * sizeof(real)) Piece {
  real v[PIECE];
};
struct __align__(16) Vector {
  real v[16 / sizeof(real)];
};

template <int bytes>
__device__ __forceinline__ void copy_async(void* shared, const void* global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(shared)),
               "l"(global), "n"(bytes)
               : "memory");
}
__device__ __forceinline__ void copies_issued() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int pending>
__device__ __forceinline__ void copies_done() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

/// Elements past the last are read as the last and never written.
__device__ __forceinline__ int clamped(int e, int end_element) { return min(e, end_element - 1); }

__device__ __forceinline__ void load_elements(const real* q, real* own, int base, int end_element) {
  for (int i = threadIdx.x; i < ELEMENTS * NODES * RECORD; i += THREADS) {
    const int k = i / (NODES * RECORD), piece = i - k * (NODES * RECORD);
    copy_async<PIECE * sizeof(real)>(
        own + k * Q_STRIDE + piece * PIECE,
        q + (size_t)clamped(base + k, end_element) * (NODES * DG_FIELDS) + piece * PIECE);
  }
  constexpr int padding = NODES_PADDED - NODES;
  if (padding > 0)
    for (int i = threadIdx.x; i < ELEMENTS * padding * DG_FIELDS; i += THREADS) {
      const int k = i / max(padding * DG_FIELDS, 1);
      own[k * Q_STRIDE + NODES * DG_FIELDS + i - k * padding * DG_FIELDS] = 0;
    }
}

/// The neighbours' traces in the order of the own face nodes; at a boundary the own trace.
__device__ __forceinline__ void load_traces(const real* q, real* traces, const int* link, const ushort* face_nodes,
                                            const ushort* neighbour_nodes, int base, int end_element) {
  for (int i = threadIdx.x; i < ELEMENTS * TRACES * RECORD; i += THREADS) {
    const int k = i / (TRACES * RECORD), at = i - k * (TRACES * RECORD), item = at / RECORD, piece = at - item * RECORD;
    const int face = item / FACE_NODES, e = clamped(base + k, end_element), code = link[e * FACES + face];
    const int other_face = code / ORIENTATIONS, other = code < 0 ? e : other_face / FACES;
    const int row = (other_face - other * FACES) * ORIENTATIONS + (code - other_face * ORIENTATIONS);
    const int node = code < 0 ? face_nodes[item] : neighbour_nodes[row * FACE_NODES + item - face * FACE_NODES];
    copy_async<PIECE * sizeof(real)>(traces + k * F_STRIDE + at * PIECE,
                                     q + ((size_t)other * NODES + node) * DG_FIELDS + piece * PIECE);
  }
  constexpr int padding = TRACES_PADDED - TRACES;
  if (padding > 0)
    for (int i = threadIdx.x; i < ELEMENTS * padding * DG_FIELDS; i += THREADS) {
      const int k = i / max(padding * DG_FIELDS, 1);
      traces[k * F_STRIDE + TRACES * DG_FIELDS + i - k * padding * DG_FIELDS] = 0;
    }
}

/// What the lift takes, in place of the neighbours' traces.
__device__ __forceinline__ void traces_to_fluxes(const real* own, real* traces, const real* faces, const int* link,
                                                 const ushort* face_nodes, const uchar* region,
                                                 const uchar* neighbour_region, const real* materials,
                                                 const real* vertices, const real* weights, real t, int base,
                                                 int end_element) {
  for (int i = threadIdx.x; i < ELEMENTS * TRACES; i += THREADS) {
    const int k = i / TRACES, item = i - k * TRACES, face = item / FACE_NODES, e = clamped(base + k, end_element);
    const int node = face_nodes[item], code = link[e * FACES + face], condition = code < 0 ? -1 - code : -1;
    real in[DG_FIELDS], out[DG_FIELDS], place[DG_DIMENSION + 1], add[DG_FIELDS];
    const Piece* here = (const Piece*)(own + k * Q_STRIDE + node * DG_FIELDS);
    Piece* there = (Piece*)(traces + k * F_STRIDE + item * DG_FIELDS);
#pragma unroll
    for (int piece = 0; piece < RECORD; ++piece)
#pragma unroll
      for (int v = 0; v < PIECE; ++v)
        in[piece * PIECE + v] = here[piece].v[v], out[piece * PIECE + v] = there[piece].v[v];
    const real* face_values = faces + (size_t)(e * FACES + face) * (DG_DIMENSION + 1);
#if DG_DIMENSION == 3
#pragma unroll
    for (int part = 0; part < 4 * sizeof(real) / 16; ++part) {
      const Vector values = ((const Vector*)face_values)[part];
#pragma unroll
      for (int v = 0; v < 16 / sizeof(real); ++v) place[part * (16 / sizeof(real)) + v] = values.v[v];
    }
#else
    for (int d = 0; d <= DG_DIMENSION; ++d) place[d] = face_values[d];
#endif
    MATERIAL_OF(material_in, region[e]);
    MATERIAL_OF(material_out, neighbour_region[e * FACES + face]);
    if (condition >= 0) {
      real x[3] = {0, 0, 0};
#if DG_BOUNDARY_USES_PLACE
      for (int v = 0; v <= DG_DIMENSION; ++v)
        for (int d = 0; d < DG_DIMENSION; ++d)
          x[d] += weights[node * (DG_DIMENSION + 1) + v] *
                  vertices[((size_t)e * (DG_DIMENSION + 1) + v) * DG_DIMENSION + d];
#endif
      dg_boundary(condition, in, place, x, t, material_in, out);
    }
    dg_penalty(condition, in, out, place, material_in, material_out, add);
#pragma unroll
    for (int piece = 0; piece < RECORD; ++piece) {
      Piece moved;
#pragma unroll
      for (int v = 0; v < PIECE; ++v) moved.v[v] = place[DG_DIMENSION] * add[piece * PIECE + v];
      there[piece] = moved;
    }
  }
}

/// rate = - sum_d A_d dq/dx_d from derivatives along the reference coordinates, [i][field].
__device__ __forceinline__ void rate_of(const real* along, const real* dr, const real* material, real* rate) {
  real gradient[DG_DIMENSION * DG_FIELDS];
#pragma unroll
  for (int d = 0; d < DG_DIMENSION; ++d)
#pragma unroll
    for (int f = 0; f < DG_FIELDS; ++f) {
      real sum = 0;
#pragma unroll
      for (int r = 0; r < DG_DIMENSION; ++r) sum += dr[r * DG_DIMENSION + d] * along[r * DG_FIELDS + f];
      gradient[d * DG_FIELDS + f] = sum;
    }
  dg_volume(gradient, material, rate);
}
#define PAIRS (DG_FIELDS / 2)
#define STEPS (NODES_PADDED / 4)
#define TRACE_STEPS (TRACES_PADDED / 4)
#define ITEMS (BLOCKS / ROW_BLOCKS * (ELEMENTS / 4 / QUADS))

__device__ __forceinline__ void multiply(double* c, double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a), "d"(b));
}
__device__ __forceinline__ void multiply_pair(double* c, double* c2, double a, double a2, double b) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c2[0]), "+d"(c2[1])
               : "d"(a), "d"(a2), "d"(b));
#else
  multiply(c, a, b);
  multiply(c2, a2, b);
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) dg_stage_tensor(STAGE_PARAMETERS) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  real* own = (real*)shared_bytes;
  real* traces = own + ELEMENTS * Q_STRIDE;
  const int base = first_element + blockIdx.x * ELEMENTS;
  load_elements(q, own, base, end_element);
  load_traces(q, traces, link, face_nodes, neighbour_nodes, base, end_element);
  copies_issued();
  copies_done<0>();
  __syncthreads();
  traces_to_fluxes(own, traces, faces, link, face_nodes, region, neighbour_region, materials, vertices, weights, t, base,
                   end_element);
  __syncthreads();

  const int lane = threadIdx.x & 31, row = lane >> 2, column = lane & 3;
  for (int item = threadIdx.x >> 5; item < ITEMS; item += THREADS / 32) {
    const int block = item % (BLOCKS / ROW_BLOCKS) * ROW_BLOCKS, quad = item / (BLOCKS / ROW_BLOCKS) * QUADS;
    real rate[ROW_BLOCKS][QUADS][DG_FIELDS];
    {
      real along[ROW_BLOCKS][QUADS][DG_DIMENSION * DG_FIELDS];
#pragma unroll
      for (int x = 0; x < ROW_BLOCKS; ++x)
#pragma unroll
        for (int y = 0; y < QUADS; ++y)
#pragma unroll
          for (int i = 0; i < DG_DIMENSION * DG_FIELDS; ++i) along[x][y][i] = 0;
      const real* mine = own + (quad * 4 + (row >> 1)) * Q_STRIDE + column * DG_FIELDS + (row & 1);
      const real* factors = derivative + (size_t)block * (STEPS * DG_DIMENSION * 32) + lane;
      RTCG_UNROLL(UNROLL)
      for (int k = 0; k < STEPS; ++k) {
        real left[ROW_BLOCKS][DG_DIMENSION], right[QUADS][PAIRS];
#pragma unroll
        for (int x = 0; x < ROW_BLOCKS; ++x)
#pragma unroll
          for (int r = 0; r < DG_DIMENSION; ++r)
            left[x][r] = __ldg(factors + ((x * STEPS + k) * DG_DIMENSION + r) * 32);
#pragma unroll
        for (int y = 0; y < QUADS; ++y)
#pragma unroll
          for (int j = 0; j < PAIRS; ++j) right[y][j] = mine[y * 4 * Q_STRIDE + k * 4 * DG_FIELDS + 2 * j];
#pragma unroll
        for (int y = 0; y < QUADS; ++y)
#pragma unroll
          for (int j = 0; j < PAIRS; ++j) {
#pragma unroll
            for (int x = 0; x < ROW_BLOCKS; ++x)
              multiply_pair(along[x][y] + 2 * j, along[x][y] + DG_FIELDS + 2 * j, left[x][0], left[x][1], right[y][j]);
#if DG_DIMENSION == 3 && ROW_BLOCKS == 2
            multiply_pair(along[0][y] + 2 * DG_FIELDS + 2 * j, along[1][y] + 2 * DG_FIELDS + 2 * j, left[0][2],
                          left[1][2], right[y][j]);
#elif DG_DIMENSION == 3
            multiply(along[0][y] + 2 * DG_FIELDS + 2 * j, left[0][2], right[y][j]);
#endif
          }
      }
#pragma unroll
      for (int y = 0; y < QUADS; ++y) {
        const int k = (quad + y) * 4 + column, e = clamped(base + k, end_element);
        real dr[DG_DIMENSION * DG_DIMENSION];
#pragma unroll
        for (int i = 0; i < DG_DIMENSION * DG_DIMENSION; ++i)
          dr[i] = metric[(size_t)e * (DG_DIMENSION * DG_DIMENSION) + i];
        MATERIAL_OF(material, region[e]);
#pragma unroll
        for (int x = 0; x < ROW_BLOCKS; ++x) {
          rate_of(along[x][y], dr, material, rate[x][y]);
#if DG_HAS_SOURCE
          dg_source(own + k * Q_STRIDE + min((block + x) * 8 + row, NODES - 1) * DG_FIELDS, material, rate[x][y]);
#endif
        }
      }
    }
    {
      const real* fluxes = traces + (quad * 4 + (row >> 1)) * F_STRIDE + column * DG_FIELDS + (row & 1);
      const real* factors = lift + (size_t)block * (TRACE_STEPS * 32) + lane;
      RTCG_UNROLL(UNROLL)
      for (int k = 0; k < TRACE_STEPS; ++k) {
        real left[ROW_BLOCKS], right[QUADS][PAIRS];
#pragma unroll
        for (int x = 0; x < ROW_BLOCKS; ++x) left[x] = __ldg(factors + (x * TRACE_STEPS + k) * 32);
#pragma unroll
        for (int y = 0; y < QUADS; ++y)
#pragma unroll
          for (int j = 0; j < PAIRS; ++j) right[y][j] = fluxes[y * 4 * F_STRIDE + k * 4 * DG_FIELDS + 2 * j];
#pragma unroll
        for (int y = 0; y < QUADS; ++y)
#pragma unroll
          for (int j = 0; j < PAIRS; ++j)
#if ROW_BLOCKS == 2
            multiply_pair(rate[0][y] + 2 * j, rate[1][y] + 2 * j, left[0], left[1], right[y][j]);
#else
            multiply(rate[0][y] + 2 * j, left[0], right[y][j]);
#endif
      }
    }
#pragma unroll
    for (int x = 0; x < ROW_BLOCKS; ++x) {
      const int node = (block + x) * 8 + row;
      if (node >= NODES) continue;
#pragma unroll
      for (int y = 0; y < QUADS; ++y) {
        const int k = (quad + y) * 4 + column;
        if (base + k >= end_element) continue;
        const size_t at = ((size_t)(base + k) * NODES + node) * DG_FIELDS;
        const Piece* state = (const Piece*)(own + k * Q_STRIDE + node * DG_FIELDS);
#pragma unroll
        for (int j = 0; j < PAIRS; ++j) {
          Piece change, next = state[j];
          if (a != 0) change = ((const Piece*)(residual + at))[j];
#pragma unroll
          for (int v = 0; v < 2; ++v) {
            change.v[v] = a != 0 ? a * change.v[v] + dt * rate[x][y][2 * j + v] : dt * rate[x][y][2 * j + v];
            next.v[v] += b * change.v[v];
          }
          ((Piece*)(residual + at))[j] = change;
          ((Piece*)(q_new + at))[j] = next;
        }
      }
    }
  }
}
