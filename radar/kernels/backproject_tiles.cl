{#
  Backprojection of one block of pulses into tiles of LANE_EXTENT x RUN_EXTENT pixels. A work-item owns runs of `run`
  pixels for each of its `lanes` neighbours; lanes lie along the axis of the image on which ranges change less, so that
  neighbouring lanes read the same or neighbouring table entries. Along a run the phase, expanded about the tile's centre,
  is a short polynomial (FORM 2, 3) or the exact difference of ranges (FORM 0); see tile_parameters.cl. Pulses are added
  in order into accumulators that start from the image, so the bits do not depend on how pulses are blocked.

  Assumes: rows of the table carry a guard of WINDOW zeros at both ends (range_table.cl), |cell of a pixel - base| <
  WINDOW / 2, pulses a multiple of `stage`, run even. Adding MAGIC rounds to an integer in the low mantissa bits; it needs
  |cell - base| < 2^22.
#}
{% set digits = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "a", "b", "c", "d", "e", "f"] %}
#define MAGIC 12582912.0f
#define MAGIC_BITS 0x4B400000
{% if lanes == 1 %}
typedef float real_n;
typedef int int_n;
#define SPLAT(x) (x)
#define AS_INT(x) as_int(x)
{% else %}
typedef float{{ lanes }} real_n;
typedef int{{ lanes }} int_n;
#define SPLAT(x) ((real_n)(x))
#define AS_INT(x) as_int{{ lanes }}(x)
#define AS_REAL(x) as_float{{ lanes }}(x)
{% endif %}

{% if taps > 0 %}
typedef global const float2* table_row;
{% elif stage > 0 %}
typedef LOCAL_POINTER const float4* table_row;
{% else %}
typedef global const float4* table_row;
{% endif %}

{% if stage > 0 %}
#if RTCG_CUDA
#define COPY_16(to, from) \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from) : "memory")
#define COPIES_DONE() asm volatile("cp.async.wait_all;" ::: "memory")
#else
#define COPY_16(to, from) (*(to) = *(from))
#define COPIES_DONE()
#endif
{% endif %}
#if RTCG_CUDA
#define GROUP_BOUNDS __launch_bounds__({{ group_x * group_y }}, {{ groups_per_unit }})
#else
#define GROUP_BOUNDS RTCG_GROUP_SIZE({{ group_x }}, {{ group_y }}, 1)
#endif

