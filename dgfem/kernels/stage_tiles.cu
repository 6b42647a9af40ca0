// One Runge-Kutta stage on straight elements of a linear system, for NVIDIA GPUs with asynchronous copies. Persistent
// blocks of TEAMS teams of warps; each team owns a tile of ELEMENTS elements at a time and meets at its own barrier, so
// that some teams compute while others wait for memory. Volume and lift are register-blocked products: a thread keeps
// LANES consecutive nodes of one element with all fields. Half a warp is 8 elements x 2 node groups, neighbours in the
// lowest lane bit of the node group, in the next of the element: so both operands' 16-byte loads from shared memory
// merge into two passes. Before this text stand `real`, the system's functions and
//   NODES, FACE_NODES, FACES, ORIENTATIONS, ONE_REGION, LANES, ELEMENTS (a multiple of 8), TEAMS, BLOCKS (a
//   multiprocessor), UNROLL, CHUNK (0: operators stay in shared memory; else they stream through it, CHUNK columns of
//   the derivatives at a time; one team then), SHARED_TRACES (1: neighbours of the same tile are read from it).
#define FIELDS DG_FIELDS
#define DIM DG_DIMENSION
#define ROW_GROUPS ((NODES + LANES - 1) / LANES)
// Rows as operators hold them: each group padded to what one load brings.
#define ROW_WORDS (LANES <= 2 ? LANES : (LANES + 3) / 4 * 4)
#define ROWS (ROW_GROUPS * ROW_WORDS)
#define TRACES (FACES * FACE_NODES)
#define EVEN(n) (((n) + 1) / 2 * 2)
#define COLUMNS EVEN(NODES)
#define LIFT_COLUMNS EVEN(TRACES)
#define TEAM ((ELEMENTS * ROW_GROUPS + 31) / 32 * 32)
#define WARPS (TEAM / 32)
#define THREADS (TEAM * TEAMS)
#define LARGER(x, y) ((x) > (y) ? (x) : (y))
// Strides between elements in shared memory: an odd number of 16-byte words, so that 8 elements lie in different banks.
#define QUAD (16 / (int)sizeof(real))
#define STRIDE(words) (((words) + QUAD - 1) / QUAD / 2 * 2 * QUAD + QUAD)
#if CHUNK
#define OWN_STRIDE STRIDE((COLUMNS + CHUNK - 1) / CHUNK * CHUNK * FIELDS)
#else
#define OWN_STRIDE STRIDE(COLUMNS* FIELDS)
#endif
#define LIFT_STRIDE STRIDE(LARGER(LIFT_COLUMNS, ROW_GROUPS* LANES) * FIELDS)
#define FACE_WORDS (FACES * (DIM + 1))
#define METRIC_WORDS (DIM * DIM)
#define STAGES 2
#define CHUNK_WORDS (CHUNK * DIM * ROWS)
#define VOLUME_CHUNKS ((COLUMNS + CHUNK - 1) / CHUNK)
#define LIFT_CHUNK (CHUNK * DIM)
#define LIFT_CHUNKS ((LIFT_COLUMNS + LIFT_CHUNK - 1) / LIFT_CHUNK)
#define CHUNKS (VOLUME_CHUNKS + LIFT_CHUNKS)
#if CHUNK
#define OPERATOR_WORDS (STAGES * CHUNK_WORDS)
#else
#define OPERATOR_WORDS ((COLUMNS * DIM + LIFT_COLUMNS) * ROWS)
#endif
#define PIECE (FIELDS % 2 == 0 ? 2 : 1)
#define PIECES_A_NODE (FIELDS / PIECE)
#define PIECES_A_FACE (FACE_NODES * PIECES_A_NODE)
#define PIECES (FACES * PIECES_A_FACE)
#define WIDE (NODES * FIELDS % QUAD == 0 ? QUAD : NODES * FIELDS % 2 == 0 ? 2 : 1)
#define WIDE_PIECES (NODES * FIELDS / WIDE)
#define ELEMENTS_A_WARP ((ELEMENTS + WARPS - 1) / WARPS)
#define NO_LINK 0xffffffffu
constexpr int unrolling = UNROLL;

