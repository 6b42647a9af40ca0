#include "rtcg/array/fourier.h"

#include <cmath>
#include <random>

#include "rtcg/array/fft_plan.h"
#include "rtcg/error.h"
#include "support/loops.h"

namespace rtcg {
namespace {

using Complex = std::complex<double>;

/// An array of the host, C order, and its transform along an axis by the definition.
struct Host {
  Shape shape;
  std::vector<Complex> values;

  Host along(int axis, int sign) const {
    const Strides strides = contiguous_strides(shape);
    const std::int64_t n = shape[axis], step = strides[axis];
    Host result{shape, std::vector<Complex>(values.size())};
    for (std::int64_t i = 0; i < element_count(shape); ++i) {
      const std::int64_t k = i / step % n, row = i - k * step;
      Complex sum = 0;
      for (std::int64_t m = 0; m < n; ++m) {
        const Complex root = detail::root_of_one(static_cast<std::size_t>(k * m), static_cast<std::size_t>(n));
        sum += values[static_cast<std::size_t>(row + m * step)] * (sign < 0 ? std::conj(root) : root);
      }
      result.values[static_cast<std::size_t>(i)] = sum;
    }
    return result;
  }
};

class FourierTest : public test::LoopTest {
 protected:
  Array random(const Shape& shape, Host* host = nullptr, unsigned seed = 5) const {
    std::mt19937 engine(seed);
    std::normal_distribution<float> normal;
    std::vector<std::complex<float>> values(static_cast<std::size_t>(element_count(shape)));
    for (auto& value : values) value = {normal(engine), normal(engine)};
    if (host != nullptr) *host = {shape, {values.begin(), values.end()}};
    return Array::from(stream, values, shape);
  }
  static Host read(const Array& array) {
    const auto values = array.astype(Dtype::c128).to_vector<Complex>();
    return {array.shape(), values};
  }
  static void expect_near(const Array& result, const Host& expected, double scale = 1) {
    ASSERT_EQ(to_string(result.shape()), to_string(expected.shape));
    EXPECT_TRUE(result.is_contiguous());
    const Host got = read(result);
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < expected.values.size(); ++i)
      error += std::norm(got.values[i] - scale * expected.values[i]), norm += std::norm(scale * expected.values[i]);
    EXPECT_LT(std::sqrt(error / norm), 5e-7);
  }
};

TEST_P(FourierTest, EveryAxisIsTransformed) {
  Host host;
  const Array x = random({3, 4, 5, 6}, &host);
  for (const int axis : {0, 1, 2, -1}) {
    SCOPED_TRACE(axis);
    const int place = axis < 0 ? axis + 4 : axis;
    expect_near(fft(x, axis), host.along(place, -1));
    expect_near(ifft(x, axis), host.along(place, 1), 1.0 / static_cast<double>(host.shape[place]));
  }
  const Host before = read(x);
  EXPECT_EQ(before.values, host.values) << "the operand was written to";
}

TEST_P(FourierTest, ViewsAreTransformedWhereTheyLie) {
  const Array x = random({6, 8, 5, 4});
  const Array views[] = {x.transpose(),
                         x(Slice{{}, {}, 2}, Slice{{}, {}, -1}, Slice{1, 4}),
                         x.transpose({2, 0, 3, 1}),
                         x(1).flip(0),
                         x(all_of, 3, 2),
                         x(0, 0, 0).broadcast_to({3, 4})};
  for (const Array& view : views) {
    SCOPED_TRACE(to_string(view.shape()) + " " + to_string(view.strides()));
    expect_near(fft(view, 0), read(view.copy()).along(0, -1));
    expect_near(fft(view, -1), read(view.copy()).along(view.dimensions() - 1, -1));
  }
}

TEST_P(FourierTest, AnExpressionIsEvaluatedFirst) {
  const Array x = random({4, 6});
  const Host expected = read(Array(2.0f * x + 1.0f)).along(1, -1);
  expect_near(fft(2.0f * x + 1.0f), expected);
}

TEST_P(FourierTest, SeveralAxesAreTransformedInTurn) {
  Host host;
  const Array x = random({4, 3, 5}, &host);
  const Host all = host.along(0, -1).along(1, -1).along(2, -1);
  expect_near(fftn(x), all);
  const int two[] = {0, -1};
  expect_near(fftn(x, two), host.along(0, -1).along(2, -1));
  expect_near(ifftn(fftn(x)), host);
}

TEST_P(FourierTest, RealNumbersGiveHalfASpectrumAndComeBack) {
  for (const std::int64_t n : {6, 5}) {
    SCOPED_TRACE(n);
    const Array x = Array(real(random({n, 3})));
    const Host whole = read(x).along(0, -1);
    Host half{{n / 2 + 1, 3}, {whole.values.begin(), whole.values.begin() + (n / 2 + 1) * 3}};
    const Array spectrum = rfft(x, 0);
    EXPECT_EQ(spectrum.dtype(), Dtype::c64);
    expect_near(spectrum, half);
    const Array back = irfft(spectrum, 0, n);
    EXPECT_EQ(back.dtype(), Dtype::f32);
    expect_near(back, read(x));
  }
}

TEST_P(FourierTest, TypesAreThoseOfNumPy) {
  const Array integers = Array::from(stream, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(fft(integers).dtype(), Dtype::c128);
  EXPECT_EQ(rfft(integers.astype(Dtype::u8)).dtype(), Dtype::c64);
  EXPECT_EQ(fft(integers.astype(Dtype::f32)).dtype(), Dtype::c64);
  expect_near(fft(integers), read(integers).along(0, -1));
}

TEST_P(FourierTest, LengthsCutOrFillUp) {
  Host host;
  const Array x = random({2, 6}, &host);
  Host cut{{2, 4}, {}}, filled{{2, 8}, {}};
  for (std::size_t row = 0; row < 2; ++row) {
    for (std::size_t i = 0; i < 4; ++i) cut.values.push_back(host.values[6 * row + i]);
    for (std::size_t i = 0; i < 8; ++i) filled.values.push_back(i < 6 ? host.values[6 * row + i] : 0);
  }
  expect_near(fft(x, 1, 4), cut.along(1, -1));
  expect_near(fft(x, 1, 8), filled.along(1, -1));
}

TEST_P(FourierTest, NormsPutTheFactorWhereTheySay) {
  Host host;
  const Array x = random({6}, &host);
  expect_near(fft(x, 0, {}, FftNorm::forward), host.along(0, -1), 1.0 / 6);
  expect_near(ifft(x, 0, {}, FftNorm::forward), host.along(0, 1));
  expect_near(fft(x, 0, {}, FftNorm::ortho), host.along(0, -1), 1 / std::sqrt(6.0));
}

TEST_P(FourierTest, FrequenciesAreThoseOfTheElements) {
  EXPECT_EQ(fftfreq(stream, 5, 0.5).to_vector<double>(), (std::vector<double>{0, 0.4, 0.8, -0.8, -0.4}));
  EXPECT_EQ(fftfreq(stream, 4, 1, Dtype::f32).to_vector<float>(), (std::vector<float>{0, 0.25, -0.5, -0.25}));
  EXPECT_EQ(rfftfreq(stream, 5, 0.5).to_vector<double>(), (std::vector<double>{0, 0.4, 0.8}));
}

TEST_P(FourierTest, ShiftPutsFrequencyZeroInTheMiddle) {
  const Array x = Array::from(stream, {0, 1, 2, 3, 4});
  EXPECT_EQ(Array(fftshift(x)).to_vector<int>(), (std::vector<int>{3, 4, 0, 1, 2}));
  EXPECT_EQ(Array(ifftshift(x)).to_vector<int>(), (std::vector<int>{2, 3, 4, 0, 1}));
  const Array y = Array::from(stream, {0, 1, 2, 3, 4, 5}, Shape{2, 3});
  EXPECT_EQ(Array(fftshift(y)).to_vector<int>(), (std::vector<int>{5, 3, 4, 2, 0, 1}));
  const int last[] = {-1};
  EXPECT_EQ(Array(fftshift(y, last)).to_vector<int>(), (std::vector<int>{2, 0, 1, 5, 3, 4}));
  EXPECT_EQ(Array(ifftshift(fftshift(y))).to_vector<int>(), y.to_vector<int>());
}

TEST_P(FourierTest, EmptyBatchesGiveEmptyResults) {
  EXPECT_EQ(to_string(fft(Array::zeros(stream, {0, 4}, Dtype::c64)).shape()), "(0, 4)");
}

TEST_P(FourierTest, RefusesWhatCannotBe) {
  const Array x = random({4});
  EXPECT_THROW(fft(x, 1), UsageError);
  EXPECT_THROW(fft(x, 0, 0), UsageError);
  EXPECT_THROW(rfft(x), UsageError);
  EXPECT_THROW(irfft(x(Slice{0, 1})), UsageError);
  EXPECT_THROW(fft(Array::zeros(stream, {3, 0}, Dtype::c64)), UsageError);
  EXPECT_THROW(fftfreq(stream, 0), UsageError);
}

RTCG_INSTANTIATE_FOR_LOOPS(FourierTest);

}  // namespace
}  // namespace rtcg
