// Every word of the kernel language: its value on every device here, and that NVRTC takes it for sm_80 and sm_90.
#include "rtcg/compile/prelude.h"

#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <complex>
#include <limits>

#include "rtcg/compile/compiler.h"
#include "support/devices.h"

namespace rtcg {
namespace {

const std::vector<float> reals{0.5f, -1.5f, 2.25f, 3.0f, -4.75f, 100.5f, 0.125f, 7.0f};
const std::vector<int> integers{1, -2, 3, 70000, -8, 255, 0x0f0f, 12};

/// `body` sees `f` (reals) and `n` (integers) and sets out[0], out[1], ... to `expected` within `relative`.
struct WordCase {
  const char* name;
  std::string body;
  std::vector<double> expected;
  double relative = 0;
};

std::string kernel_text(const WordCase& test) {
  return "kernel void words(global double* restrict out, global const float* restrict f, global const int* restrict n) "
         "{\n" +
         test.body + "\n}\n";
}

double rotated(std::uint32_t value, int by) {
  return (value << by) | (value >> (32 - by));
}

const std::vector<WordCase>& cases() {
  static const double pi = 3.14159265358979323846;
  static const std::vector<WordCase> list{
      {"types",
       "uchar a = (uchar)n[5]; ushort b = (ushort)n[3]; uint c = (uint)n[1]; ulong d = (ulong)(uint)n[1] << 32;\n"
       "out[0] = a; out[1] = b; out[2] = c; out[3] = (double)(d >> 32); out[4] = sizeof(long); out[5] = "
       "sizeof(size_t);",
       {255, 70000 % 65536, 4294967294.0, 4294967294.0, 8, 8}},
      {"vector_arithmetic",
       "float4 a = make_float4(f[0], f[1], f[2], f[3]), b = make_float4(f[4], f[5], f[6], f[7]);\n"
       "float4 c = a + b * 2.0f - a / 2.0f; c *= 2.0f; c += a; c -= 1.0f; c = -c; c = 3.0f - c; c = 2.0f * c;\n"
       "out[0] = c.x; out[1] = c.y; out[2] = c.z; out[3] = c.w;",
       {2 * (3 + ((0.5 - 9.5 - 0.25) * 2 + 0.5 - 1)), 2 * (3 + ((-1.5 + 201 + 0.75) * 2 - 1.5 - 1)),
        2 * (3 + ((2.25 + 0.25 - 1.125) * 2 + 2.25 - 1)), 2 * (3 + ((3 + 14 - 1.5) * 2 + 3 - 1))}},
      {"integer_vectors",
       "int2 a = make_int2(n[0], n[2]); a <<= 2; a |= 1; a ^= make_int2(3, 3); uint4 u = make_uint4(n[5], 8, 9, 10); u "
       "&= 6u; u >>= 1;\n"
       "long2 l = make_long2(n[3], 2); l *= l; short4 s = make_short4(1, 2, 3, 4); s += s; uchar4 c = make_uchar4(200, "
       "2, 3, 4); c += c;\n"
       "out[0] = a.x; out[1] = a.y; out[2] = u.x; out[3] = u.w; out[4] = (double)l.x; out[5] = s.w; out[6] = c.x;",
       {6, 14, 3, 1, 4.9e9, 8, 144}},
      {"double_vectors",
       "double2 a = make_double2(f[0], f[1]); a *= a; double4 b = make_double4(1, 2, 3, 4); b = b * 0.5 + b;\n"
       "double3 c = make_double3(1, 2, 3); c -= 1.0; float3 d = make_float3(f[0], f[1], f[2]); d /= make_float3(2, 2, "
       "2);\n"
       "float2 e = make_float2(1, 2); e = e + 1.0f; int3 g = make_int3(1, 2, 3); g += 1; int4 h = make_int4(1, 2, 3, "
       "4); h = h * 2;\n"
       "out[0] = a.x; out[1] = a.y; out[2] = b.w; out[3] = c.z; out[4] = d.y; out[5] = e.y; out[6] = g.z; out[7] = "
       "h.w;",
       {0.25, 2.25, 6, 2, -0.75, 3, 4, 8}},
      {"vector_functions",
       "float4 a = make_float4(f[0], f[1], f[2], f[3]), b = make_float4(f[4], f[5], f[6], f[7]);\n"
       "out[0] = dot(a, b); out[1] = length(a); out[2] = distance(a, b); out[3] = normalize(a).z;\n"
       "float3 c = cross(make_float3(f[0], f[1], f[2]), make_float3(f[3], f[4], f[6])); out[4] = c.x; out[5] = c.y; "
       "out[6] = c.z;\n"
       "out[7] = fma(a, b, a).y; out[8] = mad(a, b, b).z; out[9] = clamp(b, -1.0f, 5.0f).y; out[10] = mix(a, b, "
       "0.25f).w;\n"
       "out[11] = min(a, b).x; out[12] = max(a, 0.0f).y; out[13] = fabs(a).y; out[14] = floor(a).y; out[15] = "
       "sqrt(fabs(a)).z;\n"
       "out[16] = fmax(a, b).y; out[17] = ceil(a).x; out[18] = rint(a).y;",
       {0.5 * -4.75 - 1.5 * 100.5 + 2.25 * 0.125 + 21, std::sqrt(0.25 + 2.25 + 5.0625 + 9),
        std::sqrt(5.25 * 5.25 + 102.0 * 102 + 2.125 * 2.125 + 16), 2.25 / std::sqrt(0.25 + 2.25 + 5.0625 + 9),
        -1.5 * 0.125 + 2.25 * 4.75, 2.25 * 3 - 0.5 * 0.125, 0.5 * -4.75 + 1.5 * 3, -1.5 * 100.5 - 1.5,
        2.25 * 0.125 + 0.125, 5, 4, -4.75, 0, 1.5, -2, 1.5, 100.5, 1, -2},
       1e-6},
      {"integer_functions",
       "out[0] = min(n[1], n[2]); out[1] = max(n[1], n[2]); out[2] = clamp(n[3], -5, 99); out[3] = mul24(n[1], n[7]);\n"
       "out[4] = mad24(n[2], n[7], n[5]); out[5] = popcount(n[6]); out[6] = clz(n[5]); out[7] = mul_hi(n[3], n[3]);\n"
       "out[8] = rotate((uint)n[1], 5u); out[9] = select(n[1], n[2], n[0]); out[10] = select(n[1], n[2], 0); out[11] = "
       "min((uint)n[1], 9u);\n"
       "out[12] = popcount((ulong)(uint)n[1]); out[13] = clz((long)n[5]); out[14] = abs(n[1]); out[15] = "
       "max((long)n[3], (long)n[1]);",
       {-2, 3, 99, -24, 291, 8, 24, 1, rotated(static_cast<std::uint32_t>(-2), 5), 3, -2, 9, 31, 56, 2, 70000}},
      {"real_functions",
       "out[0] = min(f[0], f[1]); out[1] = max(f[0], f[1]); out[2] = clamp(f[5], 0.0f, 2.0f); out[3] = mix(f[0], f[3], "
       "0.5f);\n"
       "out[4] = mad(f[0], f[1], f[2]); out[5] = fma(f[0], f[1], f[2]); out[6] = rsqrt(f[2]); out[7] = step(f[0], "
       "f[2]);\n"
       "out[8] = sign(f[4]); out[9] = degrees(f[3]); out[10] = radians(f[5]); out[11] = pown(f[1], 3); out[12] = "
       "powr(f[2], f[0]);\n"
       "out[13] = fmin(f[0], f[1]); out[14] = fabs(f[1]); out[15] = select(f[0], f[1], n[0] > 0); out[16] = "
       "hypot(f[3], f[4]);\n"
       "out[17] = atan2(f[0], f[1]); out[18] = fmod(f[5], f[3]); out[19] = ldexp(f[0], 5); out[20] = copysign(f[3], "
       "f[1]);\n"
       "out[21] = isnan(f[0]) != 0; out[22] = isinf(f[0] * INFINITY) != 0; out[23] = sizeof(sin(f[0]));",
       {-1.5,
        0.5,
        2,
        1.75,
        1.5,
        1.5,
        1 / 1.5,
        1,
        -1,
        3 * 180 / pi,
        100.5 * pi / 180,
        -3.375,
        1.5,
        -1.5,
        1.5,
        -1.5,
        std::hypot(3.0, 4.75),
        std::atan2(0.5, -1.5),
        1.5,
        16,
        -3,
        0,
        1,
        4},
       1e-6},
      {"double_functions",
       "double a = f[2], b = f[1]; out[0] = clamp(a, 0.0, 1.0); out[1] = mix(a, b, 0.5); out[2] = mad(a, b, a); out[3] "
       "= rsqrt(a);\n"
       "double s, c; rtcg_sincos(a, &s, &c); out[4] = s; out[5] = c; out[6] = degrees(a); out[7] = pown(b, 2); out[8] "
       "= sign(b);\n"
       "out[9] = max(a, b); out[10] = fmin(a, b); out[11] = sinpi(a);",
       {1, 0.375, 2.25 * -1.5 + 2.25, 1 / 1.5, std::sin(2.25), std::cos(2.25), 2.25 * 180 / pi, 2.25, -1, 2.25, -1.5,
        std::sin(pi * 2.25)},
       1e-14},
      {"sincos",
       "float s, c; rtcg_sincos(f[5], &s, &c); out[0] = s; out[1] = c;",
       {std::sin(100.5), std::cos(100.5)},
       1e-6},
      {"native",
       "float s, c; rtcg_native_sincos(f[0], &s, &c); out[0] = s; out[1] = c; out[2] = native_sin(f[0]); out[3] = "
       "native_cos(f[0]);\n"
       "out[4] = native_tan(f[0]); out[5] = native_exp(f[1]); out[6] = native_exp2(f[1]); out[7] = native_exp10(f[1]); "
       "out[8] = native_log(f[3]);\n"
       "out[9] = native_log2(f[3]); out[10] = native_log10(f[3]); out[11] = native_powr(f[3], f[1]); out[12] = "
       "native_divide(f[3], f[4]);\n"
       "out[13] = native_recip(f[3]); out[14] = native_rsqrt(f[3]); out[15] = native_sqrt(f[3]);",
       {std::sin(0.5), std::cos(0.5), std::sin(0.5), std::cos(0.5), std::tan(0.5), std::exp(-1.5), std::exp2(-1.5),
        std::pow(10, -1.5), std::log(3.0), std::log2(3.0), std::log10(3.0), std::pow(3, -1.5), 3 / -4.75, 1.0 / 3,
        1 / std::sqrt(3.0), std::sqrt(3.0)},
       1e-5},
      {"reinterpreted",
       "out[0] = as_int(f[0]); out[1] = as_uint(f[1]); out[2] = as_float(n[5] << 22); out[3] = "
       "(double)as_long((double)f[0]);\n"
       "out[4] = as_double(4607182418800017408l); out[5] = as_float2(make_uint2(as_uint(f[2]), 0u)).x; out[6] = "
       "as_int4(make_float4(f[0], 0, 0, f[0])).w;",
       {0x3f000000, 0xbfc00000, 1.5, 0x3fe0000000000000, 1, 2.25, 0x3f000000}},
      {"converted",
       "out[0] = convert_int(f[1]); out[1] = convert_int_rte(f[1]); out[2] = convert_int_rtn(f[1]); out[3] = "
       "convert_int_rtp(f[1]);\n"
       "out[4] = convert_int_rtz(f[4]); out[5] = convert_uchar_sat(n[3]); out[6] = convert_uchar_sat(f[1]); out[7] = "
       "convert_uchar_sat_rte(f[5]);\n"
       "out[8] = convert_short_sat(n[3]); out[9] = convert_float(n[3]); out[10] = convert_double(f[2]); out[11] = "
       "convert_uint(f[5]);\n"
       "out[12] = (double)convert_long_rte(f[5]); out[13] = convert_float4(make_int4(1, 2, 3, n[3])).w; out[14] = "
       "convert_int2(make_float2(f[5], f[4])).y;\n"
       "out[15] = convert_char_sat(f[5] * 2); out[16] = convert_int_sat(f[5] * 1e20f); out[17] = "
       "convert_uint_sat(f[1]); out[18] = convert_uchar4(make_float4(1, 2, 3, f[5])).w;",
       {-1, -2, -2, -1, -4, 255, 0, 100, 32767, 70000, 2.25, 100, 100, 70000, -4, 127, INT_MAX, 0, 100}},
      {"limits",
       "out[0] = FLT_MAX; out[1] = FLT_MIN; out[2] = FLT_EPSILON; out[3] = DBL_MAX; out[4] = DBL_EPSILON; out[5] = "
       "INT_MAX; out[6] = INT_MIN;\n"
       "out[7] = UINT_MAX; out[8] = CHAR_BIT; out[9] = INFINITY; out[10] = NAN != NAN; out[11] = (double)LONG_MAX; "
       "out[12] = DBL_MIN;",
       {std::numeric_limits<float>::max(), std::numeric_limits<float>::min(), std::numeric_limits<float>::epsilon(),
        std::numeric_limits<double>::max(), std::numeric_limits<double>::epsilon(), INT_MAX, INT_MIN, UINT_MAX, 8,
        std::numeric_limits<double>::infinity(), 1, 9223372036854775807.0, std::numeric_limits<double>::min()}},
      {"constants",
       "out[0] = M_PI; out[1] = M_PI_F; out[2] = M_E; out[3] = M_SQRT2; out[4] = M_LN2; out[5] = M_1_PI; out[6] = "
       "M_PI_2_F; out[7] = M_LOG2E; out[8] = M_2_PI; out[9] = M_SQRT1_2_F;",
       {pi, static_cast<float>(pi), std::exp(1.0), std::sqrt(2.0), std::log(2.0), 1 / pi, static_cast<float>(pi / 2),
        1 / std::log(2.0), 2 / pi, static_cast<float>(std::sqrt(0.5))},
       1e-15},
      {"private_vector_memory",
       "float p[8]; for (int i = 0; i < 8; ++i) p[i] = f[i];\n"
       "vstore2(vload2(1, f), 0, p); vstore4(vload4(1, f) * 2.0f, 1, p); float3 v = vload3(1, f);\n"
       "out[0] = p[0]; out[1] = p[1]; out[2] = p[2]; out[3] = p[5]; out[4] = v.x; out[5] = v.z;",
       {2.25, 3, 2.25, 201, 3, 100.5}},
      {"kernel_kind",
       "#if defined(RTCG_CUDA) == defined(RTCG_OPENCL)\n#error one of the two\n#endif\n"
       "#if defined(RTCG_GPU) && defined(RTCG_CPU)\n#error not both\n#endif\nout[0] = 1;",
       {1}},
      {"unroll",
       "double sum = 0;\n#define N 4\nRTCG_UNROLL(N)\nfor (int i = 0; i < 8; ++i) sum += f[i];\nRTCG_UNROLL(2) for "
       "(int i = 0; i < 8; ++i) sum += n[i];\nout[0] = sum;",
       {107.125 + 74116}},
  };
  return list;
}

class PreludeOnDevice : public test::DeviceTest {};

TEST_P(PreludeOnDevice, WordsMeanTheSame) {
  const Stream stream = this->stream();
  const Buffer f = Buffer::from(stream, reals), n = Buffer::from(stream, integers);
  for (const WordCase& test : cases()) {
    SCOPED_TRACE(test.name);
    const Buffer out = Buffer::of<double>(stream, 32);
    out.fill(stream, -12345.0);
    compile(device(), Source(test.name, kernel_text(test))).kernel("words")(stream, Grid::of(1, 1), out, f, n);
    const std::vector<double> values = out.read<double>();
    for (std::size_t i = 0; i < test.expected.size(); ++i) {
      if (values[i] == test.expected[i]) continue;
      EXPECT_NEAR(values[i], test.expected[i], test.relative * std::fabs(test.expected[i])) << "out[" << i << "]";
    }
    EXPECT_EQ(values[test.expected.size()], -12345.0);
  }
}

constexpr const char* group_text = R"(
__constant float table[4] = {1, 2, 4, 8};
inline float looked_up(constant float* values, int i) { return values[i]; }
inline void halve(LOCAL_POINTER float* values, int i) { values[i] *= 0.5f; }
kernel RTCG_GROUP_SIZE(16, 2, 1) void places(global int* restrict out, global float* restrict sums, constant float* values) {
  local float shared[32];
  const int x = get_local_id(0), y = get_local_id(1), i = y * get_local_size(0) + x;
  shared[i] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  halve(shared, 31 - i);
  barrier(CLK_LOCAL_MEM_FENCE);
  const size_t gx = get_global_id(0), gy = get_global_id(1), at = gy * get_global_size(0) + gx;
  out[at] = get_group_id(0) * 1000 + get_group_id(1) * 100 + get_num_groups(0) * 10 + get_num_groups(1);
  sums[at] = shared[i] + table[at & 3] + looked_up(values, at & 1);
  if (get_global_offset(0) != 0 || get_work_dim() < 2 || get_local_size(1) != 2 || get_global_id(2) != 0) out[at] = -1;
  mem_fence(CLK_GLOBAL_MEM_FENCE);
}
)";

TEST_P(PreludeOnDevice, WorkItemsKnowTheirPlaceAndShareLocalMemory) {
  const Stream stream = this->stream();
  const Buffer out = Buffer::of<int>(stream, 192), sums = Buffer::of<float>(stream, 192);
  const Buffer values = Buffer::from(stream, std::vector<float>{0.25f, 0.75f});
  compile(device(), Source("places.cl", group_text))
      .kernel("places")(stream, Grid::of(3, 2, 1, 16, 2, 1), out, sums, values);
  const std::vector<int> places = out.read<int>();
  const std::vector<float> result = sums.read<float>();
  for (int gy = 0; gy < 4; ++gy)
    for (int gx = 0; gx < 48; ++gx) {
      const std::size_t at = static_cast<std::size_t>(gy * 48 + gx);
      ASSERT_EQ(places[at], gx / 16 * 1000 + gy / 2 * 100 + 32) << gx << "," << gy;
      ASSERT_EQ(result[at], static_cast<float>(gy % 2 * 16 + gx % 16) / 2 + static_cast<float>(1 << (at & 3)) +
                                (at % 2 ? 0.75f : 0.25f));
    }
}

constexpr const char* atomic_text = R"(
kernel void count(global int* restrict i, global uint* restrict u, global float* restrict f) {
  local int group[1];
  local float group_sum[1];
  const int item = get_global_id(0);
  if (get_local_id(0) == 0) { group[0] = 0; group_sum[0] = 0; }
  barrier(CLK_LOCAL_MEM_FENCE);
  atomic_add(&i[0], item); atomic_sub(&i[1], 1); atomic_inc(&i[2]); atomic_dec(&i[3]); atomic_min(&i[4], -item); atomic_max(&i[5], item);
  atomic_add(&u[0], 2u); atomic_and(&u[1], ~(1u << (item & 7))); atomic_or(&u[2], 1u << (item & 7)); atomic_xor(&u[3], 1u);
  atomic_max(&u[4], 0xfffffff0u); atomic_cmpxchg(&u[5], 5u, 6u); if (item == 7) atomic_xchg(&u[6], 9u);
  atomic_add_float(&f[0], 0.5f);
  atomic_inc(&group[0]);
  atomic_add_float_local(&group_sum[0], 0.25f);
  barrier(CLK_LOCAL_MEM_FENCE);
  if (get_local_id(0) == 0) { atomic_add(&i[6], group[0]); atomic_add_float(&f[1], group_sum[0]); }
}
)";