template <int N>
struct __align__(N * sizeof(real) > 16 ? 16 : N * sizeof(real)) Words {
  real v[N];
};

// N words by loads of `aligned` words at once.
template <int N, int aligned>
__device__ __forceinline__ void read_words(real* to, const real* from) {
#pragma unroll
  for (int i = 0; i < N / aligned; ++i) {
    const Words<aligned> w = *(const Words<aligned>*)(from + i * aligned);
#pragma unroll
    for (int j = 0; j < aligned; ++j) to[i * aligned + j] = w.v[j];
  }
}

// What a stage touches once leaves the cache to the state, which neighbours read again.
template <int N>
__device__ __forceinline__ Words<N> read_once(const real* from) {
  Words<N> w;
  uint* const to = (uint*)w.v;
  if (sizeof(w) == 16)
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "l"(from));
  else if (sizeof(w) == 8)
    asm volatile("ld.global.cs.v2.u32 {%0, %1}, [%2];" : "=r"(to[0]), "=r"(to[1]) : "l"(from));
  else
    asm volatile("ld.global.cs.u32 %0, [%1];" : "=r"(to[0]) : "l"(from));
  return w;
}
template <int N>
__device__ __forceinline__ void write_once(real* to, const Words<N>& w) {
  const uint* const from = (const uint*)w.v;
  if (sizeof(w) == 16)
    asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(from[0]), "r"(from[1]), "r"(from[2]),
                 "r"(from[3]));
  else if (sizeof(w) == 8)
    asm volatile("st.global.cs.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(from[0]), "r"(from[1]));
  else
    asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(to), "r"(from[0]));
}

template <int bytes>
__device__ __forceinline__ void copy_async(void* to, const void* from) {
  const unsigned at = (unsigned)__cvta_generic_to_shared(to);
  if (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(at), "l"(from), "n"(bytes));
}
__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
template <int pending>
__device__ __forceinline__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(pending) : "memory");
}
__device__ __forceinline__ void meet(int team) {
  if (TEAMS == 1)
    __syncthreads();
  else
    asm volatile("bar.sync %0, %1;" ::"r"(team + 1), "n"(TEAM) : "memory");
}

#define FIELD_ALIGN (2 * FIELDS % QUAD == 0 ? QUAD : 2)
#define ROW_ALIGN (ROW_WORDS < QUAD ? ROW_WORDS : QUAD)

__device__ __forceinline__ void add_derivatives(real (&along)[LANES][DIM * FIELDS], const real* values,
                                                const real* operators, int columns) {
  const real* const end = values + columns * FIELDS;
#pragma unroll unrolling
  for (; values != end; values += 2 * FIELDS, operators += 2 * DIM * ROWS) {
    real u[2 * FIELDS];
    read_words<2 * FIELDS, FIELD_ALIGN>(u, values);
#pragma unroll
    for (int k = 0; k < 2; ++k)
#pragma unroll
      for (int r = 0; r < DIM; ++r) {
        real w[ROW_WORDS];
        read_words<ROW_WORDS, ROW_ALIGN>(w, operators + (k * DIM + r) * ROWS);
#pragma unroll
        for (int l = 0; l < LANES; ++l)
#pragma unroll
          for (int f = 0; f < FIELDS; ++f) along[l][r * FIELDS + f] += w[l] * u[k * FIELDS + f];
      }
  }
}

