#include "rtcg/sparse/sparse_operator.h"

#include <Eigen/SparseCore>

#include <algorithm>
#include <numeric>
#include <random>

#include "rtcg/error.h"
#include "rtcg/sparse/eigen.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

template <class T>
using Rows = Eigen::SparseMatrix<T, Eigen::RowMajor>;
template <class T>
using Vector = Eigen::Matrix<T, Eigen::Dynamic, 1>;

template <class T>
T random_value(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  if constexpr (Eigen::NumTraits<T>::IsComplex) {
    using Real = typename T::value_type;
    return {static_cast<Real>(normal(random)), static_cast<Real>(normal(random))};
  } else {
    return static_cast<T>(normal(random));
  }
}

/// Entries at random places, `mean` a row; row 3 is full and row 5 is empty where there are so many rows.
template <class T>
Rows<T> random_matrix(int rows, int columns, double mean, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<Eigen::Triplet<T>> triplets;
  std::poisson_distribution<int> length(mean);
  for (int i = 0; i < rows && columns > 0; ++i) {
    const int count = i == 3 ? columns : i == 5 ? 0 : length(random);
    for (int k = 0; k < count; ++k)
      triplets.emplace_back(i, i == 3 ? k : static_cast<int>(random() % static_cast<unsigned>(columns)),
                            random_value<T>(random));
  }
  Rows<T> matrix(rows, columns);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

/// Entries on the diagonals -40, -1, 0, 2 and 33, drawn from `kinds` different rows; 0: all different.
template <class T>
Rows<T> banded_matrix(int rows, int columns, int kinds, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<std::vector<T>> table(static_cast<std::size_t>(kinds == 0 ? rows : kinds), std::vector<T>(5));
  for (auto& row : table)
    for (T& value : row) value = random_value<T>(random);
  std::vector<Eigen::Triplet<T>> triplets;
  for (int i = 0; i < rows; ++i) {
    int d = 0;
    for (const int offset : {-40, -1, 0, 2, 33}) {
      const T value = table[static_cast<std::size_t>(i) % table.size()][static_cast<std::size_t>(d++)];
      if (i + offset >= 0 && i + offset < columns) triplets.emplace_back(i, i + offset, value);
    }
  }
  Rows<T> matrix(rows, columns);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

/// Largest difference to Eigen's product in double, against the size of what was added up.
template <class T>
double error(const Stream& stream, const Rows<T>& matrix, const SparseOptions& options) {
  using Wide = std::conditional_t<Eigen::NumTraits<T>::IsComplex, std::complex<double>, double>;
  std::mt19937_64 random(99);
  std::vector<T> x(static_cast<std::size_t>(matrix.cols()));
  for (T& value : x) value = random_value<T>(random);
  const SparseOperator product(stream, from_eigen(matrix), options);
  EXPECT_TRUE(options.format == SparseFormat::automatic || product.format() == options.format);
  const Buffer device_x = Buffer::from(stream, x), y = Buffer::of<T>(stream, static_cast<std::size_t>(matrix.rows()));
  if (y.bytes() != 0) y.fill(stream, T(7));
  product(stream, device_x, y);
  const std::vector<T> result = y.read<T>();
  const Vector<Wide> wide_x = Eigen::Map<const Vector<T>>(x.data(), matrix.cols()).template cast<Wide>();
  const Vector<Wide> expected = matrix.template cast<Wide>() * wide_x;
  const Vector<double> scale = matrix.cwiseAbs().template cast<double>() * wide_x.cwiseAbs();
  double largest = 0;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    largest =
        std::max(largest, std::abs(Wide(result[static_cast<std::size_t>(i)]) - expected[i]) / (scale[i] + 1e-300));
  return largest;
}

class SparseOperatorTest : public test::DeviceTest {
 protected:
  std::vector<SparseOptions> shapes(SparseFormat format) const {
    SparseOptions gpu, cpu;
    gpu.format = cpu.format = format;
    gpu.loop_shape = DeviceKind::gpu, cpu.loop_shape = DeviceKind::cpu;
    return {gpu, cpu};
  }
};

TEST_P(SparseOperatorTest, AgreesWithEigenOnRandomMatrices) {
  const Stream s = stream();
  for (const SparseFormat format : {SparseFormat::csr, SparseFormat::sell})
    for (const SparseOptions& options : shapes(format))
      for (const auto& [rows, columns, mean] :
           {std::tuple(1000, 700, 6.0), {333, 5000, 40.0}, {1, 1, 1.0}, {7, 1, 1.0}}) {
        SCOPED_TRACE(testing::Message() << name_of(format) << " " << rows << " x " << columns << ", shape "
                                        << static_cast<int>(*options.loop_shape));
        EXPECT_LT(error(s, random_matrix<double>(rows, columns, mean, 1), options), 1e-15);
      }
}

TEST_P(SparseOperatorTest, EveryLaneCountGivesTheSameProduct) {
  const Rows<double> matrix = random_matrix<double>(500, 5000, 20, 2);
  for (const unsigned lanes : {1u, 2u, 4u, 8u, 16u, 32u}) {
    SparseOptions options;
    options.format = SparseFormat::csr, options.lanes = lanes, options.loop_shape = DeviceKind::gpu;
    EXPECT_LT(error(stream(), matrix, options), 1e-15) << lanes;
  }
}

TEST_P(SparseOperatorTest, AgreesWithEigenOnDiagonals) {
  const Stream s = stream();
  for (const SparseFormat format : {SparseFormat::dia, SparseFormat::stencils})
    for (const SparseOptions& options : shapes(format))
      for (const auto& [rows, columns] : {std::pair(1000, 1000), {700, 1000}, {1000, 650}, {3, 3}, {20, 90}}) {
        SCOPED_TRACE(testing::Message() << name_of(format) << " " << rows << " x " << columns << ", shape "
                                        << static_cast<int>(*options.loop_shape));
        const int kinds = format == SparseFormat::dia ? 0 : 5;
        EXPECT_LT(error(s, banded_matrix<double>(rows, columns, kinds, 3), options), 1e-15);
      }
}

TEST_P(SparseOperatorTest, PacketsAgreeWithEigen) {
  const Stream s = stream();
  for (const SparseOptions& options : shapes(SparseFormat::packets))
    for (const int rows : {1, 31, 3000}) {
      EXPECT_LT(error(s, banded_matrix<double>(rows, rows, 0, 13), options), 1e-15) << rows;
      EXPECT_LT(error(s, random_matrix<double>(rows, rows, 3, 14), options), 1e-15) << rows;
    }
  SparseOptions options;
  options.format = SparseFormat::packets;
  EXPECT_MESSAGE(UsageError, "packets need a square matrix, not 5 x 4",
                 SparseOperator(s, from_eigen(Rows<double>(5, 4)), options));
}

TEST_P(SparseOperatorTest, PacketsFindNeighboursInAShuffledGrid) {
  // Neighbours of a 64 x 64 grid whose points were shuffled: packets of consecutive rows would hold hardly any.
  const int side = 64;
  std::vector<int> place(side * side);
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), std::mt19937(15));
  Rows<double> matrix(side * side, side * side);
  for (int y = 0; y < side; ++y)
    for (int x = 0; x + 1 < side; ++x) {
      const auto link = [&](int a, int b) {
        matrix.coeffRef(place[static_cast<std::size_t>(a)], place[static_cast<std::size_t>(b)]) = 1 + a % 7;
      };
      link(x + side * y, x + 1 + side * y), link(x + 1 + side * y, x + side * y);
      link(y + side * x, y + side * (x + 1)), link(y + side * (x + 1), y + side * x);
    }
  SparseOptions options;
  options.format = SparseFormat::packets;
  const SparseOperator product(stream(), from_eigen(matrix), options);
  const std::string text = product.explain();
  const std::size_t at = text.find(" % of the entries inside");
  ASSERT_NE(at, std::string::npos) << text;
  EXPECT_GT(std::stod(text.substr(text.rfind(' ', at - 1))), 85) << text;
  EXPECT_LT(error(stream(), matrix, options), 1e-15);
}