TEST_P(PreludeOnDevice, AtomicsCountEveryItem) {
  const Stream stream = this->stream();
  const Buffer i = Buffer::from(stream, std::vector<int>(8, 0)), f = Buffer::from(stream, std::vector<float>(2, 0.0f));
  const Buffer u = Buffer::from(stream, std::vector<unsigned>{0, 0xffffffffu, 0, 1, 0, 5, 0});
  compile(device(), Source("atomics.cl", atomic_text)).kernel("count")(stream, Grid::of(4, 64), i, u, f);
  EXPECT_EQ(i.read<int>(), (std::vector<int>{255 * 128, -256, 256, -256, -255, 255, 256, 0}));
  EXPECT_EQ(u.read<unsigned>(), (std::vector<unsigned>{512, 0xffffff00u, 0xff, 1, 0xfffffff0u, 6, 9}));
  EXPECT_EQ(f.read<float>(), (std::vector<float>{128, 64}));
}

constexpr const char* half_text = R"(
kernel void halves(global float* restrict out, global half* restrict h, global const float* restrict f) {
  for (int k = 0; k < 8; ++k) vstore_half(f[k], k, h);
  for (int k = 0; k < 8; ++k) out[k] = vload_half(k, h);
  out[8] = vload_half2(1, h).y;
  out[9] = vload_half4(1, h).z;
  vstore_half2(vload_half2(0, h), 4, h);
  vstore_half4(vload_half4(0, h), 3, h);
  out[10] = vload_half(9, h);
  out[11] = vload_half(15, h);
}
)";