__device__ __forceinline__ void add_lift(real (&rate)[LANES][FIELDS], const real* values, const real* operators,
                                         int columns) {
  const real* const end = values + columns * FIELDS;
#pragma unroll 2
  for (; values != end; values += 2 * FIELDS, operators += 2 * ROWS) {
    real u[2 * FIELDS];
    read_words<2 * FIELDS, FIELD_ALIGN>(u, values);
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      real w[ROW_WORDS];
      read_words<ROW_WORDS, ROW_ALIGN>(w, operators + k * ROWS);
#pragma unroll
      for (int l = 0; l < LANES; ++l)
#pragma unroll
        for (int f = 0; f < FIELDS; ++f) rate[l][f] += w[l] * u[k * FIELDS + f];
    }
  }
}

#if ONE_REGION
#define MATERIAL_OF(name, index) const real* name = 0
#else
#define MATERIAL_OF(name, index) \
  real name[DG_MATERIALS];       \
  for (int i_ = 0; i_ < DG_MATERIALS; ++i_) name[i_] = materials[(index)*DG_MATERIALS + i_]
#endif

kernel __launch_bounds__(THREADS, BLOCKS) void dg_stage_tiles(
    global const real* restrict q, global real* restrict q_new, global real* restrict residual,
    global const real* restrict operators, global const real* restrict metric, global const real* restrict faces,
    global const int* restrict link, global const ushort* restrict face_nodes,
    global const ushort* restrict neighbour_nodes, global const uchar* restrict region,
    global const uchar* restrict neighbour_region, global const real* restrict materials,
    global const real* restrict vertices, global const real* restrict weights, real a, real b, real dt, real t,
    int first_element, int end_element) {
  extern __shared__ __align__(16) char shared_memory[];
  constexpr int team_words = ELEMENTS * (OWN_STRIDE + LIFT_STRIDE + FACE_WORDS + METRIC_WORDS + FACES);
  real* const held = (real*)shared_memory;
  const int team = threadIdx.x / TEAM, item = threadIdx.x - team * TEAM;
  real* const own = held + OPERATOR_WORDS + team * ((team_words + QUAD - 1) / QUAD * QUAD);
  real* const lifted = own + ELEMENTS * OWN_STRIDE;
  real* const face_values = lifted + ELEMENTS * LIFT_STRIDE;
  uint* const links = (uint*)(face_values + ELEMENTS * FACE_WORDS);
  real* const metrics = (real*)(links + ELEMENTS * FACES);
  unsigned short* const near =
      (unsigned short*)(held + OPERATOR_WORDS + TEAMS * ((team_words + QUAD - 1) / QUAD * QUAD));
  unsigned short* const there = near + TRACES;

  for (int i = item; i < ELEMENTS * (OWN_STRIDE + LIFT_STRIDE); i += TEAM) own[i] = 0;
  for (int i = threadIdx.x; i < TRACES; i += THREADS) near[i] = face_nodes[i];
  for (int i = threadIdx.x; i < FACES * ORIENTATIONS * FACE_NODES; i += THREADS) there[i] = neighbour_nodes[i];
#if CHUNK
  int next_chunk = 0, stage_in = 0, stage = 0;
#define LOAD_CHUNK                                                             \
  {                                                                            \
    for (int i = threadIdx.x; i < CHUNK_WORDS / QUAD; i += THREADS)            \
      copy_async<16>(held + stage_in * CHUNK_WORDS + i * QUAD,                 \
                     operators + (size_t)next_chunk * CHUNK_WORDS + i * QUAD); \
    commit_copies();                                                           \
    next_chunk = next_chunk + 1 == CHUNKS ? 0 : next_chunk + 1;                \
    stage_in = stage_in + 1 == STAGES ? 0 : stage_in + 1;                      \
  }
  for (int i = 0; i < STAGES - 1; ++i) LOAD_CHUNK
#else
  for (int i = threadIdx.x; i < OPERATOR_WORDS; i += THREADS) held[i] = operators[i];
#endif
  __syncthreads();

  // This thread's part of the products.
  const int pair = 2 * (item >> 4) + (item & 1), part = pair % ROW_GROUPS;
  const int block8 = pair / ROW_GROUPS;
  const bool computes = block8 < ELEMENTS / 8;
  const int element = computes ? 8 * block8 + ((item >> 1) & 7) : 0;
  const int lane = item & 31, warp = item >> 5;
  const int tiles = (end_element - first_element + ELEMENTS - 1) / ELEMENTS;
  const int tile_step = gridDim.x * TEAMS;
  constexpr int code_sets = (ELEMENTS_A_WARP + 7) / 8;
  unsigned codes[code_sets];
  const auto read_codes = [&](int tile) {
#pragma unroll
    for (int c = 0; c < code_sets; ++c) {
      const int j = c * 8 + lane / FACES, e = warp + j * WARPS;
      const int at = first_element + tile * ELEMENTS + e;
      codes[c] = NO_LINK;
      if (tile < tiles && lane < 8 * FACES && e < ELEMENTS && at < end_element) {
        const int code = link[(size_t)at * FACES + lane % FACES];
        if (code >= 0) {
          const unsigned other = (unsigned)code / (FACES * ORIENTATIONS);
          codes[c] = other << 5 | (unsigned)code - other * (FACES * ORIENTATIONS);
        }
      }
    }
  };
  int tile = blockIdx.x * TEAMS + team;
  read_codes(tile);
  for (; tile < tiles; tile += tile_step) {
    const int base = first_element + tile * ELEMENTS;
    const int count = min(ELEMENTS, end_element - base);
    // Neighbours in the tile are read where they lie.
    const auto is_copied = [&](uint code) {
      return code != NO_LINK && (!SHARED_TRACES || (code >> 5) - (uint)base >= (uint)count);
    };
    {
      const real* from = q + (size_t)base * (NODES * FIELDS);
#pragma unroll 4
      for (int i = item; i < count * WIDE_PIECES; i += TEAM)
        copy_async<WIDE*(int)sizeof(real)>(own + i * WIDE + i / WIDE_PIECES * (OWN_STRIDE - NODES * FIELDS),
                                           from + i * WIDE);
      constexpr int face_piece = FACE_WORDS % QUAD == 0 ? QUAD : 1;
      for (int i = item; i < count * FACE_WORDS / face_piece; i += TEAM)
        copy_async<face_piece*(int)sizeof(real)>(face_values + i * face_piece,
                                                 faces + (size_t)base * FACE_WORDS + i * face_piece);
      for (int i = item; i < count * METRIC_WORDS; i += TEAM)
        copy_async<sizeof(real)>(metrics + i, metric + (size_t)base * METRIC_WORDS + i);
      commit_copies();
    }
    {
      int here = lane;
      asm volatile("" : "+r"(here));
      constexpr int rounds = (PIECES + 31) / 32;
      int face[rounds], place[rounds], part_of[rounds];
#pragma unroll
      for (int k = 0; k < rounds; ++k) {
        const int p = min(here + 32 * k, PIECES - 1);
        face[k] = p / PIECES_A_FACE;
        const int rest = p - face[k] * PIECES_A_FACE;
        place[k] = rest / PIECES_A_NODE;
        part_of[k] = (rest - place[k] * PIECES_A_NODE) * PIECE;
      }
#pragma unroll
      for (int c = 0; c < code_sets; ++c) {
        const int owned = warp + (c * 8 + lane / FACES) * WARPS;
        if (lane < 8 * FACES && owned < ELEMENTS) links[owned * FACES + lane % FACES] = codes[c];
#pragma unroll 1
        for (int j = 0; j < min(8, ELEMENTS_A_WARP - c * 8); ++j) {
          const int e = warp + (c * 8 + j) * WARPS;
          real* to = lifted + e * LIFT_STRIDE + here * PIECE;
#pragma unroll
          for (int k = 0; k < rounds; ++k) {
            const unsigned code = __shfl_sync(0xffffffffu, codes[c], j * FACES + face[k]);
            if (is_copied(code) && (k + 1 < rounds || PIECES % 32 == 0 || here + 32 * k < PIECES))
              copy_async<PIECE*(int)sizeof(real)>(to + 32 * k * PIECE,
                                                  q + (size_t)(code >> 5) * (NODES * FIELDS) +
                                                      there[(code & 31) * FACE_NODES + place[k]] * FIELDS + part_of[k]);
          }
        }
      }
      commit_copies();
    }
    read_codes(tile + tile_step);

    real rate[LANES][FIELDS];
    wait_copies<1>();
    meet(team);
    {
      real along[LANES][DIM * FIELDS];
#pragma unroll
      for (int l = 0; l < LANES; ++l)
#pragma unroll
        for (int f = 0; f < DIM * FIELDS; ++f) along[l][f] = 0;
#if CHUNK
      for (int c = 0; c < VOLUME_CHUNKS; ++c) {
        if (c > 0) {
          wait_copies<STAGES - 2>();
          __syncthreads();
        }
        LOAD_CHUNK
        add_derivatives(along, own + element * OWN_STRIDE + c * (CHUNK * FIELDS),
                        held + stage * CHUNK_WORDS + part * ROW_WORDS, CHUNK);
        stage = stage + 1 == STAGES ? 0 : stage + 1;
      }
#else
      if (computes) add_derivatives(along, own + element * OWN_STRIDE, held + part * ROW_WORDS, COLUMNS);
#endif
      real dr[METRIC_WORDS];
#pragma unroll
      for (int i = 0; i < METRIC_WORDS; ++i) dr[i] = metrics[element * METRIC_WORDS + i];
      MATERIAL_OF(material, region[min(base + element, end_element - 1)]);
#pragma unroll
      for (int l = 0; l < LANES; ++l) {
        real gradient[DIM * FIELDS];
#pragma unroll
        for (int d = 0; d < DIM; ++d)
#pragma unroll
          for (int f = 0; f < FIELDS; ++f) {
            real sum = dr[d] * along[l][f];
#pragma unroll
            for (int r = 1; r < DIM; ++r) sum += dr[r * DIM + d] * along[l][r * FIELDS + f];
            gradient[d * FIELDS + f] = sum;
          }
        dg_volume(gradient, material, rate[l]);
#if DG_HAS_SOURCE
        real state[FIELDS];
#pragma unroll
        for (int f = 0; f < FIELDS; ++f)
          state[f] = own[element * OWN_STRIDE + min(part * LANES + l, NODES - 1) * FIELDS + f];
        dg_source(state, material, rate[l]);
#endif
      }
    }
#if CHUNK
    wait_copies<STAGES - 2>();
#else
    wait_copies<0>();
#endif
    meet(team);
    for (int i = item; i < count * TRACES; i += TEAM) {
      const int e = i / TRACES, m = i - e * TRACES, face = m / FACE_NODES, node = near[m];
      real in[FIELDS], out[FIELDS], quad[DIM + 1], add[FIELDS];
      read_words<FIELDS, PIECE>(in, own + e * OWN_STRIDE + node * FIELDS);
      read_words<DIM + 1, DIM == 3 ? QUAD : 1>(quad, face_values + e * FACE_WORDS + face * (DIM + 1));
      real* const trace = lifted + e * LIFT_STRIDE + m * FIELDS;
      const uint code = links[e * FACES + face];
      MATERIAL_OF(material_in, region[base + e]);
      MATERIAL_OF(material_out, neighbour_region[(size_t)(base + e) * FACES + face]);
      int condition = -1;
      if (code != NO_LINK) {
        const real* there_values = trace;
        if (!is_copied(code))
          there_values = own + ((code >> 5) - (uint)base) * OWN_STRIDE +
                         there[(code & 31) * FACE_NODES + m - face * FACE_NODES] * FIELDS;
        read_words<FIELDS, PIECE>(out, there_values);
      } else {
        condition = -1 - link[(size_t)(base + e) * FACES + face];
        real x[3] = {0, 0, 0};
#if DG_BOUNDARY_USES_PLACE
        for (int v = 0; v <= DIM; ++v)
          for (int d = 0; d < DIM; ++d)
            x[d] += weights[node * (DIM + 1) + v] * vertices[((size_t)(base + e) * (DIM + 1) + v) * DIM + d];
#endif
        dg_boundary(condition, in, quad, x, t, material_in, out);
      }
      dg_penalty(condition, in, out, quad, material_in, material_out, add);
#pragma unroll
      for (int f = 0; f < FIELDS / PIECE; ++f) {
        Words<PIECE> w;
#pragma unroll
        for (int j = 0; j < PIECE; ++j) w.v[j] = quad[DIM] * add[f * PIECE + j];
        *(Words<PIECE>*)(trace + f * PIECE) = w;
      }
    }
    constexpr int updates = (ELEMENTS * WIDE_PIECES + TEAM - 1) / TEAM;
    Words<WIDE> before[updates];
    real* const residuals = residual + (size_t)base * (NODES * FIELDS);
#pragma unroll
    for (int k = 0; k < updates; ++k) {
      const int i = item + k * TEAM;
      if (a != 0 && i < count * WIDE_PIECES)
        before[k] = read_once<WIDE>(residuals + i * WIDE);
      else
#pragma unroll
        for (int j = 0; j < WIDE; ++j) before[k].v[j] = 0;
    }
    meet(team);
#if CHUNK
    for (int c = 0; c < LIFT_CHUNKS; ++c) {
      if (c > 0) {
        wait_copies<STAGES - 2>();
        __syncthreads();
      }
      LOAD_CHUNK
      add_lift(rate, lifted + element * LIFT_STRIDE + c * (LIFT_CHUNK * FIELDS),
               held + stage * CHUNK_WORDS + part * ROW_WORDS, min(LIFT_CHUNK, LIFT_COLUMNS - c * LIFT_CHUNK));
      stage = stage + 1 == STAGES ? 0 : stage + 1;
    }
#else
    if (computes)
      add_lift(rate, lifted + element * LIFT_STRIDE, held + COLUMNS * DIM * ROWS + part * ROW_WORDS, LIFT_COLUMNS);
#endif
    meet(team);
    if (computes) {
      real* const to = lifted + element * LIFT_STRIDE + part * (LANES * FIELDS);
      constexpr int wide = LANES * FIELDS % QUAD == 0 ? QUAD : LANES * FIELDS % 2 == 0 ? 2 : 1;
#pragma unroll
      for (int i = 0; i < LANES * FIELDS / wide; ++i) {
        Words<wide> w;
#pragma unroll
        for (int j = 0; j < wide; ++j) w.v[j] = rate[(i * wide + j) / FIELDS][(i * wide + j) % FIELDS];
        *(Words<wide>*)(to + i * wide) = w;
      }
    }
    meet(team);
#pragma unroll
    for (int k = 0; k < updates; ++k) {
      const int i = item + k * TEAM;
      if (i < count * WIDE_PIECES) {
        const int e = i / WIDE_PIECES;
        real u[WIDE], r[WIDE];
        read_words<WIDE, WIDE>(u, own + i * WIDE + e * (OWN_STRIDE - NODES * FIELDS));
        read_words<WIDE, WIDE>(r, lifted + i * WIDE + e * (LIFT_STRIDE - NODES * FIELDS));
        Words<WIDE> change, after;
#pragma unroll
        for (int j = 0; j < WIDE; ++j) {
          change.v[j] = a * before[k].v[j] + dt * r[j];
          after.v[j] = u[j] + b * change.v[j];
        }
        write_once<WIDE>(residuals + i * WIDE, change);
        write_once<WIDE>(q_new + (size_t)base * (NODES * FIELDS) + i * WIDE, after);
      }
    }
    meet(team);
  }
#if CHUNK
  wait_copies<0>();
#endif
}
