// A fused stage on straight elements in double precision on tensor cores. Fields are the left operand, operators the
// right one: a row of 16 is the pair of fields 2j and 2j + 1 of 8 elements, a column one of 8 nodes. So lane l, which
// owns rows l / 4 and l / 4 + 8 and columns 2 (l % 4) and the next one of every product, ends with all fields of two
// nodes of one element, derivatives along every axis, and everything from the metric to the new state happens in
// registers. Products of 16 rows (m16n8k4) run at twice the rate of m8n8k4 on sm_90.
//
// The elements of a block lie in shared memory STRIDE words apart, for which what lanes read at once lies in different
// banks: first their fields, then their neighbours' traces, whose place fluxes take. The derivatives are taken while
// the traces arrive. Before this text stand `real`, the system's functions and NODES, NODES_PADDED (to 4), FACE_NODES,
// TRACES_PADDED (to 4), FACES, ORIENTATIONS, ONE_REGION, GROUPS (of 8 elements in a block), GROUP_WARPS, RESIDENT
// (blocks of a multiprocessor), BLOCKS (of 8 nodes), DEPTH (steps that derivatives are fetched ahead), METRIC_SHARED
// (0: leaves room for one block more).
#define ELEMENTS (8 * GROUPS)
#define THREADS (32 * GROUPS * GROUP_WARPS)
#define TILES ((BLOCKS + GROUP_WARPS - 1) / GROUP_WARPS)  // blocks of nodes of one warp
#define TRACES (FACES * FACE_NODES)
#define PIECE (DG_FIELDS % 2 == 0 ? 2 : 1)  // words that move at once: consecutive lanes take consecutive pieces
#define RECORD (DG_FIELDS / PIECE)
#define FACE_WORDS (FACES * (DG_DIMENSION + 1))
#define METRIC_WORDS (DG_DIMENSION * DG_DIMENSION)
#define TRACES_AT (NODES_PADDED * DG_FIELDS)
#define STAGE_PARAMETERS                                                                                    \
  const real *__restrict__ q, real *__restrict__ q_new, real *__restrict__ residual,                        \
      const real *__restrict__ derivative, const real *__restrict__ lift, const real *__restrict__ metric,  \
      const real *__restrict__ faces, const int *__restrict__ link, const ushort *__restrict__ face_nodes,  \
      const ushort *__restrict__ neighbour_nodes, const uchar *__restrict__ region,                         \
      const uchar *__restrict__ neighbour_region, const real *__restrict__ materials,                       \
      const real *__restrict__ vertices, const real *__restrict__ weights, real a, real b, real dt, real t, \
      int first_element, int end_element

#if ONE_REGION
#define MATERIAL_OF(name, index) const real* name = nullptr
#else
#define MATERIAL_OF(name, index)                                                                     \
  real name[DG_MATERIALS];                                                                           \
  _Pragma("unroll") for (int material_ = 0; material_ < DG_MATERIALS; ++material_) name[material_] = \
      materials[(index)*DG_MATERIALS + material_]
#endif

struct __align__(PIECE * sizeof(real)) Piece {
  real v[PIECE];
};
struct __align__(16) Vector {
  real v[16 / sizeof(real)];
};

/// Past the first cache, which is left to the operators.
__device__ __forceinline__ void copy_async_once(void* shared, const void* global) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(shared)),
               "l"(global)
               : "memory");
}
template <int bytes>
__device__ __forceinline__ void copy_async(void* shared, const void* global) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(shared)),
               "l"(global), "n"(bytes)
               : "memory");
}
__device__ __forceinline__ void copies_issued() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int pending>
__device__ __forceinline__ void copies_done() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}

/// Elements past the last are read as the last and never written.
__device__ __forceinline__ int clamped(int e, int end_element) {
  return min(e, end_element - 1);
}

__device__ __forceinline__ void load_elements(const real* q, real* own, int base, int end_element) {
  for (int i = threadIdx.x; i < ELEMENTS * NODES * RECORD; i += THREADS) {
    const int k = i / (NODES * RECORD), piece = i - k * (NODES * RECORD);
    copy_async_once(own + k * STRIDE + piece * PIECE,
                    q + (size_t)clamped(base + k, end_element) * (NODES * DG_FIELDS) + piece * PIECE);
  }
}

/// Zeros behind each element's `reals`, up to `padded`: products read them.
template <int reals, int padded>
__device__ __forceinline__ void clear_padding(real* values) {
  constexpr int padding = padded - reals;
  if (padding > 0)
    for (int i = threadIdx.x; i < ELEMENTS * padding; i += THREADS) {
      const int k = i / max(padding, 1);
      values[k * STRIDE + reals + i - k * padding] = 0;
    }
}