{% if taps > 0 %}
// The windowed sinc between the samples at cell + f, f in [0, 1): weights from a table of `sinc_phases` steps, {weight, difference}.
// The carrier phase is local + step * turn cycles, reduced to cycles before the sine.
static inline void add_pulse(real_n local_phase, float step_phase, float cells_per_phase, float turn, int base, table_row samples,
                      global const float2* sinc_weights, real_n* re, real_n* im) {
  const float rounded = fma(local_phase, cells_per_phase, MAGIC);
  const float whole = rounded - MAGIC;
  const float rest = fma(-whole, step_phase, local_phase);
  const int cell = as_int(rounded) - MAGIC_BITS;
  if ((uint)(base + cell) >= (uint)(NFFT - 1)) return;
  const float position = fmin(fmax((rest * cells_per_phase + 0.5f) * {{ sinc_phases }}.0f, 0.0f), {{ sinc_phases }}.0f - 0.001f);
  const int step = (int)position;
  const float part = position - (float)step;
  float sr = 0.0f, si = 0.0f;
{% for t in range(taps) %}
  {
    const float2 w = sinc_weights[step * {{ taps }} + {{ t }}];
    const float weight = fma(part, w.y, w.x);
    const float2 s = samples[cell + {{ t - taps / 2 + 1 }}];
    sr = fma(weight, s.x, sr), si = fma(weight, s.y, si);
  }
{% endfor %}
  const float step_cycles = step_phase * 0.15915494f;
  float cycles = fma(whole, step_cycles - rint(step_cycles), turn);
  cycles = fma(rest, 0.15915494f, cycles - rint(cycles));
  const float angle = (cycles - rint(cycles)) * 6.2831853f;
  const float c = native_cos(angle), s = native_sin(angle);
  *re = fma(sr, c, fma(-si, s, *re));
  *im = fma(sr, s, fma(si, c, *im));
}
#define ADD(phase, r, i) add_pulse(phase, step_phase, cells_per_phase, quads[2].x, base, row, sinc_weights, &(r), &(i))
{% else %}
static inline void add_pulse(real_n local_phase, float step_phase, float cells_per_phase, table_row row, real_n* re, real_n* im) {
  const real_n rounded = fma(local_phase, SPLAT(cells_per_phase), SPLAT(MAGIC));
  const real_n rest = fma(SPLAT(MAGIC) - rounded, SPLAT(step_phase), local_phase);
  const int_n cell = AS_INT(rounded) - MAGIC_BITS;
{% if lanes == 1 %}
  const float4 v = row[cell];
  const float cr = fma(rest, v.z, v.x), ci = fma(rest, v.w, v.y);
  const float s = native_sin(rest), c = native_cos(rest);
{% else %}
{% for l in range(lanes) %}
  const float4 v{{ l }} = row[cell.s{{ digits[l] }}];
{% endfor %}
#define LANES(part) (real_n)({% for l in range(lanes) %}v{{ l }}.part{% if l < lanes - 1 %}, {% endif %}{% endfor %})
  const real_n cr = fma(rest, LANES(z), LANES(x)), ci = fma(rest, LANES(w), LANES(y));
#undef LANES
  // sin and cos on [-pi/4, pi/4] to 1e-7, quadrant put back by exchange and sign bits.
  const real_n turns = fma(rest, SPLAT(0.63661977f), SPLAT(MAGIC));
  const int_n quadrant = AS_INT(turns);
  const real_n quarters = turns - SPLAT(MAGIC);
  real_n x = fma(quarters, SPLAT(-1.5707964f), rest);
  x = fma(quarters, SPLAT(4.3711388e-8f), x);
  const real_n x2 = x * x;
  const real_n sine = fma(x * x2, fma(x2, fma(x2, SPLAT(-1.9515296e-4f), SPLAT(8.3321608e-3f)), SPLAT(-1.6666655e-1f)), x);
  const real_n cosine = fma(x2 * x2, fma(x2, fma(x2, SPLAT(2.4433157e-5f), SPLAT(-1.3887316e-3f)), SPLAT(4.1666646e-2f)), fma(x2, SPLAT(-0.5f), SPLAT(1.0f)));
  const int_n odd = -(quadrant & 1);
  const int_n si = AS_INT(sine), co = AS_INT(cosine);
  const real_n s = AS_REAL(((co & odd) | (si & ~odd)) ^ ((quadrant & 2) << 30));
  const real_n c = AS_REAL(((si & odd) | (co & ~odd)) ^ (((quadrant + 1) & 2) << 30));
{% endif %}
  *re = fma(cr, c, fma(-ci, s, *re));
  *im = fma(cr, s, fma(ci, c, *im));
}
#define ADD(phase, r, i) add_pulse(phase, step_phase, cells_per_phase, row, &(r), &(i))
{% endif %}