TEST_P(SparseOperatorTest, MultipliesArrays) {
  const Stream s = stream();
  const Rows<double> matrix = banded_matrix<double>(210, 170, 5, 3);
  const SparseOperator product(s, from_eigen(matrix));
  std::vector<double> values(2 * 170);
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = std::sin(static_cast<double>(k));
  const Array x = Array::from(s, values);
  const Array odd = product(x(Slice{1, {}, 2}));  // strided: copied first
  const Array both = product(x.reshape({170, 2}));
  EXPECT_EQ(both.shape(), (Shape{210, 2}));
  const Vector<double> expected =
      matrix * Eigen::Map<const Vector<double>, 0, Eigen::InnerStride<2>>(values.data() + 1, 170);
  const auto odd_values = odd.to_vector<double>(), both_values = both.to_vector<double>();
  for (std::size_t i = 0; i < 210; ++i) {
    EXPECT_NEAR(odd_values[i], expected[static_cast<Eigen::Index>(i)], 1e-14);
    EXPECT_NEAR(both_values[2 * i + 1], odd_values[i], 1e-14);
  }
  EXPECT_MESSAGE(UsageError, "x is (340,); (170,) or (170, k) fits", product(x));
  EXPECT_MESSAGE(UsageError, "x holds float, the matrix double", product(Array::zeros(s, {170}, Dtype::f32)));
}

