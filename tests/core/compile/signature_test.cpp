#include "rtcg/compile/signature.h"

#include <gtest/gtest.h>

#include "rtcg/error.h"

namespace rtcg {
namespace {

Signature only(std::string_view text, std::vector<std::pair<std::string, std::string>> defines = {}) {
  const std::vector<Signature> signatures = read_signatures(text, defines);
  EXPECT_EQ(signatures.size(), 1u) << text;
  return signatures.empty() ? Signature{} : signatures[0];
}

Argument value(ScalarType scalar, std::uint8_t bytes, std::uint8_t lanes = 1) {
  return {nullptr, {scalar, lanes, ArgumentSpace::value, bytes}};
}
Argument buffer(ScalarType scalar) {
  return {nullptr, {scalar, 1, ArgumentSpace::buffer, 0}};
}
const Argument texture{nullptr, {ScalarType::unknown, 1, ArgumentSpace::texture, 0}};
const Argument a_float = value(ScalarType::f32, 4), a_double = value(ScalarType::f64, 8),
               an_int = value(ScalarType::i32, 4), a_long = value(ScalarType::i64, 8);

std::string error_of(const Signature& signature, const std::vector<Argument>& arguments) {
  try {
    check_arguments(signature, arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(Signature, ReadsSpacesConstnessVectorsAndScalars) {
  const Signature s = only(
      "__kernel __attribute__((reqd_work_group_size(64, 1, 1)))\n"
      "void f(__global const float4* restrict x, global uint* y, constant double *c, const unsigned int n, long long "
      "m,\n"
      "       float2 v, read_only image2d_t image, cfloat_t z, uchar flag) { }");
  EXPECT_EQ(s.kernel, "f");
  ASSERT_EQ(s.parameters.size(), 9u);
  const auto expect = [&](std::size_t i, ScalarType scalar, int lanes, ArgumentSpace space, int bytes, bool is_const) {
    const Parameter& p = s.parameters[i];
    EXPECT_EQ(p.type, (ArgumentType{scalar, static_cast<std::uint8_t>(lanes), space, static_cast<std::uint8_t>(bytes)}))
        << p.declaration;
    EXPECT_EQ(p.is_const, is_const) << p.declaration;
    EXPECT_TRUE(p.is_known) << p.declaration;
  };
  expect(0, ScalarType::f32, 4, ArgumentSpace::buffer, 0, true);
  expect(1, ScalarType::u32, 1, ArgumentSpace::buffer, 0, false);
  expect(2, ScalarType::f64, 1, ArgumentSpace::buffer, 0, true);
  expect(3, ScalarType::u32, 1, ArgumentSpace::value, 4, true);
  expect(4, ScalarType::i64, 1, ArgumentSpace::value, 8, false);
  expect(5, ScalarType::f32, 2, ArgumentSpace::value, 8, false);
  expect(6, ScalarType::unknown, 1, ArgumentSpace::texture, 0, false);
  expect(7, ScalarType::c64, 1, ArgumentSpace::value, 8, false);
  expect(8, ScalarType::u8, 1, ArgumentSpace::value, 1, false);
  EXPECT_EQ(s.parameters[0].name, "x");
  EXPECT_EQ(s.parameters[3].name, "n");
  EXPECT_EQ(s.parameters[6].name, "image");
}

TEST(Signature, ReadsCudaTexts) {
  const Signature s = only(
      "extern \"C\" __global__ void __launch_bounds__(256, 2) g(const float *__restrict__ x, cudaTextureObject_t t, "
      "int n)\n{}");
  EXPECT_EQ(s.kernel, "g");
  ASSERT_EQ(s.parameters.size(), 3u);
  EXPECT_EQ(s.parameters[1].type.space, ArgumentSpace::texture);
}

TEST(Signature, ReplacesDefinesAndTypedefsOfTextAndCaller) {
  const Signature s = only(
      "#define REAL T\ntypedef REAL real; typedef unsigned long index_t;\n#define KERNEL kernel\n"
      "KERNEL void NAME(global real* x, index_t n) {}",
      {{"T", "double"}, {"NAME", "scaled"}});
  EXPECT_EQ(s.kernel, "scaled");
  ASSERT_EQ(s.parameters.size(), 2u);
  EXPECT_EQ(s.parameters[0].type.scalar, ScalarType::f64);
  EXPECT_EQ(s.parameters[1].type.scalar, ScalarType::u64);
  EXPECT_EQ(s.parameters[0].declaration, "global real* x");
}

TEST(Signature, CommentsAndStringsAreNoText) {
  EXPECT_TRUE(read_signatures(
                  "// kernel void a(int x)\n/* kernel void b(int x) */ constant char s[] = \"kernel void c(int x)\";")
                  .empty());
  EXPECT_EQ(only("kernel void /* old: g( */ f(int a /* , int b */)").parameters.size(), 1u);
}

TEST(Signature, ParametersBehindNamesNotKnownHereTakeAnything) {
  const Signature s = only("kernel void f(global Cell* cells, struct Options options, Handle h, int n) {}");
  ASSERT_EQ(s.parameters.size(), 4u);
  EXPECT_EQ(error_of(s, {buffer(ScalarType::f32), value(ScalarType::unknown, 24, 0), a_double, an_int}), "");
  EXPECT_NE(error_of(s, {a_float, value(ScalarType::unknown, 24, 0), a_double, an_int}), "");
  EXPECT_NE(error_of(s, {buffer(ScalarType::f32), a_float, a_double, an_int}), "");
}

TEST(Signature, LeavesOutWhatCannotBeReadWithCertainty) {
  EXPECT_TRUE(read_signatures("kernel void f(int a\n#ifdef B\n, int b\n#endif\n) {}").empty());
  EXPECT_TRUE(read_signatures("#define ARG(t, n) t n\nkernel void f(ARG(int, a)) {}").empty());
  EXPECT_TRUE(read_signatures("kernel void f(EXTRA) {}").empty());
  EXPECT_TRUE(read_signatures("#if A\nkernel void f(int a) {}\n#else\nkernel void f(float a) {}\n#endif").empty());
  EXPECT_TRUE(read_signatures("#if A\n#define T int\n#else\n#define T float\n#endif\nkernel void f(T a) {}").empty());
  EXPECT_EQ(read_signatures("kernel void f(int a);\nkernel void f(int a) {}").size(), 1u);
  EXPECT_EQ(only("kernel void f(void) {}").parameters.size(), 0u);
}

TEST(Signature, SurvivesTextsThatAreNoTexts) {
  for (const char* text : {"kernel", "kernel void f(", "kernel void f(int a", "#define", "typedef", "typedef int", "\"",
                           "/*", "kernel void f)(", "#define f f\nkernel void f(f f)", "kernel void f(,)", "'"})
    EXPECT_NO_THROW(read_signatures(text)) << text;
}

TEST(Signature, DefinesThatExplodeEnd) {
  std::string text = "kernel void f(A0 x) {}\n";
  for (int i = 0; i < 60; ++i)
    text += "#define A" + std::to_string(i) + " A" + std::to_string(i + 1) + " A" + std::to_string(i + 1) + "\n";
  EXPECT_TRUE(read_signatures(text).empty());
}

TEST(ArgumentCheck, CountsAndNamesWhatIsExpected) {
  const Signature s = only("kernel void axpy(global float* y, float a, int n) {}");
  EXPECT_EQ(error_of(s, {buffer(ScalarType::f32), a_float, an_int}), "");
  EXPECT_EQ(error_of(s, {buffer(ScalarType::f32), a_float}),
            "kernel axpy takes 3 arguments (global float* y, float a, int n), 2 given");
  EXPECT_EQ(error_of(s, {buffer(ScalarType::f32), a_double, an_int}),
            "kernel axpy: argument 2 (float a): expected a float value, given a double value");
  EXPECT_EQ(error_of(s, {buffer(ScalarType::f32), an_int, an_int}),
            "kernel axpy: argument 2 (float a): expected a float value, given a int value");
  EXPECT_EQ(error_of(s, {buffer(ScalarType::f64), a_float, an_int}),
            "kernel axpy: argument 1 (global float* y): expected a Buffer of float, given a Buffer of double");
  EXPECT_EQ(error_of(s, {a_float, a_float, an_int}),
            "kernel axpy: argument 1 (global float* y): expected a Buffer of float, given a float value");
  EXPECT_EQ(error_of(s, {buffer(ScalarType::f32), buffer(ScalarType::f32), an_int}),
            "kernel axpy: argument 2 (float a): expected a float value, given a Buffer of float");
  EXPECT_NE(error_of(s, {texture, a_float, an_int}), "");
}

TEST(ArgumentCheck, IntegersMayDifferInSignButNotInSize) {
  const Signature s = only("kernel void f(uint a, long b, global int* c, global half* d) {}");
  EXPECT_EQ(error_of(s, {an_int, value(ScalarType::u64, 8), buffer(ScalarType::u32), buffer(ScalarType::u16)}), "");
  EXPECT_NE(error_of(s, {an_int, an_int, buffer(ScalarType::u32), buffer(ScalarType::u16)}), "");
  EXPECT_NE(error_of(s, {a_long, a_long, buffer(ScalarType::u32), buffer(ScalarType::u16)}), "");
  EXPECT_NE(error_of(s, {an_int, a_long, buffer(ScalarType::i64), buffer(ScalarType::u16)}), "");
  EXPECT_NE(error_of(s, {an_int, a_long, buffer(ScalarType::f32), buffer(ScalarType::u16)}), "");
  EXPECT_NE(error_of(s, {value(ScalarType::boolean, 1), a_long, buffer(ScalarType::u32), buffer(ScalarType::u16)}), "");
}

TEST(ArgumentCheck, ComplexAndVectorsShareTheirScalar) {
  const Signature s =
      only("kernel void f(global cfloat_t* a, global float2* b, global float* c, cfloat_t d, float2 e) {}");
  const Argument complex = value(ScalarType::c64, 8);
  EXPECT_EQ(error_of(s, {buffer(ScalarType::c64), buffer(ScalarType::c64), buffer(ScalarType::c64), complex, complex}),
            "");
  EXPECT_EQ(error_of(s, {buffer(ScalarType::f32), buffer(ScalarType::unknown), buffer(ScalarType::f32), complex,
                         value(ScalarType::unknown, 8, 0)}),
            "");
  EXPECT_NE(error_of(s, {buffer(ScalarType::c128), buffer(ScalarType::c64), buffer(ScalarType::c64), complex, complex}),
            "");
  EXPECT_NE(error_of(s, {buffer(ScalarType::c64), buffer(ScalarType::c64), buffer(ScalarType::c64), a_double, complex}),
            "");
}

TEST(Reconcile, TheDriversTypesWinAndTheTextsWordsStay) {
  const Signature read = only("kernel void f(global thing_t* x, float a) {}");
  const std::vector<ParameterInfo> reported{{"double*", "x", 8}, {"float", "a", 4}};
  const auto merged = reconcile("f", &read, reported);
  ASSERT_TRUE(merged);
  EXPECT_EQ(merged->parameters[0].type.scalar, ScalarType::f64);
  EXPECT_EQ(merged->parameters[0].declaration, "global thing_t* x");
  // One parameter more than the text seems to have: the text was misread.
  const std::vector<ParameterInfo> more{{"float*", "x", 8}, {"float", "a", 4}, {"int", "n", 4}};
  EXPECT_EQ(reconcile("f", &read, more)->parameters.size(), 3u);
  EXPECT_FALSE(reconcile("f", nullptr, {}));
}

TEST(Reconcile, SizesAloneCatchAWrongArgument) {
  const std::vector<ParameterInfo> reported{{"", "", 8}, {"", "", 4}};
  const auto signature = reconcile("f", nullptr, reported);
  ASSERT_TRUE(signature);
  EXPECT_EQ(error_of(*signature, {buffer(ScalarType::f32), a_float}), "");
  EXPECT_NE(error_of(*signature, {buffer(ScalarType::f32), a_double}), "");

  const Signature read = only("kernel void f(global float* x, struct Options o) {}");
  const std::vector<ParameterInfo> sizes{{"", "", 8}, {"", "", 24}};
  const auto merged = reconcile("f", &read, sizes);
  EXPECT_EQ(error_of(*merged, {buffer(ScalarType::f32), value(ScalarType::unknown, 24, 0)}), "");
  EXPECT_NE(error_of(*merged, {buffer(ScalarType::f32), value(ScalarType::unknown, 16, 0)}), "");
  EXPECT_NE(error_of(*merged, {buffer(ScalarType::f64), value(ScalarType::unknown, 24, 0)}), "");
}

}  // namespace
}  // namespace rtcg
