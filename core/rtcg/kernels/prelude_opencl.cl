// The words of the kernel language (docs/kernel-language.md) that OpenCL C 1.2 lacks. Functions are static, or PoCL
// would keep those that are not used in every program and take twice as long to load it.
#define RTCG_OPENCL 1
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define LOCAL_POINTER __local
#define RTCG_GROUP_SIZE(x, y, z) __attribute__((reqd_work_group_size(x, y, z)))
#define RTCG_PRAGMA(text) _Pragma(#text)
#define RTCG_UNROLL(n) RTCG_PRAGMA(unroll n)

#define make_char2(x, y) ((char2)((x), (y)))
#define make_uchar2(x, y) ((uchar2)((x), (y)))
#define make_short2(x, y) ((short2)((x), (y)))
#define make_ushort2(x, y) ((ushort2)((x), (y)))
#define make_int2(x, y) ((int2)((x), (y)))
#define make_uint2(x, y) ((uint2)((x), (y)))
#define make_long2(x, y) ((long2)((x), (y)))
#define make_ulong2(x, y) ((ulong2)((x), (y)))
#define make_float2(x, y) ((float2)((x), (y)))
#define make_double2(x, y) ((double2)((x), (y)))
#define make_int3(x, y, z) ((int3)((x), (y), (z)))
#define make_uint3(x, y, z) ((uint3)((x), (y), (z)))
#define make_float3(x, y, z) ((float3)((x), (y), (z)))
#define make_double3(x, y, z) ((double3)((x), (y), (z)))
#define make_char4(x, y, z, w) ((char4)((x), (y), (z), (w)))
#define make_uchar4(x, y, z, w) ((uchar4)((x), (y), (z), (w)))
#define make_short4(x, y, z, w) ((short4)((x), (y), (z), (w)))
#define make_ushort4(x, y, z, w) ((ushort4)((x), (y), (z), (w)))
#define make_int4(x, y, z, w) ((int4)((x), (y), (z), (w)))
#define make_uint4(x, y, z, w) ((uint4)((x), (y), (z), (w)))
#define make_long4(x, y, z, w) ((long4)((x), (y), (z), (w)))
#define make_ulong4(x, y, z, w) ((ulong4)((x), (y), (z), (w)))
#define make_float4(x, y, z, w) ((float4)((x), (y), (z), (w)))
#define make_double4(x, y, z, w) ((double4)((x), (y), (z), (w)))

#define rtcg_sincos(x, sine, cosine) (*(sine) = sincos((x), (cosine)))
#define rtcg_native_sincos(x, sine, cosine) (*(sine) = native_sin(x), *(cosine) = native_cos(x))

#define RTCG_FILTER_nearest CLK_FILTER_NEAREST
#define RTCG_FILTER_linear CLK_FILTER_LINEAR
#define RTCG_EDGE_clamp CLK_ADDRESS_CLAMP_TO_EDGE
#define RTCG_EDGE_zero CLK_ADDRESS_CLAMP
#define RTCG_SAMPLER(filter, edge) (CLK_NORMALIZED_COORDS_FALSE | RTCG_FILTER_##filter | RTCG_EDGE_##edge)

// OpenCL 1.2 has no atomic float addition; the sum is exact in its inputs but its order is not fixed.
static inline void atomic_add_float(volatile __global float* target, float value) {
  volatile __global uint* bits = (volatile __global uint*)target;
  uint seen = *bits, expected;
  do {
    expected = seen;
    seen = atomic_cmpxchg(bits, expected, as_uint(as_float(expected) + value));
  } while (seen != expected);
}
static inline void atomic_add_float_local(volatile __local float* target, float value) {
  volatile __local uint* bits = (volatile __local uint*)target;
  uint seen = *bits, expected;
  do {
    expected = seen;
    seen = atomic_cmpxchg(bits, expected, as_uint(as_float(expected) + value));
  } while (seen != expected);
}