{% set half = run / 2 %}
kernel GROUP_BOUNDS void backproject_tiles(global const {{ "float2" if taps > 0 else "float4" }}* table,
                                           global const float4* parameters, global const int* bases,
                                           global const float2* sinc_weights, global const float* heights,
                                           global const float* tile_heights, global float2* image, int first_tile,
                                           int tiles, int pulses) {
{% if cpu %}
  // One work-item adds a whole tile: blocks of pulses small enough that their table windows stay in the cache, runs of
  // lanes x run pixels in registers.
  const int tile = (int)get_global_id(0);
  if (tile >= tiles) return;
  const size_t origin = (size_t)(first_tile + tile) * (LANE_EXTENT * RUN_EXTENT);
  for (int start = 0; start < pulses; start += {{ pulse_block }})
  for (int column = 0; column < LANE_EXTENT; column += {{ lanes }})
  for (int line = 0; line < RUN_EXTENT; line += {{ run }}) {
    const size_t corner = origin + line * LANE_EXTENT + column;
{% else %}
  const int tile = (int)get_group_id(0);
  const int column = (int)get_local_id(0), line = (int)get_local_id(1) * {{ run }};
{% if stage > 0 %}
  // Two stages: while one is added, the parameters and table windows of the other arrive.
  __local float4 windows[2][{{ stage }}][WINDOW];
  __local float4 staged[2][{{ stage }}][PARAMETER_QUADS];
{% endif %}
  {
    const size_t corner = (size_t)(first_tile + tile) * (LANE_EXTENT * RUN_EXTENT) + line * LANE_EXTENT + column;
{% endif %}
    global float2* pixels = image + corner;
    const float along = ((float)line + 0.5f * ({{ run }} - RUN_EXTENT)) * RUN_STEP;
    real_n re[{{ run }}], im[{{ run }}];
{% if lanes == 1 %}
    const real_n across = ((float)column - 0.5f * (LANE_EXTENT - 1)) * LANE_STEP;
{% for j in range(run) %}
    re[{{ j }}] = pixels[{{ j }} * LANE_EXTENT].x, im[{{ j }}] = pixels[{{ j }} * LANE_EXTENT].y;
{% endfor %}
{% else %}
    const real_n across = (SPLAT((float)column - 0.5f * (LANE_EXTENT - 1)) + (real_n)({{ join(range(lanes), ", ") }})) * SPLAT(LANE_STEP);
{% for j in range(run) %}
{% for l in range(lanes) %}
    re[{{ j }}].s{{ digits[l] }} = pixels[{{ j }} * LANE_EXTENT + {{ l }}].x, im[{{ j }}].s{{ digits[l] }} = pixels[{{ j }} * LANE_EXTENT + {{ l }}].y;
{% endfor %}
{% endfor %}
{% endif %}
{% if heights %}
    real_n ez[{{ run }}];
{% for j in range(run) %}
    ez[{{ j }}] = {% if lanes == 1 %}heights[corner + {{ j }} * LANE_EXTENT]{% else %}vload{{ lanes }}(0, heights + corner + {{ j }} * LANE_EXTENT){% endif %} - SPLAT(tile_heights[first_tile + tile]);
{% endfor %}
{% endif %}
    const size_t own = (size_t)tile * pulses;
{% if stage > 0 %}
    const int item = (int)get_local_id(1) * {{ group_x }} + column;
#define FETCH(side, first)                                                                                        \
  for (int k = item; k < {{ stage }} * WINDOW; k += {{ group_x * group_y }}) {                                    \
    const int q = k / WINDOW, entry = k - q * WINDOW;                                                             \
    const size_t p = (size_t)((first) + q);                                                                       \
    COPY_16(&windows[side][q][entry], table + p * ROW + GUARD + bases[own + p] - WINDOW / 2 + entry);             \
  }                                                                                                               \
  for (int k = item; k < {{ stage }} * PARAMETER_QUADS; k += {{ group_x * group_y }})                             \
    COPY_16(&staged[side][0][0] + k, parameters + (own + (size_t)(first)) * PARAMETER_QUADS + k);
    FETCH(0, 0)
    for (int start = 0; start < pulses; start += {{ stage }}) {
      const int side = (start / {{ stage }}) & 1;
      COPIES_DONE();
      barrier(CLK_LOCAL_MEM_FENCE);
      if (start + {{ stage }} < pulses) { FETCH(side ^ 1, start + {{ stage }}) }
      RTCG_UNROLL({{ unroll }})
      for (int p = 0; p < {{ stage }}; ++p) {
      LOCAL_POINTER const float4* quads = &staged[side][p][0];
      const table_row row = &windows[side][p][WINDOW / 2];
{% else %}
    {
      for (int p = {% if cpu %}start; p < min(start + {{ pulse_block }}, pulses){% else %}0; p < pulses{% endif %}; ++p) {
      global const float4* quads = parameters + (own + p) * PARAMETER_QUADS;
      const int base = bases[own + p];
      const table_row row = table + (size_t)p * ROW + GUARD + base;
{% endif %}
      const float4 q0 = quads[0], q1 = quads[1];
      const float step_phase = q1.z, cells_per_phase = q1.w;
{% if form == 0 %}
      // The distance from gaps, not from the centre's: exact also for a pixel at the antenna.
      const real_n lane_gap = SPLAT(q0.y) - across;
      const real_n from_lanes = across * (lane_gap + SPLAT(q0.y));
{% for j in range(run) %}
      {
        const float place = along + ({{ j - half }}.0f + 0.5f) * RUN_STEP;
        const float run_gap = q0.z - place;
        real_n nearer = from_lanes + SPLAT(place * (run_gap + q0.z));
{% if heights %}
        const real_n height_gap = SPLAT(q0.w) - ez[{{ j }}];
        nearer += ez[{{ j }}] * (height_gap + SPLAT(q0.w));
{% else %}
        const float height_gap = q0.w;
{% endif %}
        const real_n square = fma(lane_gap, lane_gap, SPLAT(run_gap * run_gap) + height_gap * height_gap);
        const real_n far = native_sqrt(square) + SPLAT(q1.x);
        const real_n phase = fma(SPLAT(-q1.y) * nearer, native_recip(fmax(far, SPLAT(1e-30f))), SPLAT(q0.x));
        ADD(phase, re[{{ j }}], im[{{ j }}]);
      }
{% endfor %}
{% else %}
{% if form == 3 %}
      const float4 q2 = quads[2];
      const real_n c0 = fma(across, fma(across, fma(across, SPLAT(q2.x), SPLAT(q0.w)), SPLAT(q0.y)), SPLAT(q0.x));
      const real_n c1 = fma(across, fma(across, SPLAT(q2.y), SPLAT(q1.x)), SPLAT(q0.z));
      const real_n c2 = fma(across, SPLAT(q2.z), SPLAT(q1.y));
      const real_n e0 = fma(SPLAT(along), fma(SPLAT(along), fma(SPLAT(along), SPLAT(q2.w), c2), c1), c0);
      const real_n e1 = fma(SPLAT(along), fma(SPLAT(3.0f * along), SPLAT(q2.w), c2 + c2), c1);
      const real_n e2 = fma(SPLAT(3.0f * along), SPLAT(q2.w), c2);
{% else %}
      const real_n c0 = fma(across, fma(across, SPLAT(q0.w), SPLAT(q0.y)), SPLAT(q0.x));
      const real_n c1 = fma(across, SPLAT(q1.x), SPLAT(q0.z));
      const real_n e0 = fma(SPLAT(along), fma(SPLAT(along), SPLAT(q1.y), c1), c0);
      const real_n e1 = fma(SPLAT(2.0f * along), SPLAT(q1.y), c1);
      const real_n e2 = SPLAT(q1.y);
{% endif %}
{% for j in range(half) %}
      {
        const float d = {{ j }}.5f * RUN_STEP;
        const real_n even = fma(SPLAT(d * d), e2, e0);
        const real_n slope = {% if form == 3 %}fma(SPLAT(d * d), SPLAT(q2.w), e1){% else %}e1{% endif %};
        ADD(fma(SPLAT(d), slope, even), re[{{ half + j }}], im[{{ half + j }}]);
        ADD(fma(SPLAT(-d), slope, even), re[{{ half - 1 - j }}], im[{{ half - 1 - j }}]);
      }
{% endfor %}
{% endif %}
      }
    }
{% for j in range(run) %}
{% if lanes == 1 %}
    pixels[{{ j }} * LANE_EXTENT] = make_float2(re[{{ j }}], im[{{ j }}]);
{% else %}
{% for l in range(lanes) %}
    pixels[{{ j }} * LANE_EXTENT + {{ l }}] = make_float2(re[{{ j }}].s{{ digits[l] }}, im[{{ j }}].s{{ digits[l] }});
{% endfor %}
{% endif %}
{% endfor %}
  }
}
