#include "rtcg/array/interchange/eigen.h"

#include <gtest/gtest.h>

#include "rtcg/array/expression.h"
#include "support/devices.h"
#include "support/scratch_directory.h"

namespace rtcg {
namespace {

class EigenTest : public test::DeviceTest {};

TEST_P(EigenTest, BothStorageOrdersArriveWithTheirIndices) {
  const Stream queue = stream();
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd a = Eigen::MatrixXd::Random(4, 7);
  const RowMajor b = a;
  const Array from_columns = from_eigen(queue, a), from_rows = from_eigen(queue, b);
  EXPECT_EQ(from_columns.strides(), (Strides{1, 4}));
  EXPECT_EQ(from_rows.strides(), (Strides{7, 1}));
  EXPECT_EQ(from_columns.to_vector<double>(), from_rows.to_vector<double>());
  EXPECT_EQ(from_columns(2, 5).item<double>(), a(2, 5));
  for (const Array& array : {from_columns, from_rows}) {
    EXPECT_EQ(to_eigen<Eigen::MatrixXd>(array), a);
    EXPECT_EQ(to_eigen<RowMajor>(array), b);
  }
  const Array sum = from_columns + from_rows;
  EXPECT_EQ(to_eigen<Eigen::MatrixXd>(sum), 2 * a);
}

TEST_P(EigenTest, VectorsBlocksAndFixedSizes) {
  const Stream queue = stream();
  const Eigen::VectorXcf v = Eigen::VectorXcf::Random(9);
  EXPECT_EQ(to_eigen<Eigen::VectorXcf>(from_eigen(queue, v)), v);
  EXPECT_EQ(to_eigen<Eigen::RowVectorXcf>(from_eigen(queue, v)), v.transpose());
  const Eigen::Matrix3i m = (Eigen::Matrix3i() << 1, 2, 3, 4, 5, 6, 7, 8, 9).finished();
  EXPECT_EQ(from_eigen(queue, m.bottomRows(2)).to_vector<int>(), (std::vector<int>{4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(to_eigen<Eigen::Matrix3i>(from_eigen(queue, m)), m);
  EXPECT_MESSAGE(UsageError, "shape (3, 3) for a fixed size of 2 x 2", to_eigen<Eigen::Matrix2i>(from_eigen(queue, m)));
  EXPECT_MESSAGE(UsageError, "shape (3, 3) for a vector", to_eigen<Eigen::VectorXi>(from_eigen(queue, m)));
  EXPECT_MESSAGE(UsageError, "the array is of int32, the host values are of float64",
                 to_eigen<Eigen::Matrix3d>(from_eigen(queue, m)));
}

RTCG_INSTANTIATE_FOR_DEVICES(EigenTest);

}  // namespace
}  // namespace rtcg