__device__ __forceinline__ void load_geometry(const real* metric, const real* faces, const int* link, real* metrics,
                                              real* face_values, int* links, int base, int end_element) {
  for (int i = threadIdx.x; i < ELEMENTS * FACE_WORDS; i += THREADS) {
    const int k = i / FACE_WORDS;
    copy_async<sizeof(real)>(face_values + i,
                             faces + (size_t)clamped(base + k, end_element) * FACE_WORDS + (i - k * FACE_WORDS));
  }
  for (int i = threadIdx.x; i < (METRIC_SHARED ? ELEMENTS * METRIC_WORDS : 0); i += THREADS) {
    const int k = i / METRIC_WORDS;
    copy_async<sizeof(real)>(metrics + i,
                             metric + (size_t)clamped(base + k, end_element) * METRIC_WORDS + (i - k * METRIC_WORDS));
  }
  for (int i = threadIdx.x; i < ELEMENTS * FACES; i += THREADS)
    copy_async<4>(links + i, link + (size_t)clamped(base + i / FACES, end_element) * FACES + i % FACES);
}

/// The first 8 FACES lanes of each warp hold the links of 8 elements.
__device__ __forceinline__ void read_codes(int (&codes)[GROUPS], const int* link, int base, int end_element) {
  const int lane = min((int)threadIdx.x & 31, 8 * FACES - 1);
#pragma unroll
  for (int group = 0; group < GROUPS; ++group)
    codes[group] = link[min((base + group * 8) * FACES + lane, end_element * FACES - 1)];
}

/// The neighbours' traces in the order of the own face nodes; at a boundary nothing. A warp takes whole faces.
__device__ __forceinline__ void load_traces(const real* q, real* traces, const int (&codes)[GROUPS],
                                            const ushort* neighbour_nodes) {
  constexpr int pieces = FACE_NODES * RECORD, at_once = pieces < 32 ? 32 / pieces : 1;
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int part = at_once > 1 ? lane / pieces : 0, first = lane - part * pieces;
#pragma unroll
  for (int group = 0; group < GROUPS; ++group) {
    for (int face = warp * at_once; face < 8 * FACES; face += THREADS / 32 * at_once) {
      const int j = face + part;
      const int code = __shfl_sync(0xffffffffu, codes[group], j & 31);
      if (code < 0 || part >= at_once || j >= 8 * FACES) continue;
      const int other = code / (FACES * ORIENTATIONS), row = code - other * (FACES * ORIENTATIONS), k = j / FACES;
      const real* from = q + (size_t)other * (NODES * DG_FIELDS);
      real* to = traces + (group * 8 + k) * STRIDE + (j - k * FACES) * (FACE_NODES * DG_FIELDS);
#pragma unroll
      for (int round = 0; round < (pieces + 31) / 32; ++round) {
        const int at = first + 32 * round, item = at / RECORD;
        if (at < pieces)
          copy_async<PIECE * sizeof(real)>(
              to + at * PIECE,
              from + neighbour_nodes[row * FACE_NODES + item] * DG_FIELDS + (at - item * RECORD) * PIECE);
      }
    }
  }
}

/// What the lift takes, in place of the neighbours' traces.
__device__ __forceinline__ void traces_to_fluxes(const real* own, real* traces, const real* face_values,
                                                 const int* links, const ushort* face_nodes, const uchar* region,
                                                 const uchar* neighbour_region, const real* materials,
                                                 const real* vertices, const real* weights, real t, int base,
                                                 int end_element) {
  for (int i = threadIdx.x; i < ELEMENTS * TRACES; i += THREADS) {
    const int k = i / TRACES, item = i - k * TRACES, face = item / FACE_NODES, e = clamped(base + k, end_element);
    const int node = face_nodes[item], code = links[k * FACES + face], condition = code < 0 ? -1 - code : -1;
    real in[DG_FIELDS], out[DG_FIELDS], place[DG_DIMENSION + 1], add[DG_FIELDS];
    const Piece* here = (const Piece*)(own + k * STRIDE + node * DG_FIELDS);
    Piece* there = (Piece*)(traces + k * STRIDE + item * DG_FIELDS);
#pragma unroll
    for (int piece = 0; piece < RECORD; ++piece)
#pragma unroll
      for (int v = 0; v < PIECE; ++v)
        in[piece * PIECE + v] = here[piece].v[v], out[piece * PIECE + v] = there[piece].v[v];
#pragma unroll
    for (int d = 0; d <= DG_DIMENSION; ++d) place[d] = face_values[(k * FACES + face) * (DG_DIMENSION + 1) + d];
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

__device__ __forceinline__ void multiply(double* c, const Piece& a, double b) {
#if __CUDA_ARCH__ >= 900
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
               : "d"(a.v[0]), "d"(a.v[1]), "d"(b));
#else
#pragma unroll
  for (int half = 0; half < 2; ++half)
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(c[2 * half]), "+d"(c[2 * half + 1])
                 : "d"(a.v[half]), "d"(b));
#endif
}