TEST_P(PreludeOnDevice, HalvesRoundToNearestEven) {
  const Stream stream = this->stream();
  const std::vector<float> given{1, 2049, 2051, -0.1f, 70000, 1e-8f, 6e-8f, 65504};
  const std::vector<float> expected{
      1, 2048, 2052, -0.0999755859375f, std::numeric_limits<float>::infinity(), 0, 5.9604644775390625e-8f, 65504};
  const Buffer out = Buffer::of<float>(stream, 12), h = Buffer::of<std::uint16_t>(stream, 16),
               f = Buffer::from(stream, given);
  compile(device(), Source("halves.cl", half_text)).kernel("halves")(stream, Grid::of(1, 1), out, h, f);
  const std::vector<float> values = out.read<float>();
  for (std::size_t k = 0; k < 8; ++k) EXPECT_EQ(values[k], expected[k]) << given[k];
  EXPECT_EQ(values[8], expected[3]);
  EXPECT_EQ(values[9], expected[6]);
  EXPECT_EQ(values[10], expected[1]);
  EXPECT_EQ(values[11], expected[3]);
}

constexpr const char* complex_text = R"(
kernel void arithmetic(global C_t* restrict out, global const C_t* restrict in) {
  const C_t a = in[0], b = in[1];
  out[0] = C(mul)(a, b); out[1] = C(div)(a, b); out[2] = C(add)(a, b); out[3] = C(sub)(a, b); out[4] = C(conj)(a);
  out[5] = C(scale)(a, 2); out[6] = C(fma)(a, b, a); out[7] = C(new)(C(abs)(a), C(abs2)(a)); out[8] = C(new)(C(arg)(a), 0);
  out[9] = C(exp_i)(b.x); out[10] = C(exp)(b); out[11] = C(div)(b, a); C_t c = a + b; c -= in[2]; c *= 2; out[12] = c;
}
)";