TEST_P(SparseOperatorTest, TakesFloatAndComplexValues) {
  for (const SparseFormat format : {SparseFormat::csr, SparseFormat::sell, SparseFormat::dia, SparseFormat::stencils})
    for (const SparseOptions& options : shapes(format)) {
      SCOPED_TRACE(name_of(format));
      EXPECT_LT(error(stream(), banded_matrix<float>(300, 300, 4, 4), options), 1e-6);
      EXPECT_LT(error(stream(), banded_matrix<std::complex<float>>(300, 300, 4, 4), options), 1e-6);
      EXPECT_LT(error(stream(), banded_matrix<std::complex<double>>(300, 300, 4, 4), options), 2e-15);
    }
}

TEST_P(SparseOperatorTest, TakesMatricesWithoutRowsColumnsOrEntries) {
  for (const SparseFormat format :
       {SparseFormat::automatic, SparseFormat::csr, SparseFormat::sell, SparseFormat::dia, SparseFormat::stencils})
    for (const SparseOptions& options : shapes(format))
      for (const auto& [rows, columns] : {std::pair(0, 0), {0, 5}, {5, 0}, {5, 5}})
        EXPECT_EQ(error(stream(), Rows<double>(rows, columns), options), 0.0)
            << name_of(format) << rows << " x " << columns;
}

TEST_P(SparseOperatorTest, MultipliesSeveralRightSides) {
  const Stream s = stream();
  std::mt19937_64 random(11);
  for (const SparseFormat format : {SparseFormat::csr, SparseFormat::sell, SparseFormat::stencils})
    for (const std::size_t sides : {1u, 3u, 4u}) {
      const Rows<double> matrix = banded_matrix<double>(210, 170, 5, 3);
      SparseOptions options;
      options.format = format, options.loop_shape = sides == 3 ? DeviceKind::cpu : DeviceKind::gpu;
      const SparseOperator product(s, from_eigen(matrix), options);
      std::vector<double> x(170 * sides);
      for (double& value : x) value = random_value<double>(random);
      const Buffer device_x = Buffer::from(s, x), y = Buffer::of<double>(s, 210 * sides);
      product.multiply(s, device_x, y, sides);
      using Dense = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      const std::vector<double> result = y.read<double>();
      const auto columns = static_cast<Eigen::Index>(sides);
      const Dense expected = matrix * Eigen::Map<const Dense>(x.data(), 170, columns);
      EXPECT_LT((Eigen::Map<const Dense>(result.data(), 210, columns) - expected).cwiseAbs().maxCoeff(), 1e-13)
          << name_of(format) << ", " << sides;
    }
  const SparseOperator complex(s, from_eigen(banded_matrix<std::complex<float>>(60, 60, 5, 3)));
  const Buffer twice = Buffer::from(s, std::vector<std::complex<float>>(120, 1)),
               y = Buffer::of<std::complex<float>>(s, 120);
  complex.multiply(s, twice, y, 2);
  const auto result = y.read<std::complex<float>>();
  const Vector<std::complex<float>> once =
      banded_matrix<std::complex<float>>(60, 60, 5, 3) * Vector<std::complex<float>>::Ones(60);
  for (int i = 0; i < 120; ++i) EXPECT_LT(std::abs(result[static_cast<std::size_t>(i)] - once[i / 2]), 1e-5);
  EXPECT_MESSAGE(UsageError, "X has 960 bytes; 180 elements", complex.multiply(s, twice, y, 3));
}