/// c[matrix][pair] += operators of one block of nodes times fields. Operators are fetched DEPTH steps ahead.
template <int matrices, int tiles, int steps, int depth>
__device__ __forceinline__ void add_product(double (*c)[PAIRS][4], const real* fields, const real* operators,
                                            int tile_stride) {
  real ahead[depth][tiles][matrices];
#pragma unroll
  for (int d = 0; d < depth; ++d)
#pragma unroll
    for (int x = 0; x < tiles; ++x)
#pragma unroll
      for (int r = 0; r < matrices; ++r)
        if (d < steps) ahead[d][x][r] = __ldg(operators + x * tile_stride + (d * matrices + r) * 32);
  const auto step = [&](int k, int d, bool more) {
    real now[tiles][matrices];
#pragma unroll
    for (int x = 0; x < tiles; ++x)
#pragma unroll
      for (int r = 0; r < matrices; ++r) {
        now[x][r] = ahead[d][x][r];
        if (more) ahead[d][x][r] = __ldg(operators + x * tile_stride + ((k + depth) * matrices + r) * 32);
      }
#pragma unroll
    for (int j = 0; j < PAIRS; ++j) {
      const Piece field = *(const Piece*)(fields + k * (4 * DG_FIELDS) + 2 * j);
#pragma unroll
      for (int x = 0; x < tiles; ++x)
#pragma unroll
        for (int r = 0; r < matrices; ++r) multiply(c[x * matrices + r][j], field, now[x][r]);
    }
  };
  constexpr int rounds = steps > depth ? (steps - depth) / depth : 0;
#pragma unroll 1
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int d = 0; d < depth; ++d) step(round * depth + d, d, true);
#pragma unroll
  for (int k = rounds * depth; k < steps; ++k) step(k, (k - rounds * depth) % depth, k + depth < steps);
}

__device__ __forceinline__ Piece read_once(const real* from) {
  const double2 values = __ldcs((const double2*)from);
  return {values.x, values.y};
}
__device__ __forceinline__ void write_once(real* to, const Piece& piece) {
  __stcs((double2*)to, make_double2(piece.v[0], piece.v[1]));
}

/// The state's part of one warp: a lane's two nodes are 2 PAIRS consecutive pieces, and lanes of a pair take turns with
/// each other's pieces, so that both write the same 32 bytes.
__device__ __forceinline__ void update(double (*rate)[4], const real* own, real* residual, real* q_new, int block,
                                       real a, real b, real dt, bool is_there) {
  const int lane = threadIdx.x & 31;
  const bool odd = lane & 1;
  const int start = (block * 8 + 2 * (lane & 2)) * DG_FIELDS;
  Piece part[2][PAIRS];
#pragma unroll
  for (int i = 0; i < PAIRS; ++i) {
    Piece even_piece, odd_piece;
#pragma unroll
    for (int v = 0; v < 2; ++v) {
      even_piece.v[v] = rate[2 * i % PAIRS][2 * v + 2 * i / PAIRS];
      odd_piece.v[v] = rate[(2 * i + 1) % PAIRS][2 * v + (2 * i + 1) / PAIRS];
    }
#pragma unroll
    for (int v = 0; v < 2; ++v) {
      const real got = __shfl_xor_sync(0xffffffffu, odd ? even_piece.v[v] : odd_piece.v[v], 1);
      part[0][i].v[v] = odd ? got : even_piece.v[v];
      part[1][i].v[v] = odd ? odd_piece.v[v] : got;
    }
  }
  if (!is_there) return;
  Piece before[2][PAIRS];
  const int at = start + 2 * odd;
#pragma unroll
  for (int h = 0; h < 2; ++h)
#pragma unroll
    for (int i = 0; i < PAIRS; ++i) {
      const int word = at + h * 2 * DG_FIELDS + 4 * i;
      before[h][i].v[0] = before[h][i].v[1] = 0;
      if (a != 0 && word < NODES * DG_FIELDS) before[h][i] = read_once(residual + word);
    }
#pragma unroll
  for (int h = 0; h < 2; ++h)
#pragma unroll
    for (int i = 0; i < PAIRS; ++i) {
      const int word = at + h * 2 * DG_FIELDS + 4 * i;
      if (word >= NODES * DG_FIELDS) continue;
      Piece next = *(const Piece*)(own + word), change;
#pragma unroll
      for (int v = 0; v < 2; ++v) {
        change.v[v] = a * before[h][i].v[v] + dt * part[h][i].v[v];
        next.v[v] += b * change.v[v];
      }
      write_once(residual + word, change);
      write_once(q_new + word, next);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, RESIDENT) dg_stage_tensor(STAGE_PARAMETERS) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  real* const own = (real*)shared_bytes;
  real* const traces = own + TRACES_AT;
  real* const face_values = own + ELEMENTS * STRIDE;
  real* const metrics = face_values + ELEMENTS * FACE_WORDS;
  int* const links = (int*)(metrics + (METRIC_SHARED ? ELEMENTS * METRIC_WORDS : 0));
  const int base = first_element + blockIdx.x * ELEMENTS;
  int codes[GROUPS];
  read_codes(codes, link, base, end_element);
  clear_padding<NODES * DG_FIELDS, NODES_PADDED * DG_FIELDS>(own);
  clear_padding<TRACES * DG_FIELDS, TRACES_PADDED * DG_FIELDS>(traces);
  load_elements(q, own, base, end_element);
  load_geometry(metric, faces, link, metrics, face_values, links, base, end_element);
  copies_issued();
#if __CUDA_ARCH__ >= 900
  if (threadIdx.x == 0 && a != 0)
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(residual + (size_t)base * (NODES * DG_FIELDS)),
                 "r"(min(ELEMENTS, end_element - base) * (NODES * DG_FIELDS * (int)sizeof(real)))
                 : "memory");