template <class T>
void expect_complex_arithmetic(const Device& device, const char* name, double relative) {
  using Complex = std::complex<T>;
  const Stream stream(device);
  const std::vector<Complex> in{{1.5, -2}, {0.25, 3}, {1, 1}};
  const Buffer out = Buffer::of<Complex>(stream, 13), given = Buffer::from(stream, in);
  Source source("complex.cl", complex_text);
  source.define("C_t", std::string(name) + "_t").define("C(word)", std::string(name) + "_##word");
  compile(device, source).kernel("arithmetic")(stream, Grid::of(1, 1), out, given);
  const std::complex<double> a(in[0]), b(in[1]), c(in[2]), i(0, 1);
  const std::vector<std::complex<double>> expected{a * b,
                                                   a / b,
                                                   a + b,
                                                   a - b,
                                                   std::conj(a),
                                                   2.0 * a,
                                                   a * b + a,
                                                   {std::abs(a), std::norm(a)},
                                                   std::arg(a),
                                                   std::exp(i * b.real()),
                                                   std::exp(b),
                                                   b / a,
                                                   2.0 * (a + b - c)};
  const std::vector<Complex> values = out.read<Complex>();
  for (std::size_t k = 0; k < expected.size(); ++k)
    EXPECT_LE(std::abs(std::complex<double>(values[k]) - expected[k]), relative * std::abs(expected[k]))
        << name << " " << k;
}

