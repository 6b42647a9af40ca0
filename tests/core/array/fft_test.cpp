#include "rtcg/array/fft.h"

#include <cmath>
#include <random>
#include <utility>

#include "rtcg/array/fft_plan.h"
#include "rtcg/error.h"
#include "support/loops.h"

namespace rtcg {
namespace {

using Complex = std::complex<double>;

/// The definition, in double with exact angles; a few rows of any length.
std::vector<Complex> direct(const std::vector<Complex>& x, int sign) {
  const std::size_t n = x.size();
  const std::vector<Complex> roots = detail::roots_of_one(n);
  std::vector<Complex> y(n);
  for (std::size_t k = 0; k < n; ++k) {
    Complex sum = 0;
    for (std::size_t m = 0, at = 0; m < n; ++m, at = at + k < n ? at + k : at + k - n)
      sum += x[m] * (sign < 0 ? std::conj(roots[at]) : roots[at]);
    y[k] = sum;
  }
  return y;
}

/// Values that Real holds exactly.
template <class Real>
std::vector<Complex> random_rows(std::size_t count, unsigned seed = 7) {
  std::mt19937_64 random(seed);
  std::normal_distribution<Real> normal;
  std::vector<Complex> values(count);
  for (Complex& value : values) value = {normal(random), normal(random)};
  return values;
}

double relative_error(const std::vector<Complex>& result, const std::vector<Complex>& expected) {
  double error = 0, norm = 0;
  for (std::size_t k = 0; k < expected.size(); ++k)
    error += std::norm(result[k] - expected[k]), norm += std::norm(expected[k]);
  return std::sqrt(error / norm);
}

/// What a transform of `length` may be off: the last bit at every level, more through a convolution.
double tolerance(std::size_t length, bool double_precision) {
  const double level = double_precision ? 2e-16 : 6e-8;
  return level * (2 + std::log2(static_cast<double>(length))) * (Fft::is_direct(length) ? 1 : 3);
}

/// Real rows' imaginary parts are dropped, half spectra are completed.
std::vector<Complex> completed(const std::vector<Complex>& half, std::size_t length) {
  std::vector<Complex> whole(half);
  whole[0].imag(0);
  if (length % 2 == 0) whole[length / 2].imag(0);
  for (std::size_t k = whole.size(); k < length; ++k) whole.push_back(std::conj(whole[length - k]));
  return whole;
}

std::vector<Complex> row_of(const std::vector<Complex>& rows, std::size_t row, std::size_t length) {
  const auto at = rows.begin() + static_cast<std::ptrdiff_t>(row * length);
  return {at, at + static_cast<std::ptrdiff_t>(length)};
}

class FftTest : public test::LoopTest {
 protected:
  static FftShape shape(std::size_t length, FftDirection direction, bool double_precision,
                        FftKind kind = FftKind::complex) {
    return {length, direction, double_precision, kind};
  }

  /// Transforms rows that lie one after the other; results of real rows have imaginary part 0.
  template <class Real>
  std::vector<Complex> transformed(const FftShape& shape, const std::vector<Complex>& rows, std::size_t batch,
                                   double scale = 1) {
    const Fft fft(device(), shape);
    const std::size_t in = batch * fft.input_length(), out = batch * fft.output_length();
    Buffer data, result;
    if (shape.kind == FftKind::real_to_complex) {
      std::vector<Real> reals(in);
      for (std::size_t i = 0; i < in; ++i) reals[i] = static_cast<Real>(rows[i].real());
      data = Buffer::from(stream, reals);
    } else {
      data = Buffer::from(stream, std::vector<std::complex<Real>>(rows.begin(), rows.end()));
    }
    if (shape.kind == FftKind::complex_to_real)
      result = Buffer::of<Real>(stream, out);
    else
      result = Buffer::of<std::complex<Real>>(stream, out);
    fft(stream, data, result, batch, scale);
    if (shape.kind == FftKind::complex_to_real) {
      const auto got = result.template read<Real>();
      return {got.begin(), got.end()};
    }
    const auto got = result.template read<std::complex<Real>>();
    return {got.begin(), got.end()};
  }