#endif
  load_traces(q, traces, codes, neighbour_nodes);
  copies_issued();

  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, group = warp / GROUP_WARPS;
  const int first_block = (warp - group * GROUP_WARPS) * TILES, k = group * 8 + (lane >> 2), node = 2 * (lane & 3);
  const int element = clamped(base + k, end_element);
  const real* const mine = own + k * STRIDE;
  copies_done<1>();
  __syncthreads();
  double rate[TILES][PAIRS][4];
#pragma unroll
  for (int x = 0; x < TILES; ++x) {
    const int block = first_block + x;
    if (block >= BLOCKS) {
#pragma unroll
      for (int i = 0; i < PAIRS * 4; ++i) rate[x][i / 4][i % 4] = 0;
      continue;
    }
    double along[DG_DIMENSION][PAIRS][4];
#pragma unroll
    for (int i = 0; i < DG_DIMENSION * PAIRS * 4; ++i) along[i / (4 * PAIRS)][i / 4 % PAIRS][i % 4] = 0;
    add_product<DG_DIMENSION, 1, STEPS, DEPTH>(along, mine + (lane & 3) * DG_FIELDS,
                                               derivative + (size_t)block * (STEPS * DG_DIMENSION * 32) + lane, 0);
    real dr[METRIC_WORDS];
#pragma unroll
    for (int i = 0; i < METRIC_WORDS; ++i)
      dr[i] = METRIC_SHARED ? metrics[k * METRIC_WORDS + i] : metric[(size_t)element * METRIC_WORDS + i];
    MATERIAL_OF(material, region[element]);
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      real derivatives[DG_DIMENSION * DG_FIELDS], sum[DG_FIELDS];
#pragma unroll
      for (int i = 0; i < DG_DIMENSION * DG_FIELDS; ++i)
        derivatives[i] = along[i / DG_FIELDS][i % DG_FIELDS / 2][i % 2 * 2 + h];
      rate_of(derivatives, dr, material, sum);
#if DG_HAS_SOURCE
      dg_source(mine + min(block * 8 + node + h, NODES - 1) * DG_FIELDS, material, sum);
#endif
#pragma unroll
      for (int f = 0; f < DG_FIELDS; ++f) rate[x][f / 2][f % 2 * 2 + h] = sum[f];
    }
  }

  copies_done<0>();
  __syncthreads();
  traces_to_fluxes(own, traces, face_values, links, face_nodes, region, neighbour_region, materials, vertices, weights,
                   t, base, end_element);
  __syncthreads();
  {
    const real* fluxes = traces + k * STRIDE + (lane & 3) * DG_FIELDS;
    const real* factors = lift + (size_t)first_block * (TRACE_STEPS * 32) + lane;
    if (TILES > 1 && first_block + TILES > BLOCKS)
      add_product<1, TILES - (TILES > 1), TRACE_STEPS, 4>(rate, fluxes, factors, TRACE_STEPS * 32);
    else
      add_product<1, TILES, TRACE_STEPS, 4>(rate, fluxes, factors, TRACE_STEPS * 32);
  }
#pragma unroll
  for (int x = 0; x < TILES; ++x)
    if (first_block + x < BLOCKS) {
      const size_t at = (size_t)element * (NODES * DG_FIELDS);
      update(rate[x], mine, residual + at, q_new + at, first_block + x, a, b, dt, base + k < end_element);
    }
}
