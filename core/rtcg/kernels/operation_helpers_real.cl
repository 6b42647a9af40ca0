// As operation_helpers.cl, for ${real}.
#ifndef RTCG_OPERATION_HELPERS_${real}
#define RTCG_OPERATION_HELPERS_${real}
static inline ${real} rtcg_sign_${real}(${real} x) { return x > 0 ? (${real})1 : x < 0 ? (${real})-1 : x; }
static inline ${real} rtcg_minimum_${real}(${real} a, ${real} b) { return a != a || a < b ? a : b; }
static inline ${real} rtcg_maximum_${real}(${real} a, ${real} b) { return a != a || a > b ? a : b; }
static inline ${real} rtcg_remainder_${real}(${real} a, ${real} b) {
  const ${real} r = fmod(a, b);
  return r == 0 ? copysign((${real})0, b) : (r < 0) != (b < 0) ? r + b : r;
}
static inline long rtcg_to_long_${real}(${real} x) {
  return x >= (${real})9.2233720368547758e18 ? LONG_MAX : x < -(${real})9.2233720368547758e18 ? LONG_MIN : x == x ? (long)x : 0;
}
static inline ulong rtcg_to_ulong_${real}(${real} x) {
  return x >= (${real})1.8446744073709552e19 ? ULONG_MAX : x > 0 ? (ulong)x : 0;
}
#endif