  template <class Real>
  void expect_right(std::size_t length, FftDirection direction, FftKind kind = FftKind::complex,
                    std::size_t batch = 3) {
    SCOPED_TRACE(length);
    constexpr bool is_double = std::is_same_v<Real, double>;
    const std::size_t in_length = kind == FftKind::complex_to_real ? length / 2 + 1 : length;
    const std::size_t out_length = kind == FftKind::real_to_complex ? length / 2 + 1 : length;
    const auto rows = random_rows<Real>(batch * in_length);
    const auto got = transformed<Real>(shape(length, direction, is_double, kind), rows, batch);
    double worst = 0;
    for (std::size_t b = 0; b < batch; ++b) {
      std::vector<Complex> row = row_of(rows, b, in_length);
      if (kind == FftKind::real_to_complex)
        for (Complex& value : row) value.imag(0);
      if (kind == FftKind::complex_to_real) row = completed(row, length);
      auto expected = direct(row, direction == FftDirection::forward ? -1 : 1);
      expected.resize(out_length);
      worst = std::max(worst, relative_error(row_of(got, b, out_length), expected));
    }
    EXPECT_LT(worst, tolerance(length, is_double));
  }

  /// Too long for the definition: some elements of the result.
  template <class Real>
  void expect_some_right(std::size_t length, FftDirection direction) {
    SCOPED_TRACE(length);
    constexpr bool is_double = std::is_same_v<Real, double>;
    const auto rows = random_rows<Real>(2 * length);
    const auto got = transformed<Real>(shape(length, direction, is_double), rows, 2);
    const auto roots = detail::roots_of_one(length);
    std::vector<Complex> some, expected;
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, length / 3, length / 2 + 1, length - 1}) {
      Complex sum = 0;
      for (std::size_t m = 0; m < length; ++m) {
        const Complex root = roots[m * k % length];
        sum += rows[length + m] * (direction == FftDirection::forward ? std::conj(root) : root);
      }
      some.push_back(got[length + k]), expected.push_back(sum);
    }
    EXPECT_LT(relative_error(some, expected), 3 * tolerance(length, is_double));
  }
};

TEST_P(FftTest, AgreesWithTheDefinitionForEveryRadixAndMixture) {
  FftDirection direction = FftDirection::forward;
  for (const std::size_t length : {1u, 7u, 16u, 90u, 4096u}) {
    expect_right<float>(length, direction);
    direction = direction == FftDirection::forward ? FftDirection::inverse : FftDirection::forward;
  }
  for (const std::size_t length : {2520u}) expect_right<double>(length, direction);
}

TEST_P(FftTest, AgreesWithTheDefinitionForOtherPrimes) {
  expect_right<float>(11, FftDirection::forward);
  expect_right<float>(97, FftDirection::inverse);
  expect_right<double>(2 * 101, FftDirection::forward);
}

TEST_P(FftTest, AgreesWithTheDefinitionForARandomLength) {
  std::mt19937 random(std::get<1>(GetParam()) == LoopShape::gpu ? 3 : 4);
  expect_right<float>(1 + random() % 5000, FftDirection::forward, FftKind::complex, 1);
}

TEST_P(FftTest, LongRowsGoThroughTwoAndThreeStages) {
  expect_some_right<double>(10000, FftDirection::forward);
  expect_some_right<float>(std::size_t{1} << 20, FftDirection::inverse);
  expect_some_right<float>(20011, FftDirection::forward);
}

