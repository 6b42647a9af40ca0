// Functions of the elementwise operations that C lacks or leaves undefined; the rules are NumPy's.
#ifndef RTCG_OPERATION_HELPERS
#define RTCG_OPERATION_HELPERS
#define rtcg_to_char(x) ((x) == (x) ? convert_char_sat(x) : (char)0)
#define rtcg_to_uchar(x) ((x) == (x) ? convert_uchar_sat(x) : (uchar)0)
#define rtcg_to_short(x) ((x) == (x) ? convert_short_sat(x) : (short)0)
#define rtcg_to_ushort(x) ((x) == (x) ? convert_ushort_sat(x) : (ushort)0)
#define rtcg_to_int(x) ((x) == (x) ? convert_int_sat(x) : 0)
#define rtcg_to_uint(x) ((x) == (x) ? convert_uint_sat(x) : 0u)
#define rtcg_clip(x, low, high) ((x) < (low) ? ((low) > (high) ? (high) : (low)) : (x) > (high) ? (high) : (x))

static inline int rtcg_floor_divide_int(int a, int b) {
  if (b == 0) return 0;
  if (b == -1) return (int)(0u - (uint)a);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static inline long rtcg_floor_divide_long(long a, long b) {
  if (b == 0) return 0;
  if (b == -1) return (long)((ulong)0 - (ulong)a);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static inline int rtcg_remainder_int(int a, int b) {
  if (b == 0 || b == -1) return 0;
  const int r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
static inline long rtcg_remainder_long(long a, long b) {
  if (b == 0 || b == -1) return 0;
  const long r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
static inline int rtcg_truncate_divide_int(int a, int b) {
  return b == 0 ? 0 : b == -1 ? (int)(0u - (uint)a) : a / b;
}
static inline long rtcg_truncate_divide_long(long a, long b) {
  return b == 0 ? 0 : b == -1 ? (long)((ulong)0 - (ulong)a) : a / b;
}
static inline int rtcg_truncate_remainder_int(int a, int b) { return b == 0 || b == -1 ? 0 : a % b; }
static inline long rtcg_truncate_remainder_long(long a, long b) { return b == 0 || b == -1 ? 0 : a % b; }
// Wraps; a negative exponent gives what is left of the reciprocal: 1 for 1, +-1 for -1, else 0.
static inline ulong rtcg_power_long(ulong base, long exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == ~(ulong)0 ? (exponent & 1 ? base : 1) : 0;
  ulong result = 1;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result *= base;
    base *= base;
  }
  return result;
}
#define rtcg_power_int rtcg_power_long

#ifdef RTCG_CUDA
#define rtcg_half_value(bits) rtcg_from_half(bits)
#define rtcg_half_bits(x) rtcg_to_half(x)
#else
static inline float rtcg_half_value(ushort bits) { return vload_half(0, (const half*)&bits); }
static inline ushort rtcg_half_bits(float x) {
  ushort bits;
  vstore_half(x, 0, (half*)&bits);
  return bits;
}
#endif
#endif
