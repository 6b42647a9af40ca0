// The words of OpenCL C 1.2 for CUDA (docs/kernel-language.md). No header is included: a trivial kernel has to compile
// in a few milliseconds more than without. Function-like words are templates or overloads, not macros.
#define RTCG_CUDA 1
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

// CUDA's own definitions come down to __attribute__((global)) and __attribute__((constant)), which the plain words
// `global` and `constant` would rewrite: a kernel would silently become a device function.
#undef __global__
#undef __constant__
#define __global__ __attribute__((__global__))
#define __constant__ __attribute__((__constant__))
#define __kernel extern "C" __global__
#define __global
#define __local __shared__
#define __private
#define __constant __constant__
#ifndef RTCG_DIALECT_CUDA
#define kernel __kernel
#define global
#define local __shared__
#define private
#define constant const
#define restrict __restrict__
struct half { ushort bits; };
#endif
#define LOCAL_POINTER
#define RTCG_GROUP_SIZE(x, y, z) __launch_bounds__((x) * (y) * (z))
#define RTCG_PRAGMA(text) _Pragma(#text)
#define RTCG_UNROLL(n) RTCG_PRAGMA(unroll n)

inline size_t get_local_id(uint d) { return d == 0 ? threadIdx.x : d == 1 ? threadIdx.y : d == 2 ? threadIdx.z : 0; }
inline size_t get_group_id(uint d) { return d == 0 ? blockIdx.x : d == 1 ? blockIdx.y : d == 2 ? blockIdx.z : 0; }
inline size_t get_local_size(uint d) { return d == 0 ? blockDim.x : d == 1 ? blockDim.y : d == 2 ? blockDim.z : 1; }
inline size_t get_num_groups(uint d) { return d == 0 ? gridDim.x : d == 1 ? gridDim.y : d == 2 ? gridDim.z : 1; }
inline size_t get_global_id(uint d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
inline size_t get_global_size(uint d) { return get_num_groups(d) * get_local_size(d); }
inline size_t get_global_offset(uint) { return 0; }
inline uint get_work_dim() { return gridDim.z * blockDim.z > 1 ? 3 : gridDim.y * blockDim.y > 1 ? 2 : 1; }
#define CLK_LOCAL_MEM_FENCE 1
#define CLK_GLOBAL_MEM_FENCE 2
#define barrier(fence) __syncthreads()
#define mem_fence(fence) __threadfence_block()

#define CHAR_BIT 8
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 0xffffffffu
#define LONG_MAX 0x7fffffffffffffffl
#define LONG_MIN (-0x7fffffffffffffffl - 1)
#define ULONG_MAX 0xfffffffffffffffful
#define FLT_MAX 0x1.fffffep127f
#define FLT_MIN 0x1p-126f
#define FLT_EPSILON 0x1p-23f
#define DBL_MAX 0x1.fffffffffffffp1023
#define DBL_MIN 0x1p-1022
#define DBL_EPSILON 0x1p-52
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
#define M_E 2.71828182845904523536
#define M_LOG2E 1.44269504088896340736
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define M_E_F 2.71828182845904523536f
#define M_LOG2E_F 1.44269504088896340736f
#define M_LN2_F 0.69314718055994530942f
#define M_LN10_F 2.30258509299404568402f
#define M_PI_F 3.14159265358979323846f
#define M_PI_2_F 1.57079632679489661923f
#define M_PI_4_F 0.78539816339744830962f
#define M_1_PI_F 0.31830988618379067154f
#define M_2_PI_F 0.63661977236758134308f
#define M_SQRT2_F 1.41421356237309504880f
#define M_SQRT1_2_F 0.70710678118654752440f

// CUDA 13 names the alignment of its 32-byte vectors; OpenCL's are aligned to their size.
#if __CUDACC_VER_MAJOR__ >= 13
#define double4 double4_32a
#define long4 long4_32a
#define ulong4 ulong4_32a
#define make_double4 make_double4_32a
#define make_long4 make_long4_32a
#define make_ulong4 make_ulong4_32a
#endif

template <class V> struct rtcg_vector;
template <class T, int n> struct rtcg_vector_of;
#define RTCG_VECTOR(T, n) \
  template <> struct rtcg_vector<T##n> { typedef T scalar; enum { lanes = n }; }; \
  template <> struct rtcg_vector_of<T, n> { typedef T##n type; };
#define RTCG_VECTORS(T) RTCG_VECTOR(T, 2) RTCG_VECTOR(T, 3) RTCG_VECTOR_4(T, T##4)
#define RTCG_VECTOR_4(T, V) \
  template <> struct rtcg_vector<V> { typedef T scalar; enum { lanes = 4 }; }; \
  template <> struct rtcg_vector_of<T, 4> { typedef V type; };
RTCG_VECTORS(char) RTCG_VECTORS(uchar) RTCG_VECTORS(short) RTCG_VECTORS(ushort) RTCG_VECTORS(int) RTCG_VECTORS(uint)
RTCG_VECTORS(long) RTCG_VECTORS(ulong) RTCG_VECTORS(float) RTCG_VECTORS(double)
template <class V> using rtcg_scalar = typename rtcg_vector<V>::scalar;
template <class T> struct rtcg_same { typedef T type; };
template <class T> using rtcg_as = typename rtcg_same<T>::type;
template <class V, int n = rtcg_vector<V>::lanes> inline V rtcg_splat(rtcg_scalar<V> s) {
  V v;
  v.x = s, v.y = s;
  if constexpr (n > 2) v.z = s;
  if constexpr (n > 3) v.w = s;
  return v;
}

#define RTCG_OPERATOR(op) \
  template <class V, int n = rtcg_vector<V>::lanes> inline V& operator op##=(V& a, V b) { \
    a.x op##= b.x, a.y op##= b.y; \
    if constexpr (n > 2) a.z op##= b.z; \
    if constexpr (n > 3) a.w op##= b.w; \
    return a; \
  } \
  template <class V> inline V& operator op##=(V& a, rtcg_scalar<V> b) { return a op##= rtcg_splat<V>(b); } \
  template <class V, int n = rtcg_vector<V>::lanes> inline V operator op(V a, V b) { return a op##= b; } \
  template <class V> inline V operator op(V a, rtcg_scalar<V> b) { return a op##= rtcg_splat<V>(b); } \
  template <class V> inline V operator op(rtcg_scalar<V> a, V b) { V v = rtcg_splat<V>(a); return v op##= b; }
RTCG_OPERATOR(+) RTCG_OPERATOR(-) RTCG_OPERATOR(*) RTCG_OPERATOR(/)
RTCG_OPERATOR(&) RTCG_OPERATOR(|) RTCG_OPERATOR(^) RTCG_OPERATOR(<<) RTCG_OPERATOR(>>)
template <class V, int n = rtcg_vector<V>::lanes> inline V operator-(V a) { return rtcg_splat<V>(0) - a; }

#define mad(a, b, c) fma(a, b, c)
inline int mul24(int a, int b) { return __mul24(a, b); }
inline uint mul24(uint a, uint b) { return __umul24(a, b); }
inline int mad24(int a, int b, int c) { return __mul24(a, b) + c; }
inline uint mad24(uint a, uint b, uint c) { return __umul24(a, b) + c; }
inline int mul_hi(int a, int b) { return __mulhi(a, b); }
inline uint mul_hi(uint a, uint b) { return __umulhi(a, b); }
inline long mul_hi(long a, long b) { return __mul64hi(a, b); }
inline ulong mul_hi(ulong a, ulong b) { return __umul64hi(a, b); }
inline int popcount(int a) { return __popc(a); }
inline uint popcount(uint a) { return __popc(a); }
inline long popcount(long a) { return __popcll(a); }
inline ulong popcount(ulong a) { return __popcll(a); }
inline int clz(int a) { return __clz(a); }
inline uint clz(uint a) { return __clz(a); }
inline long clz(long a) { return __clzll(a); }
inline ulong clz(ulong a) { return __clzll(a); }
inline int rotate(int a, int n) { return __funnelshift_l(a, a, n); }
inline uint rotate(uint a, uint n) { return __funnelshift_l(a, a, n); }
inline ulong rotate(ulong a, ulong n) { return (a << (n & 63)) | (a >> (-n & 63)); }
template <class T, class C> inline T select(T a, rtcg_as<T> b, C c) { return c ? b : a; }
template <class T> inline T clamp(T x, rtcg_as<T> low, rtcg_as<T> high) { return min(max(x, low), high); }
template <class T> inline T mix(T a, rtcg_as<T> b, rtcg_as<T> t) { return a + (b - a) * t; }
template <class T> inline T step(rtcg_as<T> edge, T x) { return x < edge ? T(0) : T(1); }
template <class T> inline T sign(T x) { return x > 0 ? T(1) : x < 0 ? T(-1) : x == 0 ? x : T(0); }
inline float degrees(float x) { return x * (180 / M_PI_F); }
inline double degrees(double x) { return x * (180 / M_PI); }
inline float radians(float x) { return x * (M_PI_F / 180); }
inline double radians(double x) { return x * (M_PI / 180); }
inline float pown(float x, int n) { return pow(x, n); }
inline double pown(double x, int n) { return pow(x, n); }
inline float powr(float x, float y) { return pow(x, y); }
inline double powr(double x, double y) { return pow(x, y); }

inline float native_sin(float x) { return __sinf(x); }
inline float native_cos(float x) { return __cosf(x); }
inline float native_tan(float x) { return __tanf(x); }
inline float native_exp(float x) { return __expf(x); }
inline float native_exp10(float x) { return __exp10f(x); }
inline float native_log(float x) { return __logf(x); }
inline float native_log2(float x) { return __log2f(x); }
inline float native_log10(float x) { return __log10f(x); }
inline float native_powr(float x, float y) { return __powf(x, y); }
inline float native_divide(float x, float y) { return __fdividef(x, y); }
#define RTCG_NATIVE(word, instruction) \
  inline float word(float x) { \
    float y; \
    asm(instruction ".approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); \
    return y; \
  }
RTCG_NATIVE(native_exp2, "ex2") RTCG_NATIVE(native_recip, "rcp") RTCG_NATIVE(native_rsqrt, "rsqrt") RTCG_NATIVE(native_sqrt, "sqrt")
inline void rtcg_sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
inline void rtcg_sincos(double x, double* sine, double* cosine) { sincos(x, sine, cosine); }
inline void rtcg_native_sincos(float x, float* sine, float* cosine) { __sincosf(x, sine, cosine); }

#define RTCG_MAP_1(word) \
  template <class V, int n = rtcg_vector<V>::lanes> inline V word(V a) { \
    a.x = word(a.x), a.y = word(a.y); \
    if constexpr (n > 2) a.z = word(a.z); \
    if constexpr (n > 3) a.w = word(a.w); \
    return a; \
  }
#define RTCG_MAP_2(word) \
  template <class V, int n = rtcg_vector<V>::lanes> inline V word(V a, V b) { \
    a.x = word(a.x, b.x), a.y = word(a.y, b.y); \
    if constexpr (n > 2) a.z = word(a.z, b.z); \
    if constexpr (n > 3) a.w = word(a.w, b.w); \
    return a; \
  } \
  template <class V> inline V word(V a, rtcg_scalar<V> b) { return word(a, rtcg_splat<V>(b)); }
RTCG_MAP_1(fabs) RTCG_MAP_1(floor) RTCG_MAP_1(ceil) RTCG_MAP_1(rint) RTCG_MAP_1(sqrt) RTCG_MAP_1(rsqrt) RTCG_MAP_1(exp)
RTCG_MAP_1(sin) RTCG_MAP_1(cos) RTCG_MAP_2(min) RTCG_MAP_2(max) RTCG_MAP_2(fmin) RTCG_MAP_2(fmax)
template <class V, int n = rtcg_vector<V>::lanes> inline V fma(V a, V b, V c) {
  a.x = fma(a.x, b.x, c.x), a.y = fma(a.y, b.y, c.y);
  if constexpr (n > 2) a.z = fma(a.z, b.z, c.z);
  if constexpr (n > 3) a.w = fma(a.w, b.w, c.w);
  return a;
}
template <class V> inline V clamp(V a, rtcg_scalar<V> low, rtcg_scalar<V> high) { return min(max(a, low), high); }
template <class V> inline V mix(V a, V b, rtcg_scalar<V> t) { return a + (b - a) * t; }
template <class V, int n = rtcg_vector<V>::lanes> inline rtcg_scalar<V> dot(V a, V b) {
  rtcg_scalar<V> sum = a.x * b.x + a.y * b.y;
  if constexpr (n > 2) sum += a.z * b.z;
  if constexpr (n > 3) sum += a.w * b.w;
  return sum;
}
template <class V> inline rtcg_scalar<V> length(V a) { return sqrt(dot(a, a)); }
template <class V> inline rtcg_scalar<V> distance(V a, V b) { return length(a - b); }
template <class V> inline V normalize(V a) { return a * (1 / length(a)); }
template <class V> inline V cross(V a, V b) {
  V c = rtcg_splat<V>(0);
  c.x = a.y * b.z - a.z * b.y, c.y = a.z * b.x - a.x * b.z, c.z = a.x * b.y - a.y * b.x;
  return c;
}

template <class To, class From> inline To rtcg_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "as_TYPE needs a value of the same size");
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}
#define as_int(x) rtcg_bits<int>(x)
#define as_uint(x) rtcg_bits<uint>(x)
#define as_float(x) rtcg_bits<float>(x)
#define as_long(x) rtcg_bits<long>(x)
#define as_ulong(x) rtcg_bits<ulong>(x)
#define as_double(x) rtcg_bits<double>(x)
#define as_int2(x) rtcg_bits<int2>(x)
#define as_uint2(x) rtcg_bits<uint2>(x)
#define as_float2(x) rtcg_bits<float2>(x)
#define as_int4(x) rtcg_bits<int4>(x)
#define as_uint4(x) rtcg_bits<uint4>(x)
#define as_float4(x) rtcg_bits<float4>(x)

template <class T> inline T rtcg_round_even(T x) { return x; }
template <class T> inline T rtcg_round_up(T x) { return x; }
template <class T> inline T rtcg_round_down(T x) { return x; }
inline float rtcg_round_even(float x) { return rint(x); }
inline double rtcg_round_even(double x) { return rint(x); }
inline float rtcg_round_up(float x) { return ceil(x); }
inline double rtcg_round_up(double x) { return ceil(x); }
inline float rtcg_round_down(float x) { return floor(x); }
inline double rtcg_round_down(double x) { return floor(x); }
// The bounds are exact in double for the 8-, 16- and 32-bit targets that have a saturating conversion.
template <class To, class From> inline To rtcg_saturate(From x) {
  const double low = To(-1) < To(0) ? -(double)(1ul << (8 * sizeof(To) - 1)) : 0.0;
  const double high = To(-1) < To(0) ? (double)((1ul << (8 * sizeof(To) - 1)) - 1) : (double)((1ul << (8 * sizeof(To))) - 1);
  const double y = (double)x;
  return y != y ? To(0) : (To)(y < low ? low : y > high ? high : y);
}
#define RTCG_CONVERT(T) \
  template <class V> inline T convert_##T(V x) { return (T)x; } \
  template <class V> inline T convert_##T##_rtz(V x) { return (T)x; } \
  template <class V> inline T convert_##T##_rte(V x) { return (T)rtcg_round_even(x); } \
  template <class V> inline T convert_##T##_rtp(V x) { return (T)rtcg_round_up(x); } \
  template <class V> inline T convert_##T##_rtn(V x) { return (T)rtcg_round_down(x); }
#define RTCG_CONVERT_SATURATED(T) \
  template <class V> inline T convert_##T##_sat(V x) { return rtcg_saturate<T>(x); } \
  template <class V> inline T convert_##T##_sat_rte(V x) { return rtcg_saturate<T>(rtcg_round_even(x)); }
RTCG_CONVERT(char) RTCG_CONVERT(uchar) RTCG_CONVERT(short) RTCG_CONVERT(ushort) RTCG_CONVERT(int) RTCG_CONVERT(uint)
RTCG_CONVERT(long) RTCG_CONVERT(ulong) RTCG_CONVERT_SATURATED(char) RTCG_CONVERT_SATURATED(uchar)
RTCG_CONVERT_SATURATED(short) RTCG_CONVERT_SATURATED(ushort) RTCG_CONVERT_SATURATED(int) RTCG_CONVERT_SATURATED(uint)
template <class V> inline float convert_float(V x) { return (float)x; }
template <class V> inline double convert_double(V x) { return (double)x; }
#define RTCG_CONVERT_VECTOR(T) \
  template <class V> inline T##2 convert_##T##2(V v) { return make_##T##2((T)v.x, (T)v.y); } \
  template <class V> inline T##4 convert_##T##4(V v) { return make_##T##4((T)v.x, (T)v.y, (T)v.z, (T)v.w); }
RTCG_CONVERT_VECTOR(uchar) RTCG_CONVERT_VECTOR(short) RTCG_CONVERT_VECTOR(int) RTCG_CONVERT_VECTOR(uint) RTCG_CONVERT_VECTOR(float)
inline double2 convert_double2(float2 v) { return make_double2(v.x, v.y); }

template <class T> inline typename rtcg_vector_of<T, 2>::type vload2(size_t i, const T* p) {
  typename rtcg_vector_of<T, 2>::type v;
  v.x = p[2 * i], v.y = p[2 * i + 1];
  return v;
}
template <class T> inline typename rtcg_vector_of<T, 3>::type vload3(size_t i, const T* p) {
  typename rtcg_vector_of<T, 3>::type v;
  v.x = p[3 * i], v.y = p[3 * i + 1], v.z = p[3 * i + 2];
  return v;
}
template <class T> inline typename rtcg_vector_of<T, 4>::type vload4(size_t i, const T* p) {
  typename rtcg_vector_of<T, 4>::type v;
  v.x = p[4 * i], v.y = p[4 * i + 1], v.z = p[4 * i + 2], v.w = p[4 * i + 3];
  return v;
}
template <class V> inline void vstore2(V v, size_t i, rtcg_scalar<V>* p) { p[2 * i] = v.x, p[2 * i + 1] = v.y; }
template <class V> inline void vstore3(V v, size_t i, rtcg_scalar<V>* p) {
  p[3 * i] = v.x, p[3 * i + 1] = v.y, p[3 * i + 2] = v.z;
}
template <class V> inline void vstore4(V v, size_t i, rtcg_scalar<V>* p) {
  p[4 * i] = v.x, p[4 * i + 1] = v.y, p[4 * i + 2] = v.z, p[4 * i + 3] = v.w;
}
inline float rtcg_from_half(ushort bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
inline ushort rtcg_to_half(float x) {
  ushort bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
// A CUDA text may bring cuda_fp16.h's half, so any type of two bytes will do.
template <class H> inline float vload_half(size_t i, const H* p) {
  static_assert(sizeof(H) == 2, "vload_half reads half");
  return rtcg_from_half(((const ushort*)p)[i]);
}
template <class H> inline float2 vload_half2(size_t i, const H* p) {
  return make_float2(vload_half(2 * i, p), vload_half(2 * i + 1, p));
}
template <class H> inline float4 vload_half4(size_t i, const H* p) {
  return make_float4(vload_half(4 * i, p), vload_half(4 * i + 1, p), vload_half(4 * i + 2, p), vload_half(4 * i + 3, p));
}
template <class H> inline void vstore_half(float x, size_t i, H* p) {
  static_assert(sizeof(H) == 2, "vstore_half writes half");
  ((ushort*)p)[i] = rtcg_to_half(x);
}
template <class H> inline void vstore_half2(float2 v, size_t i, H* p) {
  vstore_half(v.x, 2 * i, p), vstore_half(v.y, 2 * i + 1, p);
}
template <class H> inline void vstore_half4(float4 v, size_t i, H* p) {
  vstore_half(v.x, 4 * i, p), vstore_half(v.y, 4 * i + 1, p), vstore_half(v.z, 4 * i + 2, p), vstore_half(v.w, 4 * i + 3, p);
}

#define RTCG_ATOMIC(word, call) \
  template <class T> inline T word(volatile T* target, rtcg_as<T> value) { return call((T*)target, value); }
RTCG_ATOMIC(atomic_add, atomicAdd) RTCG_ATOMIC(atomic_min, atomicMin) RTCG_ATOMIC(atomic_max, atomicMax)
RTCG_ATOMIC(atomic_and, atomicAnd) RTCG_ATOMIC(atomic_or, atomicOr) RTCG_ATOMIC(atomic_xor, atomicXor)
RTCG_ATOMIC(atomic_xchg, atomicExch)
template <class T> inline T atomic_sub(volatile T* target, rtcg_as<T> value) { return atomicAdd((T*)target, (T)-value); }
template <class T> inline T atomic_inc(volatile T* target) { return atomicAdd((T*)target, (T)1); }
template <class T> inline T atomic_dec(volatile T* target) { return atomicAdd((T*)target, (T)-1); }
template <class T> inline T atomic_cmpxchg(volatile T* target, rtcg_as<T> expected, rtcg_as<T> value) {
  return atomicCAS((T*)target, expected, value);
}
inline void atomic_add_float(volatile float* target, float value) { atomicAdd((float*)target, value); }
#define atomic_add_float_local atomic_add_float
