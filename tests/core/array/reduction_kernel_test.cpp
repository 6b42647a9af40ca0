#include "rtcg/array/reduction_kernel.h"

#include <cmath>
#include <random>

#include "rtcg/error.h"
#include "support/loops.h"

namespace rtcg {
namespace {

class ReductionTest : public test::LoopTest {};

const ReductionText dot_text{.result = "T",
                             .neutral = "0",
                             .combine = "a + b",
                             .map = "x[i] * y[i]",
                             .arguments = "const T* x, const T* y",
                             .name = "dot"};

std::vector<float> noise(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(n);
  for (float& value : values) value = uniform(random);
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

TEST_P(ReductionTest, DotOfEverySize) {
  const Reduction dot{dot_text};
  for (const std::size_t n : {0u, 1u, 3u, 4u, 5u, 1023u, 200001u}) {
    const std::vector<float> a = noise(n, 1), b = noise(n, 2);
    double expected = 0, magnitude = 0;
    for (std::size_t i = 0; i < n; ++i) {
      expected += static_cast<double>(a[i]) * b[i];
      magnitude += std::abs(static_cast<double>(a[i]) * b[i]);
    }
    const Array result = dot(Array::from(stream, a), Array::from(stream, b));
    EXPECT_EQ(result.dimensions(), 0);
    EXPECT_NEAR(result.item<float>(), expected, 1e-6 * magnitude) << n;
  }
}

TEST_P(ReductionTest, SeveralResultsOfOnePass) {
  const Reduction extrema{
      {.neutral = "INFINITY",
       .combine = "fmin(a, b)",
       .map = "x[i]",
       .arguments = "const T* x, T scale",
       .others = {{.neutral = "-INFINITY", .combine = "fmax(a, b)", .map = "scale * x[i]"},
                  {.result = "double", .neutral = "0", .combine = "a + b", .map = "x[i]", .finish = "a / n"},
                  {.result = "int", .neutral = "0", .combine = "a + b", .map = "x[i] > 0"}}}};
  const std::vector<float> values = noise(10001, 3);
  const std::vector<Array> found = extrema.all(Array::from(stream, values), 2);
  float low = 1, high = -1;
  double total = 0;
  int positive = 0;
  for (const float v : values) low = std::min(low, v), high = std::max(high, v), total += v, positive += v > 0;
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].item<float>(), low);
  EXPECT_EQ(found[1].item<float>(), 2 * high);
  EXPECT_NEAR(found[2].item<double>(), total / 10001, 1e-12);
  EXPECT_EQ(found[3].item<int>(), positive);
  EXPECT_NE(message_of([&] { extrema(Array::from(stream, values), 2); }).find("4 results; call all()"),
            std::string::npos);
}

TEST_P(ReductionTest, AxesIndicesAndPointers) {
  // sum over an axis of i x[i] where i counts in C order, whatever order memory has.
  const Reduction moment{{.result = "double",
                          .neutral = "0",
                          .combine = "a + b",
                          .map = "i * x[i]",
                          .arguments = "const float* x",
                          .name = "moment"}};
  const Array x = Array::from(stream, std::vector<float>{1, 2, 3, 4, 5, 6}, Shape{2, 3});
  const Array turned = x.transpose().copy().transpose();
  for (const Array& a : {x, turned}) {
    EXPECT_EQ(moment.over(0, a).to_vector<double>(), (std::vector<double>{12, 22, 36}));
    EXPECT_EQ(moment.over(1, a).to_vector<double>(), (std::vector<double>{8, 62}));
    EXPECT_EQ(moment(a).item<double>(), 70);
  }
  const Reduction roughness{
      {.neutral = "0", .combine = "a + b", .map = "i > 0 ? fabs(x[i] - x[i - 1]) : 0", .arguments = "const T* x"}};
  EXPECT_EQ(roughness(x).item<float>(), 5);
}

TEST_P(ReductionTest, ExpressionsFuseAndBroadcast) {
  const Reduction dot{dot_text};
  const Array x = Array::from(stream, std::vector<float>{1, 2, 3, 4, 5, 6}, Shape{2, 3});
  EXPECT_EQ(dot(x, Expression(Array::from(stream, std::vector<float>{0, 1, 2})) + 1.0f).item<float>(),
            1 + 4 + 9 + 4 + 10 + 18);
  // An accumulator wider than the result; scalars.
  const Reduction count{{.result = "uchar",
                         .neutral = "0",
                         .combine = "a + b",
                         .map = "x[i] == wanted",
                         .arguments = "const T* x, T wanted",
                         .finish = "min(a, 255u)",
                         .accumulator = "uint"}};
  EXPECT_EQ(count(Array::full(stream, {1000}, Dtype::i16, std::int16_t{7}), 7).item<std::uint8_t>(), 255);
}

TEST_P(ReductionTest, SameInputGivesTheSameBits) {
  const Reduction dot{dot_text};
  const Array x = Array::from(stream, noise(300007, 5)), y = Array::from(stream, noise(300007, 6));
  const float first = dot(x, y).item<float>();
  for (int k = 0; k < 5; ++k) ASSERT_EQ(dot(x, y).item<float>(), first);
}

TEST_P(ReductionTest, ErrorsPointIntoTheText) {
  const Array x = Array::from(stream, noise(8, 1));
  ReductionText text = dot_text;
  text.map = "x[i] *\n  y[i] * z";
  const std::string message = message_of([&] { Reduction{text}(x, x); });
  EXPECT_EQ(message.substr(0, 11), "dot.map:2:1") << message;
  EXPECT_NE(message.find("\n    y[i] * z\n           ^"), std::string::npos) << message;
  text.map = "x[i] * y[i]", text.arguments = "T* x, const T* y";
  EXPECT_EQ(message_of([&] { Reduction{text}; }), "dot: T* x is only read; declare it const T* x");
  text = dot_text, text.result = "V";
  EXPECT_EQ(message_of([&] { Reduction{text}(x, x); }), "dot: unknown type 'V'; the arguments name T");
  text = dot_text, text.combine = "";
  EXPECT_EQ(message_of([&] { Reduction{text}; }), "dot.combine: the text is empty");
}

RTCG_INSTANTIATE_FOR_LOOPS(ReductionTest);

}  // namespace
}  // namespace rtcg
