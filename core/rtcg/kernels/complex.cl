// Complex arithmetic, written once and read twice: ${complex} over ${real} (cfloat over float, cdouble over double).
// ${complex}_t is ${real}2, so + - += -= and multiplication by a real are the vector's own; layout is std::complex's.
typedef ${real}2 ${complex}_t;
static inline ${complex}_t ${complex}_new(${real} re, ${real} im) { return make_${real}2(re, im); }
static inline ${complex}_t ${complex}_conj(${complex}_t a) { return make_${real}2(a.x, -a.y); }
static inline ${complex}_t ${complex}_add(${complex}_t a, ${complex}_t b) { return make_${real}2(a.x + b.x, a.y + b.y); }
static inline ${complex}_t ${complex}_sub(${complex}_t a, ${complex}_t b) { return make_${real}2(a.x - b.x, a.y - b.y); }
static inline ${complex}_t ${complex}_scale(${complex}_t a, ${real} s) { return make_${real}2(a.x * s, a.y * s); }
static inline ${complex}_t ${complex}_mul(${complex}_t a, ${complex}_t b) {
  return make_${real}2(fma(a.x, b.x, -(a.y * b.y)), fma(a.x, b.y, a.y * b.x));
}
static inline ${complex}_t ${complex}_fma(${complex}_t a, ${complex}_t b, ${complex}_t c) {
  return make_${real}2(fma(a.x, b.x, fma(-a.y, b.y, c.x)), fma(a.x, b.y, fma(a.y, b.x, c.y)));
}
static inline ${real} ${complex}_abs2(${complex}_t a) { return fma(a.x, a.x, a.y * a.y); }
static inline ${real} ${complex}_abs(${complex}_t a) { return hypot(a.x, a.y); }
static inline ${real} ${complex}_arg(${complex}_t a) { return atan2(a.y, a.x); }
// Smith's division: no overflow where the quotient itself does not overflow.
static inline ${complex}_t ${complex}_div(${complex}_t a, ${complex}_t b) {
  if (fabs(b.x) >= fabs(b.y)) {
    ${real} r = b.y / b.x, d = b.x + b.y * r;
    return make_${real}2((a.x + a.y * r) / d, (a.y - a.x * r) / d);
  }
  ${real} r = b.x / b.y, d = b.x * r + b.y;
  return make_${real}2((a.x * r + a.y) / d, (a.y * r - a.x) / d);
}
static inline ${complex}_t ${complex}_exp_i(${real} phase) {
  ${real} s, c;
  rtcg_sincos(phase, &s, &c);
  return make_${real}2(c, s);
}
static inline ${complex}_t ${complex}_exp(${complex}_t a) { return ${complex}_scale(${complex}_exp_i(a.y), exp(a.x)); }