TEST_P(PreludeOnDevice, ComplexArithmetic) {
  expect_complex_arithmetic<float>(device(), "cfloat", 3e-7);
  if (device().properties().has_double) expect_complex_arithmetic<double>(device(), "cdouble", 1e-15);
}

constexpr const char* image_text = R"(
kernel void sample(global float* restrict out, read_only image2d_t flat, read_only image3d_t solid) {
  const sampler_t linear = RTCG_SAMPLER(linear, clamp), nearest = RTCG_SAMPLER(nearest, zero);
  out[0] = read_imagef(flat, linear, make_float2(0.5f, 0.5f)).x;
  out[1] = read_imagef(flat, linear, make_float2(1.0f, 0.5f)).x;
  out[2] = read_imagef(flat, linear, make_float2(1.5f, 1.0f)).y;
  out[3] = read_imagef(flat, linear, make_float2(-9.0f, 0.5f)).x;
  out[4] = read_imagef(solid, nearest, make_float4(1.5f, 0.5f, 1.5f, 0)).x;
  out[5] = read_imagef(solid, nearest, make_float4(5.5f, 0.5f, 0.5f, 0)).x;
  out[6] = read_imagef(solid, nearest, make_int4(1, 1, 0, 0)).x;
  out[7] = get_image_width(flat) * 100 + get_image_height(flat) * 10 + get_image_depth(solid);
}
)";

