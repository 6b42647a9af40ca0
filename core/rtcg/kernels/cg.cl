{#
  Conjugate gradients apart from the products with the matrix: vector updates, and the scalars, which stay on the device
  in `state`. The update of x by alpha p waits for the next pass that reads p anyway. Every kernel looks at
  state[STATUS] first: once it is no longer RUNNING, iterations already queued do nothing, so x stays what it was.
  CLAIMED means that the recursive residual is small enough, or that the iterations are used up; a check then computes
  the true residual and decides.
#}
#define LANES {{ lanes }}
typedef {{ lane_type }} lanes_t;
#define PARTS {{ parts }}

{% if group > 1 %}
#define FIRST_ITEM (get_local_id(0) == 0)
{% else %}
#define FIRST_ITEM 1
{% endif %}

// The sum of one part from each group, by one group.
static inline total_t total_of(global const total_t* parts{% if group > 1 %}, LOCAL_POINTER total_t* scratch{% endif %}) {
  total_t sum = 0;
  for (uint k = (uint)get_local_id(0); k < PARTS; k += GROUP) sum += parts[k];
  return GROUP_TOTAL(sum);
}
{% if group > 1 %}
#define TOTAL_OF(parts) total_of(parts, scratch)
{% else %}
#define TOTAL_OF(parts) total_of(parts)
{% endif %}

static inline int is_number(total_t value) { return value - value == 0; }

// Statements for whole vectors of LANES elements, then for the elements that remain.
{% if cpu %}
#define FOR_LANES(k, n) for (uint k = OWN_FIRST((n) / LANES), k##_last = OWN_LAST((n) / LANES); k < k##_last; ++k)
#define FOR_REST(i, n) if (get_global_id(0) == 0) for (uint i = (n) / LANES * LANES; i < (n); ++i)
{% else %}
#define FOR_LANES(k, n) RTCG_UNROLL(4) for (uint k = (uint)get_global_id(0); k < (n) / LANES; k += (uint)get_global_size(0))
#define FOR_REST(i, n) for (uint i = (n) / LANES * LANES + (uint)get_global_id(0); i < (n); i += (uint)get_global_size(0))
{% endif %}

// p = z + beta p, and x catches up with the step before.
SPARSE_KERNEL cg_direction(global const total_t* state, global const value_t* restrict z, global value_t* restrict p,
                    global value_t* restrict x, uint n) {
  if (state[STATUS] != RUNNING) return;
  const value_t alpha = (value_t)state[ALPHA], beta = (value_t)state[BETA];
  FOR_LANES(k, n) {
    const lanes_t old = ((global const lanes_t*)p)[k];
    ((global lanes_t*)x)[k] += alpha * old;
    ((global lanes_t*)p)[k] = ((global const lanes_t*)z)[k] + beta * old;
  }
  FOR_REST(i, n) {
    const value_t old = p[i];
    x[i] += alpha * old;
    p[i] = z[i] + beta * old;
  }
}

// Before a check: x catches up with the last step.
SPARSE_KERNEL cg_settle(global const total_t* state, int forced, global const value_t* restrict p_even,
                 global const value_t* restrict p_odd, global value_t* restrict x, uint n) {
  if (!CHECKS(state, forced)) return;
  const value_t alpha = (value_t)state[ALPHA];
  global const value_t* p = ((int)state[ITERATION] & 1) ? p_odd : p_even;
  FOR_LANES(k, n) ((global lanes_t*)x)[k] += alpha * ((global const lanes_t*)p)[k];
  FOR_REST(i, n) x[i] += alpha * p[i];
}

{% for measures in [false, true] %}
{% if measures %}
// z = M r and the sums, after a check has made r anew.
SPARSE_KERNEL cg_measure(global const total_t* state, int forced,
{% else %}
// r -= alpha q, z = M r, and the sums r.r and r.z.
SPARSE_KERNEL cg_update(global const total_t* state, global const value_t* restrict q,
{% endif %}
                 global value_t* restrict r, global value_t* restrict z, global const value_t* restrict inverse,
                 global total_t* restrict parts, uint n) {
  GROUP_SCRATCH
{% if measures %}
  const uint count = CHECKS(state, forced) ? n : 0;
{% else %}
  const uint count = state[STATUS] == RUNNING ? n : 0;
  const value_t alpha = (value_t)state[ALPHA];
{% endif %}
  total_t rr = 0, rz = 0;
{% if block == 0 %}
{% for c in components %}
  total_t rr_{{ c }} = 0;
{% endfor %}
  FOR_LANES(k, count) {
    lanes_t residual = ((global const lanes_t*)r)[k];
{% if not measures %}
    residual -= alpha * ((global const lanes_t*)q)[k];
    ((global lanes_t*)r)[k] = residual;
{% endif %}
{% for c in components %}
    rr_{{ c }} += (total_t)residual.{{ c }} * residual.{{ c }};
{% endfor %}
  }
  rr = {% for c in components %}{{ " + " if c != "x" else "" }}rr_{{ c }}{% endfor %};
  FOR_REST(i, count) {
    value_t residual = r[i];
{% if not measures %}
    residual -= alpha * q[i];
    r[i] = residual;
{% endif %}
    rr += (total_t)residual * residual;
  }
{% else %}
  const uint blocks = (n + {{ block - 1 }}) / {{ block }}, blocks_now = count == 0 ? 0 : blocks;
{% if cpu %}
  for (uint k = OWN_FIRST(blocks_now), last = OWN_LAST(blocks_now); k < last; ++k) {
{% else %}
  for (uint k = (uint)get_global_id(0); k < blocks_now; k += (uint)get_global_size(0)) {
{% endif %}
    value_t residual[{{ block }}];
    for (uint row = 0; row < {{ block }}; ++row) {
      const uint i = k * {{ block }} + row;
{% if measures %}
      residual[row] = i < n ? r[i] : 0;
{% else %}
      residual[row] = i < n ? r[i] - alpha * q[i] : 0;
      if (i < n) r[i] = residual[row];
{% endif %}
    }
    for (uint row = 0; row < {{ block }}; ++row) {
      value_t sum = 0;
      for (uint column = 0; column < {{ block }}; ++column)
        sum += inverse[(row * {{ block }} + column) * blocks + k] * residual[column];
      if (k * {{ block }} + row < n) z[k * {{ block }} + row] = sum;
      rr += (total_t)residual[row] * residual[row];
      rz += (total_t)residual[row] * sum;
    }
  }
{% endif %}
  rr = GROUP_TOTAL(rr);
{% if block > 0 %}
  rz = GROUP_TOTAL(rz);
{% else %}
  rz = rr;
{% endif %}
  if (FIRST_ITEM) parts[get_group_id(0)] = rr, parts[PARTS + get_group_id(0)] = rz;
}
{% endfor %}

// alpha = r.z / p.Ap. A direction without curvature is the end: the matrix is not positive definite.
static inline void finish_product(global total_t* state, total_t curvature) {
  const int sound = curvature > 0 && is_number(curvature);
  state[CURVATURE] = curvature;
  state[ALPHA] = sound ? state[RZ] / curvature : 0;
  if (!sound) state[STATUS] = BROKEN_CURVATURE;
}

static inline void finish_update(global total_t* state, total_t rr, total_t rz, total_t most_iterations) {
  const total_t iteration = state[ITERATION] + 1, before = state[RZ];
  state[ITERATION] = iteration, state[RR] = rr, state[RZ] = rz;
  state[BETA] = before > 0 ? rz / before : 0;
  if (!is_number(rr) || !is_number(rz))
    state[STATUS] = BROKEN_RESIDUAL;
  else if (rr <= state[LIMIT] || iteration >= most_iterations)
    state[STATUS] = CLAIMED;
  else if (!(rz > 0))
    state[STATUS] = BROKEN_PRECONDITIONER;
}

// After a check: r, z and their sums are true. What the recursion claimed holds or the iteration goes on from here.
static inline void finish_check(global total_t* state, total_t rr, total_t rz, total_t bb, total_t tolerance,
                                total_t most_iterations) {
  // The recursion is refuted when what it claims does not hold, or when it has fallen well below the truth.
  const int refutes = state[STATUS] == CLAIMED || (state[ITERATION] > 0 && rr > 4 * state[RR]);
  const total_t limit = tolerance * tolerance * bb, refuted = state[REFUTED];
  total_t status = RUNNING;
  if (!is_number(rr) || !is_number(rz) || !is_number(bb))
    status = BROKEN_RESIDUAL;
  else if (bb == 0)
    status = ZERO_RIGHT_SIDE;
  else if (rr <= limit)
    status = CONVERGED;
  else if (state[ITERATION] >= most_iterations)
    status = EXHAUSTED;
  else if (!(rz > 0))
    status = BROKEN_PRECONDITIONER;
  else if (refutes && refuted > 0 && rr > refuted / 4)
    status = STAGNATED;
  if (refutes) state[REFUTED] = rr;
  // Then the directions are spent: start again along z.
  state[BETA] = refutes || !(state[RZ] > 0) ? 0 : state[BETA] * (rz / state[RZ]);
  state[ALPHA] = 0, state[RZ] = rz, state[RR] = rr, state[TRUE_RR] = rr;
  state[CHECKED_AT] = state[ITERATION], state[LIMIT] = limit, state[RIGHT_SIDE] = bb;
  state[STATUS] = status;
}

SPARSE_KERNEL cg_finish_product(global total_t* state, global const total_t* parts) {
  GROUP_SCRATCH
  const total_t curvature = TOTAL_OF(parts);
  if (FIRST_ITEM && state[STATUS] == RUNNING) finish_product(state, curvature);
}

SPARSE_KERNEL cg_finish_update(global total_t* state, global const total_t* parts, total_t most_iterations) {
  GROUP_SCRATCH
  const total_t rr = TOTAL_OF(parts), rz = TOTAL_OF(parts + PARTS);
  if (FIRST_ITEM && state[STATUS] == RUNNING) finish_update(state, rr, rz, most_iterations);
}

SPARSE_KERNEL cg_finish_check(global total_t* state, int forced, global const total_t* parts, global const total_t* right_parts,
                       total_t tolerance, total_t most_iterations) {
  GROUP_SCRATCH
  const total_t rr = TOTAL_OF(parts), rz = TOTAL_OF(parts + PARTS), bb = TOTAL_OF(right_parts);
  if (FIRST_ITEM && CHECKS(state, forced)) finish_check(state, rr, rz, bb, tolerance, most_iterations);
}
