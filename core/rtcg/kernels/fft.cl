{#
  Batched Fourier transform of rows of LENGTH, one kernel per pass of a Stockham plan (self-sorting, no bit reversal).
  Before a pass rows hold `done` interleaved transforms' worth of factors; butterfly j = q done + k of radix r reads
  x[j + t LENGTH / r], turns it by exp(SIGN 2 pi i k t / (done r)), and writes its transform to y[(q r + t) done + k].
  On a GPU one work-item does one butterfly; on a CPU one work-item does a whole row, whose inner loop runs along k.
#}
{% set complex = "double2" if double else "float2" %}
{% set real = "double" if double else "float" %}
typedef {{ complex }} complex_t;
typedef {{ real }} real_t;
#define LENGTH {{ length }}
#define SIGN ({{ sign }})

static inline complex_t cplx(real_t re, real_t im) {
  complex_t value;
  value.x = re, value.y = im;
  return value;
}
static inline complex_t add(complex_t a, complex_t b) { return cplx(a.x + b.x, a.y + b.y); }
static inline complex_t sub(complex_t a, complex_t b) { return cplx(a.x - b.x, a.y - b.y); }
static inline complex_t mul(complex_t a, complex_t b) { return cplx(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
static inline complex_t turn(complex_t a) { return cplx(-SIGN * a.y, SIGN * a.x); }

{% for r in radices %}
static inline void dft_{{ r }}(complex_t* v) {
{% if r == 2 %}
  const complex_t a = v[0], b = v[1];
  v[0] = add(a, b), v[1] = sub(a, b);
{% elif r == 4 or r == 8 %}
  // Even and odd halves of radix 4; for radix 8 they are joined by the eighth roots of one.
{% set parts = r / 4 %}
{% for h in range(parts) %}
  complex_t w{{ h }}[4];
  {
    const complex_t a = add(v[{{ h }}], v[{{ h + 2 * parts }}]), b = sub(v[{{ h }}], v[{{ h + 2 * parts }}]);
    const complex_t c = add(v[{{ h + parts }}], v[{{ h + 3 * parts }}]), d = turn(sub(v[{{ h + parts }}], v[{{ h + 3 * parts }}]));
    w{{ h }}[0] = add(a, c), w{{ h }}[1] = add(b, d), w{{ h }}[2] = sub(a, c), w{{ h }}[3] = sub(b, d);
  }
{% endfor %}
{% if r == 4 %}
  v[0] = w0[0], v[1] = w0[1], v[2] = w0[2], v[3] = w0[3];
{% else %}
  const real_t root_half = (real_t){{ sqrt_half }};
  const complex_t o1 = cplx(root_half * (w1[1].x - SIGN * w1[1].y), root_half * (w1[1].y + SIGN * w1[1].x));
  const complex_t o2 = turn(w1[2]);
  const complex_t o3 = cplx(-root_half * (w1[3].x + SIGN * w1[3].y), root_half * (SIGN * w1[3].x - w1[3].y));
  v[0] = add(w0[0], w1[0]), v[4] = sub(w0[0], w1[0]);
  v[1] = add(w0[1], o1), v[5] = sub(w0[1], o1);
  v[2] = add(w0[2], o2), v[6] = sub(w0[2], o2);
  v[3] = add(w0[3], o3), v[7] = sub(w0[3], o3);
{% endif %}
{% else %}
  // Odd prime: the m-th pair v[m], v[r - m] enters through its sum and its difference.
{% set h = (r - 1) / 2 %}
{% for m in range(1, h + 1) %}
  const complex_t s{{ m }} = add(v[{{ m }}], v[{{ r - m }}]), d{{ m }} = turn(sub(v[{{ m }}], v[{{ r - m }}]));
{% endfor %}
  const complex_t v0 = v[0];
  v[0] = v0;
{% for m in range(1, h + 1) %}
  v[0] = add(v[0], s{{ m }});
{% endfor %}
{% for k in range(1, h + 1) %}
  {
    complex_t even = v0, odd = cplx(0, 0);
{% for m in range(1, h + 1) %}
    even.x += (real_t){{ cosines[r][k * m % r] }} * s{{ m }}.x, even.y += (real_t){{ cosines[r][k * m % r] }} * s{{ m }}.y;
    odd.x += (real_t){{ sines[r][k * m % r] }} * d{{ m }}.x, odd.y += (real_t){{ sines[r][k * m % r] }} * d{{ m }}.y;
{% endfor %}
    v[{{ k }}] = add(even, odd), v[{{ r - k }}] = sub(even, odd);
  }
{% endfor %}
{% endif %}
}
{% endfor %}

{% for pass in passes %}
{% set r = pass[0] %}
{% set done = pass[1] %}
static inline void butterfly_{{ done }}(global const complex_t* x, global complex_t* y, global const complex_t* twiddles, int q, int k) {
  complex_t v[{{ r }}];
  const int j = q * {{ done }} + k;
{% for t in range(r) %}
  v[{{ t }}] = x[j + {{ t * (length / r) }}];
{% endfor %}
{% if done > 1 %}
{% for t in range(1, r) %}
  v[{{ t }}] = mul(v[{{ t }}], twiddles[k * {{ t * (length / (done * r)) }}]);
{% endfor %}
{% endif %}
  dft_{{ r }}(v);
{% for t in range(r) %}
  y[(q * {{ r }} + {{ t }}) * {{ done }} + k] = v[{{ t }}];
{% endfor %}
}

kernel void fft_pass_{{ done }}(global const complex_t* input, global complex_t* output, global const complex_t* twiddles, ulong work) {
  const size_t id = get_global_id(0);
  if (id >= work) return;
{% if cpu %}
  global const complex_t* x = input + id * LENGTH;
  global complex_t* y = output + id * LENGTH;
  for (int q = 0; q < {{ length / (r * done) }}; ++q)
    for (int k = 0; k < {{ done }}; ++k) butterfly_{{ done }}(x, y, twiddles, q, k);
{% else %}
  const size_t row = id / {{ length / r }};
  const int j = (int)(id % {{ length / r }});
  butterfly_{{ done }}(input + row * LENGTH, output + row * LENGTH, twiddles, j / {{ done }}, j % {{ done }});
{% endif %}
}
{% endfor %}
