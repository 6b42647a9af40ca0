{#
  One stage of a batched Fourier transform: LENGTH-point transforms along lines, all passes of a Stockham plan
  (self-sorting, no bit reversal) in one kernel. Before a pass a line holds `done` interleaved transforms' worth of
  factors; butterfly b = q done + k of radix r takes x[b + u LENGTH / r], turns it by exp(SIGN 2 pi i k u / (done r)) and
  puts its transform to y[(q r + u) done + k].

  On a GPU a group has `lines` lines, `threads` work-items each; values stay in registers and cross through local
  memory, padded against bank conflicts. On a CPU a group of one item takes tiles of `lines` lines, one line a vector
  lane. Line l of a row r is sub-transform j of it; its element n is element e = (j / divisor) major + (j % divisor)
  minor + n step of the row.
#}
{% set P = passes %}
typedef {{ real }} real_t;
typedef {{ real }}2 pair_t;
#define SIGN ({{ sign }})
{% if cpu %}
typedef {{ real }}{{ lines }} lane_t;
typedef struct { lane_t x, y; } complex_t;
{% else %}
typedef real_t lane_t;
typedef pair_t complex_t;
{% endif %}

static inline pair_t pair_new(real_t re, real_t im) {
  pair_t value;
  value.x = re, value.y = im;
  return value;
}
static inline pair_t pair_mul(pair_t a, pair_t b) { return pair_new(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
static inline complex_t cplx(lane_t re, lane_t im) {
  complex_t value;
  value.x = re, value.y = im;
  return value;
}
static inline complex_t add(complex_t a, complex_t b) { return cplx(a.x + b.x, a.y + b.y); }
static inline complex_t sub(complex_t a, complex_t b) { return cplx(a.x - b.x, a.y - b.y); }
static inline complex_t turn(complex_t a) { return cplx(-SIGN * a.y, SIGN * a.x); }
static inline complex_t twiddle(complex_t a, real_t c, real_t s) { return cplx(a.x * c - a.y * s, a.x * s + a.y * c); }

{% for butterfly in butterflies %}
{% set r = butterfly[0] %}
{% set a = butterfly[1] %}
{% set b = r / a %}
{% set roots = butterfly[2] %}
static inline void dft_{{ r }}(complex_t* v) {
{% if r == 2 %}
  const complex_t a = v[0], b = v[1];
  v[0] = add(a, b), v[1] = sub(a, b);
{% elif r == 4 %}
  const complex_t a = add(v[0], v[2]), b = sub(v[0], v[2]), c = add(v[1], v[3]), d = turn(sub(v[1], v[3]));
  v[0] = add(a, c), v[1] = add(b, d), v[2] = sub(a, c), v[3] = sub(b, d);
{% elif b == 1 %}
  // Odd prime: the m-th pair v[m], v[r - m] enters through its sum and its difference.
{% set h = (r - 1) / 2 %}
{% for m in range(1, h + 1) %}
  const complex_t s{{ m }} = add(v[{{ m }}], v[{{ r - m }}]), d{{ m }} = turn(sub(v[{{ m }}], v[{{ r - m }}]));
{% endfor %}
  const complex_t v0 = v[0];
{% for m in range(1, h + 1) %}
  v[0] = add(v[0], s{{ m }});
{% endfor %}
{% for k in range(1, h + 1) %}
  {
    complex_t even = v0, odd = cplx({{ roots[k][1] }} * d1.x, {{ roots[k][1] }} * d1.y);
{% for m in range(1, h + 1) %}
    even.x += {{ roots[k * m % r][0] }} * s{{ m }}.x, even.y += {{ roots[k * m % r][0] }} * s{{ m }}.y;
{% if m > 1 %}
    odd.x += {{ roots[k * m % r][1] }} * d{{ m }}.x, odd.y += {{ roots[k * m % r][1] }} * d{{ m }}.y;
{% endif %}
{% endfor %}
    v[{{ k }}] = add(even, odd), v[{{ r - k }}] = sub(even, odd);
  }
{% endfor %}
{% else %}
  // {{ b }} transforms of {{ a }}, turned by roots of order {{ r }}, then {{ a }} transforms of {{ b }}.
  complex_t u[{{ r }}], w[{{ a }}];
{% for n in range(b) %}
{% for m in range(a) %}
  w[{{ m }}] = v[{{ b * m + n }}];
{% endfor %}
  dft_{{ a }}(w);
{% for k in range(a) %}
{% set m = n * k % r %}
{% if m == 0 %}
  u[{{ k * b + n }}] = w[{{ k }}];
{% elif 4 * m == r %}
  u[{{ k * b + n }}] = turn(w[{{ k }}]);
{% elif 8 * m == r %}
  u[{{ k * b + n }}] = cplx({{ roots[m][0] }} * (w[{{ k }}].x - SIGN * w[{{ k }}].y), {{ roots[m][0] }} * (w[{{ k }}].y + SIGN * w[{{ k }}].x));
{% elif 8 * m == 3 * r %}
  u[{{ k * b + n }}] = cplx({{ roots[m][0] }} * (w[{{ k }}].x + SIGN * w[{{ k }}].y), {{ roots[m][0] }} * (w[{{ k }}].y - SIGN * w[{{ k }}].x));
{% else %}
  u[{{ k * b + n }}] = twiddle(w[{{ k }}], {{ roots[m][0] }}, SIGN * {{ roots[m][1] }});
{% endif %}
{% endfor %}
{% endfor %}
{% for k in range(a) %}
  dft_{{ b }}(u + {{ k * b }});
{% for m in range(b) %}
  v[{{ k + a * m }}] = u[{{ k * b + m }}];
{% endfor %}
{% endfor %}
{% endif %}
}

{% endfor %}
// Element e of a row of the input: 0 beyond the {{ load_count }} there are.
static inline pair_t load_value(global const {{ input_type }}* row, long step, int e, global const pair_t* tables) {
{% if load_count < whole and load != "hermitian" %}
  if (e >= {{ load_count }}) return pair_new(0, 0);
{% endif %}
{% if load == "complex" %}
  pair_t value = row[e * step];
{% elif load == "real" %}
  pair_t value = pair_new(row[e * step], 0);
{% elif load == "hermitian" %}
{% if load_count < whole %}
  if (e >= {{ load_count }}) return pair_new(0, 0);
{% endif %}
  pair_t value = row[(2 * e <= {{ load_count }} ? e : {{ load_count }} - e) * step];
  if (2 * e > {{ load_count }}) value.y = -value.y;
{% elif load == "pairs" %}
  pair_t value = pair_new(row[2 * e * step], row[(2 * e + 1) * step]);
{% elif load == "spectrum" %}
  // Even and odd samples' spectra from the half spectrum of twice as many reals.
  pair_t a = row[e * step], b = row[({{ whole }} - e) * step];
  if (e == 0) a.y = 0, b.y = 0;
  const pair_t odd = pair_mul(pair_new(a.x - b.x, a.y + b.y), tables[{{ load_table }} + e]);
  pair_t value = pair_new(a.x + b.x - odd.y, a.y - b.y + odd.x);
{% endif %}
{% if load_table >= 0 and load != "spectrum" %}
  value = pair_mul(value, tables[{{ load_table }} + e]);
{% endif %}
  return value;
}

static inline void store_value(global {{ output_type }}* row, long step, int e, pair_t value, global const pair_t* tables, real_t scale) {
{% if store_count < whole %}
  if (e >= {{ store_count }}) return;
{% endif %}
{% if store_table >= 0 %}
  value = pair_mul(value, tables[{{ store_table }} + e]);
{% endif %}
{% if scaled %}
  value.x *= scale, value.y *= scale;
{% endif %}
{% if store == "complex" %}
  row[e * step] = value;
{% elif store == "real" %}
  row[e * step] = value.x;
{% elif store == "pairs" %}
  row[2 * e * step] = value.x, row[(2 * e + 1) * step] = value.y;
{% endif %}
}

{% if turn_table >= 0 %}
// Element k + u {{ last_done }} of part m of a row on its way to the next stage.
static inline pair_t turned(pair_t value, int k, int u, int m, global const pair_t* tables) {
  const pair_t w = tables[{{ turn_table }} + k * {{ out_step }} + m];
  return pair_mul(value, u == 0 ? w : pair_mul(w, tables[{{ turn_table + last_done * out_step }} + (u - 1) * {{ out_step }} + m]));
}
{% endif %}
{% if store == "unpack" %}
// Element e of the half spectrum of 2 LENGTH reals from the spectrum of their even + i odd samples.
static inline void store_unpacked(global pair_t* row, long step, int e, pair_t a, pair_t b, global const pair_t* tables, real_t scale) {
  const pair_t odd = pair_mul(pair_new(a.y + b.y, b.x - a.x), tables[{{ store_table }} + e]);
  scale *= (real_t)0.5;
  row[e * step] = pair_new(scale * (a.x + b.x + odd.x), scale * (a.y - b.y + odd.y));
}
{% endif %}

{% if cpu %}
#define SLOT(l, position) (({{ lines }}) * (position) + (l))
{% elif lines_inside %}
#define SLOT(l, position) ({{ lines }} * (position) + (l))
{% elif pad > 0 %}
#define SLOT(l, position) ({{ stride }} * (l) + (position) + ((position) >> {{ pad }}))
{% else %}
#define SLOT(l, position) ({{ stride }} * (l) + (position))
{% endif %}
// The place of a line: its row's first element, and its own first element within the row.
{% if inner %}
#define OUTER(line) ((line) / (({{ line_type }})inner * {{ count }}))
#define PART(line) ({{ "(int)((line) / (" ~ line_type ~ ")inner % " ~ count ~ ")" if count > 1 else "0" }})
#define IN_ROW(line) (input + in_offset + (long)OUTER(line) * in_outer + (long)((line) % ({{ line_type }})inner) * in_inner)
#define OUT_ROW(line) (output + out_offset + (long)OUTER(line) * out_outer + (long)((line) % ({{ line_type }})inner) * out_inner)
{% else %}
#define PART(line) ({{ "(int)((line) % " ~ count ~ ")" if count > 1 else "0" }})
#define IN_ROW(line) (input + in_offset + (long)((line) / {{ count }}) * in_outer)
#define OUT_ROW(line) (output + out_offset + (long)((line) / {{ count }}) * out_outer)
{% endif %}
#define IN_FIRST(line) ({{ "PART(line) / " ~ in_divisor ~ " * " ~ in_major ~ " + PART(line) % " ~ in_divisor ~ " * " ~ in_minor if in_divisor < count else "PART(line) * " ~ in_minor }})
#define OUT_FIRST(line) ({{ "PART(line) / " ~ out_divisor ~ " * " ~ out_major ~ " + PART(line) % " ~ out_divisor ~ " * " ~ out_minor if out_divisor < count else "PART(line) * " ~ out_minor }})
#define IN_STEP {{ "1l" if in_unit else "in_step" }}
#define OUT_STEP {{ "1l" if out_unit else "out_step" }}

{% if cpu %}
kernel void fft_stage(global const {{ input_type }}* input, global {{ output_type }}* output, global const pair_t* tables, ulong lines, ulong inner, long in_offset,
                      long in_outer, long in_inner, long in_step, long out_offset, long out_outer, long out_inner, long out_step, real_t scale) {
  local lane_t re[{{ 2 * length }}], im[{{ 2 * length }}];
  LOCAL_POINTER real_t* const re_of = (LOCAL_POINTER real_t*)re;
  LOCAL_POINTER real_t* const im_of = (LOCAL_POINTER real_t*)im;
  const ulong tiles = (lines + {{ lines - 1 }}) / {{ lines }}, groups = get_num_groups(0), group = get_group_id(0);
  for (ulong tile = tiles * group / groups; tile < tiles * (group + 1) / groups; ++tile) {
    const {{ line_type }} first = ({{ line_type }})(tile * {{ lines }});
    const int count = lines - tile * {{ lines }} < {{ lines }} ? (int)(lines - tile * {{ lines }}) : {{ lines }};
    global const {{ input_type }}* in_row[{{ lines }}];
    global {{ output_type }}* out_row[{{ lines }}];
    int in_first[{{ lines }}], out_first[{{ lines }}];
    for (int l = 0; l < count; ++l) {
      in_row[l] = IN_ROW(first + l), out_row[l] = OUT_ROW(first + l);
      in_first[l] = IN_FIRST(first + l), out_first[l] = OUT_FIRST(first + l);
    }
{% set block = 1 if in_by_lines else 8 %}
    for (int start = 0; start < {{ length }}; start += {{ block }})
      for (int l = 0; l < count; ++l)
        for (int n = start; n < {{ "start + 1" if block == 1 else "min(start + " ~ block ~ ", " ~ length ~ ")" }}; ++n) {
          const pair_t value = load_value(in_row[l], IN_STEP, in_first[l] + n * {{ in_step }}, tables);
          re_of[SLOT(l, n)] = value.x, im_of[SLOT(l, n)] = value.y;
        }
    // Passes of one radix share their code, which is most of what there is to compile.
    int from = 0, done = 1;
    global const pair_t* factor = tables;
{% for run in runs %}
{% set r = run[0] %}
    for (int pass = 0; pass < {{ run[1] }}; ++pass) {
      const int to = {{ length }} - from;
      for (int q = 0; q < {{ length / r }}; q += done)
        for (int k = 0; k < done; ++k) {
          LOCAL_POINTER const lane_t* const xr = re + from + q + k;
          LOCAL_POINTER const lane_t* const xi = im + from + q + k;
          complex_t v[{{ r }}];
{% for u in range(r) %}
          v[{{ u }}] = cplx(xr[{{ u * (length / r) }}], xi[{{ u * (length / r) }}]);
{% endfor %}
          if (done > 1) {
{% for u in range(1, r) %}
            v[{{ u }}] = twiddle(v[{{ u }}], factor[{{ u - 1 }} * done + k].x, factor[{{ u - 1 }} * done + k].y);
{% endfor %}
          }
          dft_{{ r }}(v);
          LOCAL_POINTER lane_t* const yr = re + to + q * {{ r }} + k;
          LOCAL_POINTER lane_t* const yi = im + to + q * {{ r }} + k;
{% for u in range(r) %}
          yr[{{ u }} * done] = v[{{ u }}].x, yi[{{ u }} * done] = v[{{ u }}].y;
{% endfor %}
        }
      if (done > 1) factor += {{ r - 1 }} * done;
      from = to, done *= {{ r }};
    }
{% endfor %}
{% set result = length(P) % 2 * length %}
{% set last = length + 1 if store == "unpack" else length %}
{% set block = 1 if out_by_lines else 8 %}
    for (int start = 0; start < {{ last }}; start += {{ block }})
      for (int l = 0; l < count; ++l)
        for (int n = start; n < {{ "start + 1" if block == 1 else "min(start + " ~ block ~ ", " ~ last ~ ")" }}; ++n) {
{% if store == "unpack" %}
          const int a = SLOT(l, {{ result }} + (n == {{ length }} ? 0 : n)), b = SLOT(l, {{ result }} + (n == 0 ? 0 : {{ length }} - n));
          store_unpacked(out_row[l], OUT_STEP, n, pair_new(re_of[a], im_of[a]), pair_new(re_of[b], im_of[b]), tables, scale);
{% else %}
          const int a = SLOT(l, {{ result }} + n);
          pair_t value = pair_new(re_of[a], im_of[a]);
{% if turn_table >= 0 %}
          value = turned(value, n % {{ last_done }}, n / {{ last_done }}, out_first[l] % {{ out_step }}, tables);
{% endif %}
          store_value(out_row[l], OUT_STEP, out_first[l] + n * {{ out_step }}, value, tables, scale);
{% endif %}
        }
  }
}
{% else %}
#ifdef RTCG_CUDA
#define GROUP_SIZE __launch_bounds__({{ group ~ (", " ~ resident if resident > 0 else "") }})
#else
#define GROUP_SIZE RTCG_GROUP_SIZE({{ group }}, 1, 1)
#endif
kernel GROUP_SIZE void fft_stage(
    global const {{ input_type }}* input, global {{ output_type }}* output, global const pair_t* tables, ulong lines, ulong inner, long in_offset, long in_outer,
    long in_inner, long in_step, long out_offset, long out_outer, long out_inner, long out_step, real_t scale) {
{% if dynamic %}
  extern __shared__ {{ "real_t" if split else "complex_t" }} exchange[];
{% elif exchanged > 0 %}
  local {{ "real_t" if split else "complex_t" }} exchange[{{ exchanged }}];
{% endif %}
  const int item = (int)get_local_id(0);
  const {{ line_type }} first = ({{ line_type }})get_group_id(0) * {{ lines }};
  complex_t v[{{ values }}];
{% if stage_in %}
  for (int i = item; i < {{ lines * length }}; i += {{ group }}) {
    const int l = {{ "i % " ~ lines if in_by_lines else "i / " ~ length }}, n = {{ "i / " ~ lines if in_by_lines else "i % " ~ length }};
    const {{ line_type }} line = first + l;
    if (line < ({{ line_type }})lines) exchange[SLOT(l, n)] = load_value(IN_ROW(line), IN_STEP, IN_FIRST(line) + n * {{ in_step }}, tables);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
{% endif %}
{% for pass in P %}
{% set i = pass[0] %}
{% set r = pass[1] %}
{% set done = pass[2] %}
{% set rounds = pass[4] %}
{% set by_lines = pass[5] %}
{% set even = length / r % threads == 0 %}
  // Pass {{ i }}: radix {{ r }}.
  const int l{{ i }} = {{ 0 if lines == 1 else "item % " ~ lines if by_lines else "item / " ~ threads }}, t{{ i }} = {{ "item / " ~ lines if by_lines else "item % " ~ threads if lines > 1 else "item" }};
{% if i == 0 and not stage_in %}
  {
    const {{ line_type }} line = first + l0;
    const bool here = {{ "true" if lines == 1 else "line < (" ~ line_type ~ ")lines" }};
    global const {{ input_type }}* row = IN_ROW(line);
    const int e = IN_FIRST(line) + t0 * {{ in_step }};
{% for round in range(rounds) %}
    if (here{{ "" if even else " && t0 < " ~ (length / r - round * threads) }}) {
{% for u in range(r) %}
      v[{{ round * r + u }}] = load_value(row, IN_STEP, e + {{ (round * threads + u * (length / r)) * in_step }}, tables);
{% endfor %}
    }
{% endfor %}
  }
{% else %}
{% for part in parts %}
{% if i > 0 %}
{% set before = P[i - 1] %}
{% set br = before[1] %}
{% set bdone = before[2] %}
{% if i > 1 or stage_in or part == ".y" %}
  barrier(CLK_LOCAL_MEM_FENCE);
{% endif %}
{% for round in range(before[4]) %}
{% set beven = length / br % threads == 0 %}
  {
    const uint b = t{{ i - 1 }} + {{ round * threads }};
    {{ "" if beven else "if (b < " ~ length / br ~ ") " }}{
{% for u in range(br) %}
      exchange[SLOT(l{{ i - 1 }}, {{ "b * " ~ br ~ " + " ~ u if bdone == 1 else "b / " ~ bdone ~ " * " ~ br * bdone ~ " + b % " ~ bdone ~ " + " ~ u * bdone }})] = v[{{ round * br + u }}]{{ part }};
{% endfor %}
    }
  }
{% endfor %}
  barrier(CLK_LOCAL_MEM_FENCE);
{% endif %}
{% for round in range(rounds) %}
  {
    const uint b = t{{ i }} + {{ round * threads }};
    {{ "" if even else "if (b < " ~ length / r ~ ") " }}{
{% for u in range(r) %}
      v[{{ round * r + u }}]{{ part }} = exchange[SLOT(l{{ i }}, b + {{ u * (length / r) }})];
{% endfor %}
    }
  }
{% endfor %}
{% endfor %}
{% endif %}
{% for round in range(rounds) %}
{% if done > 1 %}
  {
    const uint k = (t{{ i }} + {{ round * threads }}u) % {{ done }};
{% for u in range(1, r) %}
    const pair_t w{{ u }} = tables[{{ pass[3] + (u - 1) * done }} + k];
{% endfor %}
{% for u in range(1, r) %}
    v[{{ round * r + u }}] = twiddle(v[{{ round * r + u }}], w{{ u }}.x, w{{ u }}.y);
{% endfor %}
  }
{% endif %}
  dft_{{ r }}(v + {{ round * r }});
{% endfor %}
{% endfor %}
{% set final = P[length(P) - 1] %}
{% set r = final[1] %}
{% set i = final[0] %}
{% set done = final[2] %}
{% set even = length / r % threads == 0 %}
{% if stage_out %}
{% if length(P) > 1 or stage_in %}
  barrier(CLK_LOCAL_MEM_FENCE);
{% endif %}
{% for round in range(final[4]) %}
  {
    const uint b = t{{ i }} + {{ round * threads }};
    {{ "" if even else "if (b < " ~ length / r ~ ") " }}{
{% for u in range(r) %}
      exchange[SLOT(l{{ i }}, b + {{ u * done }})] = v[{{ round * r + u }}];
{% endfor %}
    }
  }
{% endfor %}
  barrier(CLK_LOCAL_MEM_FENCE);
{% set last = length + 1 if store == "unpack" else length %}
  for (int i = item; i < {{ lines * last }}; i += {{ group }}) {
    const int l = {{ "i % " ~ lines if out_by_lines else "i / " ~ last }}, n = {{ "i / " ~ lines if out_by_lines else "i % " ~ last }};
    const {{ line_type }} line = first + l;
{% if store == "unpack" %}
    if (line < ({{ line_type }})lines)
      store_unpacked(OUT_ROW(line), OUT_STEP, n, exchange[SLOT(l, n == {{ length }} ? 0 : n)], exchange[SLOT(l, n == 0 ? 0 : {{ length }} - n)], tables, scale);
{% else %}
    if (line < ({{ line_type }})lines) {
      pair_t value = exchange[SLOT(l, n)];
{% if turn_table >= 0 %}
      value = turned(value, n % {{ last_done }}, n / {{ last_done }}, OUT_FIRST(line) % {{ out_step }}, tables);
{% endif %}
      store_value(OUT_ROW(line), OUT_STEP, OUT_FIRST(line) + n * {{ out_step }}, value, tables, scale);
    }
{% endif %}
  }
{% else %}
  {
    const {{ line_type }} line = first + l{{ i }};
    const bool here = {{ "true" if lines == 1 else "line < (" ~ line_type ~ ")lines" }};
    global {{ output_type }}* row = OUT_ROW(line);
    const int e = OUT_FIRST(line) + t{{ i }} * {{ out_step }};
{% for round in range(final[4]) %}
{% if turn_table >= 0 %}
    {
      const int k = t{{ i }} + {{ round * threads }}, m = OUT_FIRST(line) % {{ out_step }};
{% for u in range(r) %}
      v[{{ round * r + u }}] = turned(v[{{ round * r + u }}], {{ "k" if even else "k % " ~ done }}, {{ u }}, m, tables);
{% endfor %}
    }
{% endif %}
    if (here{{ "" if even else " && t" ~ i ~ " < " ~ (length / r - round * threads) }}) {
{% for u in range(r) %}
      store_value(row, OUT_STEP, e + {{ (round * threads + u * done) * out_step }}, v[{{ round * r + u }}], tables, scale);
{% endfor %}
    }
{% endfor %}
  }
{% endif %}
}
{% endif %}