TEST_P(FftTest, RealRowsGiveTheFirstHalfOfTheirSpectrumAndComeBack) {
  for (const std::size_t length : {2u, 15u, 22u}) {
    expect_right<float>(length, FftDirection::forward, FftKind::real_to_complex);
    expect_right<float>(length, FftDirection::inverse, FftKind::complex_to_real);
  }
  expect_right<float>(16384, FftDirection::forward, FftKind::real_to_complex, 1);
  expect_right<float>(16384, FftDirection::inverse, FftKind::complex_to_real, 1);
}

TEST_P(FftTest, RoundTripIsTheIdentityAndKeepsEnergy) {
  const std::size_t length = 90, batch = 37;
  const auto rows = random_rows<float>(length * batch);
  const auto spectra = transformed<float>(shape(length, FftDirection::forward, false), rows, batch);
  double energy = 0, spectral = 0;
  for (const Complex& value : rows) energy += std::norm(value);
  for (const Complex& value : spectra) spectral += std::norm(value);
  EXPECT_NEAR(spectral / (energy * static_cast<double>(length)), 1, 1e-6);
  const auto back = transformed<float>(shape(length, FftDirection::inverse, false), spectra, batch, 1.0 / length);
  EXPECT_LT(relative_error(back, rows), 2 * tolerance(length, false));
}

TEST_P(FftTest, IsLinearInItsRows) {
  const std::size_t length = 90;
  const auto a = random_rows<float>(length, 1), b = random_rows<float>(length, 2);
  std::vector<Complex> sum(length);
  for (std::size_t i = 0; i < length; ++i) sum[i] = 2.0 * a[i] - Complex(0, 3) * b[i];
  const FftShape forward = shape(length, FftDirection::forward, false);
  auto expected = transformed<float>(forward, a, 1);
  const auto other = transformed<float>(forward, b, 1);
  for (std::size_t i = 0; i < length; ++i) expected[i] = 2.0 * expected[i] - Complex(0, 3) * other[i];
  EXPECT_LT(relative_error(transformed<float>(forward, sum, 1), expected), 2 * tolerance(length, false));
}

TEST_P(FftTest, RepeatsBitForBit) {
  const auto rows = random_rows<float>(5 * 90);
  const FftShape inverse = shape(90, FftDirection::inverse, false);
  EXPECT_EQ(transformed<float>(inverse, rows, 5), transformed<float>(inverse, rows, 5));
}

/// Any axis of [before][length][after], from any strides to any others.
TEST_P(FftTest, RowsMayLieAnyWay) {
  struct Case {
    std::size_t length, outer, inner;
    FftRows in, out;  // without buffers
  };
  const Case cases[] = {
      {12, 3, 40, {{}, 0, 40, 12 * 40, 1}, {{}, 0, 40, 12 * 40, 1}},   // a middle axis
      {12, 1, 50, {{}, 0, 50, 0, 1}, {{}, 0, 1, 0, 12}},               // the first axis, to the last
      {12, 3, 5, {{}, 11, -1, 5 * 13, 13}, {{}, 7, 2, 24 * 5, 24}},    // backwards, with gaps
      {4096, 2, 3, {{}, 0, 3, 4096 * 3, 1}, {{}, 0, 3, 4096 * 3, 1}},  // several stages side by side
      {22, 2, 20, {{}, 0, 20, 22 * 20, 1}, {{}, 0, 20, 22 * 20, 1}},   // convolved
      {12, 20, 3, {{}, 0, 20 * 3, 3, 1}, {{}, 0, 20 * 3, 1, 20}},      // outer rows lie closer than inner ones
  };
  for (const Case& layout : cases) {
    SCOPED_TRACE(testing::Message() << layout.length << " in " << layout.outer << " x " << layout.inner);
    const std::size_t n = layout.length, room = 2 * n * layout.outer * layout.inner + 100;
    const auto data = random_rows<float>(room);
    FftRows in = layout.in, out = layout.out;
    in.buffer = Buffer::from(stream, std::vector<std::complex<float>>(data.begin(), data.end()));
    out.buffer = Buffer::of<std::complex<float>>(stream, room);
    out.buffer.zero(stream);
    const Fft fft(device(), shape(n, FftDirection::forward, false));
    fft(stream, in, out, layout.outer, layout.inner, 0.5);
    auto got = out.buffer.read<std::complex<float>>();
    const auto at = [](const FftRows& rows, std::size_t o, std::size_t i, std::size_t m) {
      return static_cast<std::size_t>(rows.offset + static_cast<std::int64_t>(o) * rows.outer +
                                      static_cast<std::int64_t>(i) * rows.inner +
                                      static_cast<std::int64_t>(m) * rows.step);
    };
    for (std::size_t o = 0; o < layout.outer; ++o)
      for (std::size_t i = 0; i < layout.inner; ++i) {
        if (n > 1000 && (o != 1 || i != 2)) {
          for (std::size_t m = 0; m < n; ++m) got[at(out, o, i, m)] = 0;
          continue;
        }
        std::vector<Complex> row(n), result(n);
        for (std::size_t m = 0; m < n; ++m) {
          row[m] = 0.5 * data[at(in, o, i, m)];
          result[m] = std::exchange(got[at(out, o, i, m)], 0);
        }
        ASSERT_LT(relative_error(result, direct(row, -1)), tolerance(n, false)) << o << ", " << i;
      }
    for (const auto& value : got)
      ASSERT_EQ(value, std::complex<float>(0)) << "an element outside of the rows was written";
  }
}

