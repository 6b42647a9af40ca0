#include "rtcg/array/fft.h"

#include <complex>
#include <random>
#include <unsupported/Eigen/FFT>

#include "rtcg/error.h"
#include "support/devices.h"

namespace rtcg {
namespace {

template <class Real>
std::vector<std::complex<Real>> random_rows(std::size_t count) {
  std::mt19937_64 random(7);
  std::normal_distribution<Real> normal;
  std::vector<std::complex<Real>> values(count);
  for (auto& value : values) value = {normal(random), normal(random)};
  return values;
}

/// Eigen's transform in double, unscaled in both directions.
std::vector<std::complex<double>> reference(const std::vector<std::complex<double>>& row, FftDirection direction) {
  Eigen::FFT<double> fft;
  fft.SetFlag(Eigen::FFT<double>::Unscaled);
  std::vector<std::complex<double>> out;
  if (direction == FftDirection::forward)
    fft.fwd(out, row);
  else
    fft.inv(out, row);
  return out;
}

template <class Real>
double relative_error(const Device& device, std::size_t length, std::size_t batch, FftDirection direction) {
  const auto rows = random_rows<Real>(length * batch);
  const Stream stream(device);
  const Fft fft(device, {length, direction, std::is_same_v<Real, double>});
  const Buffer data = Buffer::from(stream, rows), scratch = Buffer::of<std::complex<Real>>(stream, rows.size());
  const auto result = fft(stream, data, scratch, batch).template read<std::complex<Real>>();
  double error = 0, norm = 0;
  for (std::size_t b = 0; b < batch; ++b) {
    const std::vector<std::complex<double>> row(rows.begin() + static_cast<std::ptrdiff_t>(b * length),
                                                rows.begin() + static_cast<std::ptrdiff_t>((b + 1) * length));
    const auto expected = reference(row, direction);
    for (std::size_t k = 0; k < length; ++k) {
      error += std::norm(std::complex<double>(result[b * length + k]) - expected[k]);
      norm += std::norm(expected[k]);
    }
  }
  return std::sqrt(error / norm);
}

class FftTest : public testing::TestWithParam<Device> {};

TEST_P(FftTest, AgreesWithEigenForEveryRadixAndMixture) {
  FftDirection direction = FftDirection::forward;
  for (const std::size_t length : {2u, 4u, 30u, 49u, 128u, 2520u, 6144u}) {
    SCOPED_TRACE(length);
    EXPECT_LT(relative_error<double>(GetParam(), length, 3, direction), 1e-15 * (3 + std::log2(length)));
    direction = direction == FftDirection::forward ? FftDirection::inverse : FftDirection::forward;
    EXPECT_LT(relative_error<float>(GetParam(), length, 3, direction), 1e-7 * (3 + std::log2(length)));
  }
}

TEST_P(FftTest, RepeatsBitForBit) {
  const Stream stream(GetParam());
  const auto rows = random_rows<float>(5 * 1536);
  const Fft fft(GetParam(), {1536, FftDirection::inverse, false});
  const Buffer scratch = Buffer::of<std::complex<float>>(stream, rows.size());
  const auto once = fft(stream, Buffer::from(stream, rows), scratch, 5).read<std::complex<float>>();
  EXPECT_EQ(once, fft(stream, Buffer::from(stream, rows), scratch, 5).read<std::complex<float>>());
}

TEST_P(FftTest, LengthOneIsTheIdentity) {
  const Stream stream(GetParam());
  const auto rows = random_rows<float>(4);
  const Fft fft(GetParam(), {1, FftDirection::forward, false});
  EXPECT_EQ(fft(stream, Buffer::from(stream, rows), Buffer::of<std::complex<float>>(stream, 4), 4)
                .read<std::complex<float>>(),
            rows);
}

TEST_P(FftTest, RefusesOtherPrimesAndSmallBuffers) {
  EXPECT_THROW(Fft(GetParam(), {11, FftDirection::forward, false}), UsageError);
  EXPECT_THROW(Fft(GetParam(), {0, FftDirection::forward, false}), UsageError);
  const Stream stream(GetParam());
  const Buffer small = Buffer::of<std::complex<float>>(stream, 8);
  EXPECT_THROW(Fft(GetParam(), {8, FftDirection::forward, false})(stream, small, small, 2), UsageError);
}

TEST_P(FftTest, NoRowsAreNoWorkAndOneBufferForBothIsRefused) {
  const Stream stream(GetParam());
  const auto rows = random_rows<float>(8);
  const Buffer data = Buffer::from(stream, rows), scratch = Buffer::of<std::complex<float>>(stream, 8);
  const Fft fft(GetParam(), {8, FftDirection::forward, false});
  EXPECT_EQ(fft(stream, data, scratch, 0).read<std::complex<float>>(), rows);
  EXPECT_THROW(fft(stream, data, data, 1), UsageError);
  EXPECT_THROW(fft(stream, data, scratch, (std::size_t{1} << 58) + 1), UsageError);  // whose bytes wrap round to 64
}

INSTANTIATE_TEST_SUITE_P(Devices, FftTest, testing::ValuesIn(test::test_devices()), test::device_test_name);

}  // namespace
}  // namespace rtcg
