#include "rtcg/sparse/sparse_matrix.h"

#include <random>

#include "rtcg/error.h"
#include "rtcg/sparse/eigen.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

using Doubles = std::vector<double>;
using Indices = std::vector<std::int32_t>;
using Starts = std::vector<std::int64_t>;

TEST(SparseMatrix, IsEmptyByDefault) {
  const SparseMatrix matrix;
  EXPECT_EQ(matrix.rows(), 0u);
  EXPECT_EQ(matrix.nonzeros(), 0u);
  EXPECT_EQ(matrix.dtype(), ScalarType::f64);
}

TEST(SparseMatrix, RefusesCompressedRowsThatDoNotFit) {
  const Doubles two{1, 2};
  EXPECT_MESSAGE(UsageError, "3 rows need 4 row starts, not 3",
                 SparseMatrix(3, 3, Starts{0, 1, 2}, Indices{0, 1}, two));
  EXPECT_MESSAGE(UsageError, "2 columns but 1 values", SparseMatrix(1, 3, Starts{0, 2}, Indices{0, 1}, Doubles{1}));
  EXPECT_MESSAGE(UsageError, "row 0 starts at 1", SparseMatrix(1, 3, Starts{1, 2}, Indices{0, 1}, two));
  EXPECT_MESSAGE(UsageError, "row 1 starts at 2 and ends at 1",
                 SparseMatrix(3, 3, Starts{0, 2, 1, 2}, Indices{0, 1}, two));
  EXPECT_MESSAGE(UsageError, "the last row ends at 1, but there are 2 entries",
                 SparseMatrix(1, 3, Starts{0, 1}, Indices{0, 1}, two));
  EXPECT_MESSAGE(UsageError, "entry 1 (row 1) is in column 3 of 3",
                 SparseMatrix(2, 3, Starts{0, 1, 2}, Indices{0, 3}, two));
  EXPECT_MESSAGE(UsageError, "entry 0 (row 0) is in column -1 of 3",
                 SparseMatrix(2, 3, Starts{0, 1, 2}, Indices{-1, 0}, two));
  EXPECT_MESSAGE(UsageError, "rows are more than",
                 SparseMatrix(std::size_t{1} << 31, 3, Starts{0}, Indices{}, Doubles{}));
}

TEST(SparseMatrix, RefusesUnsortedAndRepeatedColumnsUnlessAskedToSum) {
  const Starts starts{0, 1, 4};
  EXPECT_MESSAGE(UsageError, "row 1 has column 0 after column 2",
                 SparseMatrix(2, 3, starts, Indices{1, 2, 0, 2}, Doubles{1, 2, 3, 4}));
  EXPECT_MESSAGE(UsageError, "row 1 has column 2 twice",
                 SparseMatrix(2, 3, starts, Indices{1, 0, 2, 2}, Doubles{1, 2, 3, 4}));
  const SparseMatrix summed(2, 3, starts, Indices{1, 2, 0, 2}, Doubles{1, 2, 3, 4}, EntryOrder::any);
  EXPECT_EQ(summed.row_starts(), (Starts{0, 1, 3}));
  EXPECT_EQ(summed.column_indices(), (Indices{1, 0, 2}));
  EXPECT_EQ(summed.values_as<double>(), (Doubles{1, 3, 6}));
  EXPECT_MESSAGE(UsageError, "its values are double, not float", summed.values_as<float>());
}

TEST(SparseMatrix, TripletsInAnyOrderAgreeWithEigen) {
  std::mt19937 random(1);
  const int rows = 90, columns = 70, entries = 2000;
  Indices i, j;
  Doubles values;
  std::vector<Eigen::Triplet<double>> triplets;
  for (int k = 0; k < entries; ++k) {
    i.push_back(static_cast<int>(random() % rows)), j.push_back(static_cast<int>(random() % columns));
    values.push_back(static_cast<double>(random() % 1000));
    triplets.emplace_back(i.back(), j.back(), values.back());
  }
  Eigen::SparseMatrix<double, Eigen::RowMajor> expected(rows, columns);
  expected.setFromTriplets(triplets.begin(), triplets.end());
  const SparseMatrix matrix = SparseMatrix::from_coo(rows, columns, i, j, values);
  EXPECT_EQ(matrix.nonzeros(), static_cast<std::size_t>(expected.nonZeros()));
  EXPECT_EQ((to_eigen<double>(matrix) - expected).norm(), 0.0);
  EXPECT_EQ(from_eigen(expected).values_as<double>(), matrix.values_as<double>());

  i[7] = rows;
  EXPECT_MESSAGE(UsageError, "entry 7 is in row 90 of 90", SparseMatrix::from_coo(rows, columns, i, j, values));
  j.pop_back();
  EXPECT_MESSAGE(UsageError, "2000 row indices, 1999 column indices",
                 SparseMatrix::from_coo(rows, columns, i, j, values));
}

TEST(SparseMatrix, TakesExpressionsAndUncompressedMatricesFromEigen) {
  Eigen::SparseMatrix<float> matrix(4, 3);
  matrix.insert(3, 0) = 5, matrix.insert(0, 0) = 1, matrix.insert(1, 2) = 2;
  const SparseMatrix twice = from_eigen(matrix * 2.0f), turned = from_eigen(matrix.transpose());
  EXPECT_EQ(twice.values_as<float>(), (std::vector<float>{2, 4, 10}));
  EXPECT_EQ(turned.rows(), 3u);
  EXPECT_EQ(turned.column_indices(), (Indices{0, 3, 1}));
}

class SparseMatrixOnDevice : public test::DeviceTest {};

TEST_P(SparseMatrixOnDevice, ReadsCompressedRowsBack) {
  const Stream s = stream();
  const Buffer starts = Buffer::from(s, std::vector<int>{0, 2, 3}), columns = Buffer::from(s, Indices{0, 1, 1});
  const Buffer values = Buffer::from(s, std::vector<float>{1, 2, 3});
  const SparseMatrix matrix = SparseMatrix::from_device(2, 2, starts, columns, values);
  EXPECT_EQ(matrix.values_as<float>(), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(matrix.row_starts(), (Starts{0, 2, 3}));
  EXPECT_MESSAGE(UsageError, "row starts are int or long, not float",
                 SparseMatrix::from_device(2, 2, values, columns, values));
  EXPECT_MESSAGE(UsageError, "values are float, double or complex, not int",
                 SparseMatrix::from_device(2, 2, starts, columns, columns));
}

RTCG_INSTANTIATE_FOR_DEVICES(SparseMatrixOnDevice);

}  // namespace
}  // namespace rtcg