TEST_P(FftTest, ComplexRowsMayBeReplaced) {
  for (const std::size_t length : {90u, 16384u, 22u}) {
    SCOPED_TRACE(length);
    const auto rows = random_rows<float>(3 * length);
    const FftShape forward = shape(length, FftDirection::forward, false);
    const Buffer data = Buffer::from(stream, std::vector<std::complex<float>>(rows.begin(), rows.end()));
    Fft(device(), forward)(stream, data, data, 3);
    const auto got = data.read<std::complex<float>>();
    EXPECT_EQ(std::vector<Complex>(got.begin(), got.end()), transformed<float>(forward, rows, 3));
  }
}

TEST_P(FftTest, RefusesWhatCannotBe) {
  const FftShape forward = shape(8, FftDirection::forward, false);
  EXPECT_THROW(Fft(device(), shape(0, FftDirection::forward, false)), UsageError);
  EXPECT_THROW(Fft(device(), shape((std::size_t{1} << 26) + 1, FftDirection::forward, false)), UsageError);
  EXPECT_THROW(Fft(device(), shape(8, FftDirection::inverse, false, FftKind::real_to_complex)), UsageError);
  EXPECT_THROW(Fft(device(), shape(8, FftDirection::forward, false, FftKind::complex_to_real)), UsageError);

  const auto rows = std::vector<std::complex<float>>(16, {1, 2});
  const Buffer data = Buffer::from(stream, rows), small = Buffer::of<std::complex<float>>(stream, 8);
  const Fft fft(device(), forward);
  EXPECT_THROW(fft(stream, data, small, 2), UsageError);
  EXPECT_THROW(fft(stream, small, data, 2), UsageError);
  EXPECT_THROW(fft(stream, data, small, (std::size_t{1} << 58) + 1), UsageError);  // whose bytes wrap round
  EXPECT_THROW(fft(stream, {data, 0, -1, 8}, {data, 8, 1, 8}, 1), UsageError);
  EXPECT_THROW(fft(stream, {data, 0, 1, 8}, {data, 4, 1, 8}, 1), UsageError);  // overlap
  const Fft real(device(), shape(8, FftDirection::forward, false, FftKind::real_to_complex));
  EXPECT_THROW(real(stream, data, data, 1), UsageError);
  fft(stream, data, data, 0);
  EXPECT_EQ(data.read<std::complex<float>>(), rows);
}

RTCG_INSTANTIATE_FOR_LOOPS(FftTest);

}  // namespace
}  // namespace rtcg