TEST_P(PreludeOnDevice, TexturesFilterAndClamp) {
  if (!device().properties().has_images) GTEST_SKIP() << "no images on " << device().id();
  const Stream stream = this->stream();
  const Texture flat(stream, {3, 2, 1, 4, TextureFormat::float32, TextureFilter::linear, TextureEdge::clamp});
  const Texture solid(stream, {2, 2, 2, 1, TextureFormat::float32, TextureFilter::nearest, TextureEdge::zero});
  flat.write(std::span<const float>(
      std::vector<float>{0, 10, 0, 0, 1, 11, 0, 0, 2, 12, 0, 0, 3, 13, 0, 0, 4, 14, 0, 0, 5, 15, 0, 0}));
  solid.write(std::span<const float>(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}));
  const Buffer out = Buffer::of<float>(stream, 8);
  compile(device(), Source("sample.cl", image_text)).kernel("sample")(stream, Grid::of(1, 1), out, flat, solid);
  EXPECT_EQ(out.read<float>(), (std::vector<float>{0, 0.5f, 12.5f, 0, 5, 0, 3, 322}));
}

TEST(Prelude, NvrtcTakesEveryWordForEveryCheckedArchitecture) {
  if (cuda_architectures().empty()) GTEST_SKIP() << "no NVRTC here";
  const auto expect_kernel = [](const Source& source, const char* kernel) {
    for (const char* architecture : {"sm_80", "sm_90"}) {
      const CompileReport report = check_cuda(source, architecture);
      EXPECT_EQ(report.kernels, std::vector<std::string>{kernel}) << source.name();
      EXPECT_EQ(report.log, "") << source.name();
    }
  };
  for (const WordCase& test : cases()) expect_kernel(Source(test.name, kernel_text(test)), "words");
  expect_kernel(Source("places.cl", group_text), "places");
  expect_kernel(Source("atomics.cl", atomic_text), "count");
  expect_kernel(Source("halves.cl", half_text), "halves");
  expect_kernel(Source("sample.cl", image_text), "sample");
  for (const std::string name : {"cfloat", "cdouble"})
    expect_kernel(Source(name + ".cl", complex_text).define("C_t", name + "_t").define("C(word)", name + "_##word"),
                  "arithmetic");
}

RTCG_INSTANTIATE_FOR_DEVICES(PreludeOnDevice);

}  // namespace
}  // namespace rtcg
