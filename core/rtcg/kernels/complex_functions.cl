// Functions of a complex number beyond the prelude's arithmetic; principal values.
#ifndef RTCG_COMPLEX_FUNCTIONS_${complex}
#define RTCG_COMPLEX_FUNCTIONS_${complex}
static inline ${complex}_t ${complex}_log(${complex}_t z) { return ${complex}_new(log(hypot(z.x, z.y)), atan2(z.y, z.x)); }
static inline ${complex}_t ${complex}_sqrt(${complex}_t z) {
  const ${real} m = hypot(z.x, z.y);
  if (m == 0) return ${complex}_new(0, z.y);
  const ${real} a = sqrt((${real})0.5 * (m + fabs(z.x))), b = (${real})0.5 * z.y / a;
  return z.x >= 0 ? ${complex}_new(a, b) : ${complex}_new(fabs(b), copysign(a, z.y));
}
static inline ${complex}_t ${complex}_sin(${complex}_t z) {
  return ${complex}_new(sin(z.x) * cosh(z.y), cos(z.x) * sinh(z.y));
}
static inline ${complex}_t ${complex}_cos(${complex}_t z) {
  return ${complex}_new(cos(z.x) * cosh(z.y), -sin(z.x) * sinh(z.y));
}
// Of 0: 1 to the power 0, else 0, as NumPy's for exponents with a positive real part.
static inline ${complex}_t ${complex}_pow(${complex}_t a, ${complex}_t b) {
  if (a.x == 0 && a.y == 0) return ${complex}_new(b.x == 0 && b.y == 0 ? 1 : 0, 0);
  return ${complex}_exp(${complex}_mul(b, ${complex}_log(a)));
}
#endif