TEST_P(SparseOperatorTest, ChoosesTheFormatByStructure) {
  const auto chosen = [&](const Rows<double>& matrix) {
    SparseOptions options;
    options.loop_shape = DeviceKind::gpu;
    return SparseOperator(stream(), from_eigen(matrix), options).format();
  };
  EXPECT_EQ(chosen(banded_matrix<double>(2000, 2000, 3, 5)), SparseFormat::stencils);
  EXPECT_EQ(chosen(banded_matrix<double>(2000, 2000, 0, 5)), SparseFormat::dia);
  Rows<double> regular(4096, 4096);
  std::mt19937_64 random(6);
  for (int i = 0; i < 4096; ++i)
    for (int k = 0; k < 8; ++k) regular.coeffRef(i, static_cast<int>(random() % 512) * 8 + k) = 1;
  EXPECT_EQ(chosen(regular), SparseFormat::sell);
  Rows<double> arrow(2000, 2000);  // one full row: a slice would be all padding
  for (int k = 0; k < 2000; ++k) arrow.coeffRef(0, k) = 1, arrow.coeffRef(k, static_cast<int>(random() % 2000)) = 1;
  EXPECT_EQ(chosen(arrow), SparseFormat::csr);
}

TEST_P(SparseOperatorTest, TunedChoosesByTimeAndExplains) {
  SparseOptions options;
  options.tune = true;
  const SparseOperator product(stream(), from_eigen(banded_matrix<double>(2000, 2000, 3, 5)), options);
  EXPECT_NE(product.explain().find("fastest of those timed"), std::string::npos) << product.explain();
  EXPECT_NE(product.explain().find(" us"), std::string::npos) << product.explain();
  EXPECT_LT(error(stream(), banded_matrix<double>(2000, 2000, 3, 5), options), 1e-15);
}

TEST_P(SparseOperatorTest, RepeatsBitForBit) {
  const SparseMatrix matrix = from_eigen(random_matrix<double>(3000, 3000, 12, 7));
  std::mt19937_64 random(8);
  std::vector<double> x(3000);
  for (double& value : x) value = random_value<double>(random);
  const Stream s = stream();
  const Buffer device_x = Buffer::from(s, x), y = Buffer::of<double>(s, 3000);
  for (const SparseFormat format : {SparseFormat::csr, SparseFormat::sell})
    for (const SparseOptions& options : shapes(format)) {
      const SparseOperator product(s, matrix, options), again(s, matrix, options);
      product(s, device_x, y);
      const auto first = y.read<double>();
      again(s, device_x, y);
      EXPECT_EQ(first, y.read<double>()) << name_of(format);
    }
}

TEST_P(SparseOperatorTest, KernelsForMoreEntriesThan32BitsCountCompile) {
  const Stream s = stream();
  const SparseMatrix matrix = from_eigen(random_matrix<double>(40, 40, 3, 16));
  RowProgram program;
  program.name = "long_starts";
  program.parameters = "global const value_t* x, global value_t* y";
  program.row = "y[i] = sum;";
  const FormatTarget target{DeviceKind::gpu, 4, true};
  for (DeviceMatrix format :
       {make_csr(s, matrix, target), make_sell(s, matrix, target, 64, 1), make_packets(s, matrix, target)}) {
    format.values.insert_or_assign("start", "long");
    EXPECT_NO_THROW(format.kernel(device(), program)) << name_of(format.format);
  }
}

TEST_P(SparseOperatorTest, RefusesWhatDoesNotFit) {
  const Stream s = stream();
  const SparseMatrix matrix = from_eigen(random_matrix<double>(50, 40, 5, 9));
  const SparseOperator product(s, matrix);
  const Buffer x = Buffer::of<double>(s, 40), y = Buffer::of<double>(s, 50);
  EXPECT_MESSAGE(UsageError, "x has 312 bytes; 40 elements of double need 320",
                 product(s, Buffer::of<double>(s, 39), y));
  EXPECT_MESSAGE(UsageError, "y holds float", product(s, x, Buffer::of<float>(s, 100)));
  EXPECT_MESSAGE(UsageError, "y: the buffer is empty", product(s, x, Buffer()));
  EXPECT_MESSAGE(UsageError, "x and y are one buffer", product(s, y, y));
  SparseOptions options;
  options.format = SparseFormat::dia;
  EXPECT_MESSAGE(UsageError, "more than the 64 diagonals that DIA allows", SparseOperator(s, matrix, options));
  options.format = SparseFormat::stencils;
  EXPECT_MESSAGE(UsageError, "differ in too many ways",
                 SparseOperator(s, from_eigen(banded_matrix<double>(2000, 2000, 0, 5)), options));
  options = {}, options.lanes = 3;
  EXPECT_MESSAGE(UsageError, "3 lanes a row", SparseOperator(s, matrix, options));
}

RTCG_INSTANTIATE_FOR_DEVICES(SparseOperatorTest);

}  // namespace
}  // namespace rtcg
