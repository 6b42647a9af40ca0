#include "rtcg/array/elementwise_kernel.h"

#include <cmath>

#include "rtcg/error.h"
#include "support/loops.h"

namespace rtcg {
namespace {

class ElementwiseTest : public test::LoopTest {};

std::vector<float> ramp(std::size_t n, float step = 0.5f) {
  std::vector<float> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i) * step;
  return values;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_P(ElementwiseTest, SaxpyOfEverySizeRoundARun) {
  const Elementwise saxpy{"T* z, T a, const T* x, const T* y", "z[i] = a * x[i] + y[i]", "saxpy"};
  for (const std::size_t n : {0u, 1u, 3u, 4u, 5u, 255u, 4097u}) {
    const Array x = Array::from(stream, ramp(n)), y = Array::from(stream, ramp(n, -3.0f));
    const Array z = Array::zeros(stream, {static_cast<std::int64_t>(n)}, Dtype::f32);
    saxpy(z, 2, x, y);
    const std::vector<float> found = z.to_vector<float>();
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(found[i], 2.0f * 0.5f * static_cast<float>(i) - 3.0f * static_cast<float>(i));
  }
}

TEST_P(ElementwiseTest, TypesAreBoundByTheArrays) {
  const Elementwise add{"T* z, const T* x, const U* y", "z[i] = x[i] + (T)y[i]", "add"};
  const Array z = Array::zeros(stream, {3}, Dtype::i64);
  add(z, Array::from(stream, std::vector<std::int64_t>{1, 2, 1ll << 40}),
      Array::from(stream, std::vector<std::uint8_t>{1, 255, 7}));
  EXPECT_EQ(z.to_vector<std::int64_t>(), (std::vector<std::int64_t>{2, 257, (1ll << 40) + 7}));
  const Array half = Array::from(stream, ramp(5)).astype(Dtype::f16), out = Array::zeros(stream, {5}, Dtype::f16);
  add(out, half, half);
  EXPECT_EQ(out.astype(Dtype::f32).to_vector<float>(), ramp(5, 1.0f));
  const Elementwise invert{"bool* z, const bool* x", "z[i] = !x[i]", "invert"};
  const Array flags = Array::from(stream, std::vector<float>{0, 1, 2}).astype(Dtype::boolean);
  invert(flags, flags);
  EXPECT_EQ(flags.astype(Dtype::i32).to_vector<std::int32_t>(), (std::vector<std::int32_t>{1, 0, 0}));
  const Elementwise turn{"T* z, const T* x, float phase", "z[i] = cfloat_mul(x[i], cfloat_exp_i(phase))", "turn"};
  const Array c = Array::from(stream, std::vector<std::complex<float>>{{1, 0}, {0, 2}});
  turn(c, c, M_PI / 2);
  EXPECT_NEAR(std::abs(c.to_vector<std::complex<float>>()[1] - std::complex<float>(-2, 0)), 0, 1e-6);
}

TEST_P(ElementwiseTest, StridedBroadcastAndSlicedOperands) {
  const Elementwise product{"T* z, const T* x, const T* y", "z[i] = x[i] * y[i]", "product"};
  const Array x = Array::from(stream, ramp(12, 1.0f), Shape{3, 4}), row = Array::from(stream, ramp(4, 1.0f));
  const Array z = Array::zeros(stream, {3, 4}, Dtype::f32);
  product(z, x.transpose().copy().transpose(), row);
  std::vector<float> expected(12);
  for (std::size_t i = 0; i < 12; ++i) expected[i] = static_cast<float>(i * (i % 4));
  EXPECT_EQ(z.to_vector<float>(), expected);
  // Only every other column of the result, from an expression.
  const Array target = Array::zeros(stream, {3, 4}, Dtype::f32);
  product(target(all_of, Slice{1, {}, 2}), x(all_of, Slice{1, {}, 2}), Expression(row(Slice{0, 2})) + 1.0f);
  EXPECT_EQ(target.to_vector<float>(), (std::vector<float>{0, 1, 0, 6, 0, 5, 0, 14, 0, 9, 0, 22}));
}

TEST_P(ElementwiseTest, OldValuesStayWhereNothingIsAssigned) {
  const Array x = Array::from(stream, ramp(100, 1.0f));
  const Elementwise cut{"float* x", "if (x[i] > 50) x[i] = 50;", "cut"};
  cut(x);
  const std::vector<float> found = x.to_vector<float>();
  for (std::size_t i = 0; i < 100; ++i) ASSERT_EQ(found[i], std::min(50.0f, static_cast<float>(i)));
  const Elementwise twice{"float* x, float* y", "y[i] = x[i]; x[i] += 1; y[i] += x[i]", "twice"};
  const Array y = Array::zeros(stream, {100}, Dtype::f32);
  twice(x, y);
  EXPECT_EQ(y.to_vector<float>()[7], 15);
  EXPECT_EQ(x.to_vector<float>()[99], 51);
  // Assignments that look unconditional but are not.
  Elementwise{"float* y", "#if 0\nfloat a = 1; y[i] = a;\n#endif", "left_out"}(y);
  EXPECT_EQ(y.to_vector<float>()[7], 15);
  Elementwise{"float* y", "if (i == 7) goto end; y[i] = 1; end:;", "jump"}(y);
  EXPECT_EQ(y.to_vector<float>()[7], 15);
  EXPECT_EQ(y.to_vector<float>()[8], 1);
}

TEST_P(ElementwiseTest, IndexAndPointers) {
  const Elementwise difference{"T* z, const T* x", "z[i] = i > 0 ? x[i] - x[i - 1] : x[i]; // by hand", "difference"};
  const Array x = Array::from(stream, ramp(1000)), z = Array::zeros(stream, {1000}, Dtype::f32);
  difference(z, x);
  const std::vector<float> found = z.to_vector<float>();
  EXPECT_EQ(found[0], 0);
  for (std::size_t i = 1; i < 1000; ++i) ASSERT_EQ(found[i], 0.5f);
  // A table of another size, and a slice of one: the pointer is its first element.
  const Elementwise look_up{"float* z, const int* index, const float* table", "z[i] = table[index[i]] + n", "look_up"};
  const Array small = Array::zeros(stream, {3}, Dtype::f32);
  look_up(small, Array::from(stream, std::vector<int>{2, 0, 1}), x(Slice{10, 20}));
  EXPECT_EQ(small.to_vector<float>(), (std::vector<float>{9, 8, 8.5f}));
  EXPECT_NE(message_of([&] {
              look_up(small, Array::from(stream, std::vector<int>{2, 0, 1}), x(Slice{0, {}, 2}));
            }).find("look_up: const float* table"),
            std::string::npos);
}

TEST_P(ElementwiseTest, PreambleSeesTheTypes) {
  const Elementwise clipped{"T* z, const T* x", "z[i] = limit(x[i])", "clipped",
                            "static inline T limit(T x) { return x > 3 ? 3 : x; }"};
  const Array x = Array::from(stream, std::vector<int>{1, 5}), z = Array::zeros(stream, {2}, Dtype::i32);
  clipped(z, x);
  EXPECT_EQ(z.to_vector<int>(), (std::vector<int>{1, 3}));
}

TEST_P(ElementwiseTest, CompilerErrorsShowTheTextAsWritten) {
  const Elementwise wrong{"T* z, const T* x", "const T twice = 2 * x[i];\nz[i] = twice + y;", "wrong"};
  const Array x = Array::from(stream, ramp(4));
  const std::string message = message_of([&] { wrong(x, x); });
  EXPECT_EQ(message.substr(0, 10), "wrong:2:16") << message;
  EXPECT_NE(message.find("\n  z[i] = twice + y;\n                 ^"), std::string::npos) << message;
}

TEST_P(ElementwiseTest, ErrorsOfTheDefinition) {
  EXPECT_EQ(message_of([] { Elementwise("T* z, const T* x", "z[i] = (x[i] * 2", "f"); }),
            "f:1:8: error: '(' is not closed\n  z[i] = (x[i] * 2\n         ^");
  EXPECT_EQ(message_of([] { Elementwise("T* z, const T** x", "z[i] = 1", "f"); }),
            "f.arguments:1:15: error: a pointer to a pointer; parameters are scalars and pointers to them\n"
            "  T* z, const T** x\n                ^");
  EXPECT_EQ(message_of([] { Elementwise("T* z, T i", "z[i] = 1", "f"); }),
            "f.arguments:1:9: error: 'i' is the element's index in generated kernels; choose another name\n"
            "  T* z, T i\n          ^");
  EXPECT_EQ(message_of([] { Elementwise("T* z", "if (z[i] > 0) return; z[i] = 1", "f"); }),
            "f:1:15: error: 'return' in an elementwise text; use if and else\n"
            "  if (z[i] > 0) return; z[i] = 1\n                ^");
  EXPECT_EQ(message_of([] { Elementwise("const T* x", "x[i] + 1", "f"); }),
            "f: no pointer without const; nothing would be written");
  EXPECT_EQ(message_of([] { Elementwise("T* z", " ", "f"); }), "f: the text is empty");
  EXPECT_EQ(message_of([] { Elementwise("T* z", "for (int i = 0; i < 3; ++i) z[i] = i", "f"); }),
            "f:1:10: error: a variable 'i' hides the kernel's i; choose another name\n"
            "  for (int i = 0; i < 3; ++i) z[i] = i\n           ^");
}

TEST_P(ElementwiseTest, ErrorsOfACallNameTheParameter) {
  const Elementwise saxpy{"T* z, T a, const T* x", "z[i] += a * x[i]", "saxpy"};
  const Array z = Array::zeros(stream, {4}, Dtype::f32), five = Array::zeros(stream, {5}, Dtype::f32);
  EXPECT_EQ(message_of([&] { saxpy(z, 1.0f); }), "saxpy: 2 arguments for 3 parameters (T* z, T a, const T* x)");
  EXPECT_EQ(message_of([&] { saxpy(z, z, z); }), "saxpy: argument 2 is an array; T a takes a scalar");
  EXPECT_EQ(message_of([&] { saxpy(z, 1, z.astype(Dtype::f64)); }),
            "saxpy: const T* x is given float64; T is float32 (from z)");
  EXPECT_NE(message_of([&] { saxpy(z, 1, five); }).find("saxpy: const T* x: "), std::string::npos);
  EXPECT_EQ(message_of([&] { saxpy(Array::zeros(stream, {1}, Dtype::f32), 1, z); }),
            "saxpy: T* z has shape (1,); the operands' is (4,)");
  EXPECT_EQ(message_of([&] { saxpy(z, std::complex<float>(0, 1), z); }),
            "saxpy: T a is given a complex number; T is float32");
}

RTCG_INSTANTIATE_FOR_LOOPS(ElementwiseTest);

}  // namespace
}  // namespace rtcg
